"""Any call of any T5, answered by whichever library is handed in; run by transformers' own Python, by transformers.

It imports nothing of tokenlab: the same functions ask both.
"""

from __future__ import annotations

import json
import random
import sys
import warnings
from typing import Any

import torch

Call = dict[str, Any]  # what JSON can hold: the model's class, configuration and seed, and what it is asked


def model_of(library: Any, call: Call) -> Any:
    """The model, with weights that depend on nothing but their names, their shapes and the seed."""
    model = getattr(library, call["class"])(library.T5Config(**call["config"]))
    for name, parameter in model.named_parameters():
        dice = random.Random(f"{call['seed']} {name}")
        reach = 1.0 if parameter.dim() == 1 or "relative" in name or "shared" in name else parameter.shape[1] ** -0.5
        values = [dice.uniform(-reach, reach) for _ in range(parameter.numel())]
        with torch.no_grad():
            parameter.copy_(torch.tensor(values).view(parameter.shape))
    return model.to(getattr(torch, call["dtype"])).train(call["train"])


def tensors(model: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Lists as tensors; numbers with a point get the model's type, but masks stay as they are."""
    found = {name: torch.tensor(value) if isinstance(value, list) else value for name, value in given.items()}
    return {name: value.to(model.dtype) if name.endswith("embeds") else value for name, value in found.items()}


def outputs(library: Any, call: Call) -> dict[str, Any]:
    """All that one call answers, by name or by place, and the gradient of every parameter of its loss, if it has one.

    A model without a loss gets the sum of its states, each times another number up to 1, for one.
    """
    model = model_of(library, call)
    torch.manual_seed(call["seed"])  # the draws of dropout
    output = model(**tensors(model, call["given"]))
    found = {"output": dict(output.items()) if call["given"].get("return_dict", True) else list(output)}
    if call["backward"]:
        first = output[0]
        loss = (
            first if first.dim() == 0 else (first * torch.linspace(0, 1, first.numel()).to(first).view_as(first)).sum()
        )
        loss.backward()
        gradients = {name: parameter.grad for name, parameter in model.named_parameters()}
        found["gradients"] = {name: grad for name, grad in gradients.items() if grad is not None}
    return found


@torch.no_grad()
def beams(library: Any, call: Call) -> dict[str, Any]:
    """Several tokens a step with the cache, whose rows change places between steps as beams do."""
    model = model_of(library, call)
    given = tensors(model, call["given"])
    encoded, mask = model.encoder(given["input_ids"], given["attention_mask"]), given["attention_mask"]
    written, cache, found = given["decoder_input_ids"][:, : call["steps"][0]], None, []
    for number, parents in enumerate(call["parents"]):
        asked = model.prepare_inputs_for_generation(
            written, past_key_values=cache, attention_mask=mask, encoder_outputs=encoded, use_cache=True
        )
        found.append({name: value for name, value in asked.items() if isinstance(value, (torch.Tensor, bool))})
        if cache is not None:  # more tokens than the one that it leaves
            asked["decoder_input_ids"] = written[:, cache[0][0].shape[2] :]
        output = model(**asked)
        rows = torch.tensor(parents)
        cache = model._reorder_cache(output.past_key_values, rows)
        found.append({"logits": output.logits, "cache": cache})
        start = sum(call["steps"][: number + 1])
        new = given["decoder_input_ids"][:, start : start + call["steps"][number + 1]]
        written = torch.cat([written[rows], new], dim=1)
        # Every row looks at a sentence of its own, so the encoder's side moves with it, as a beam search sees to.
        encoded.last_hidden_state, mask = encoded.last_hidden_state[rows], mask[rows]
    return {"steps": found, "uncached": model(given["input_ids"], decoder_input_ids=written).logits}


PROGRAMS = {"outputs": outputs, "beams": beams}


def answers(library: Any, call: Call) -> Any:
    """What a library answers, as JSON can hold it."""
    torch.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # head_mask, used for the decoder
        return plain(PROGRAMS[call["program"]](library, call))


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return (
        {"shape": list(value.shape), "values": value.double().flatten().tolist()} if torch.is_tensor(value) else value
    )


if __name__ == "__main__":
    import transformers

    for line in sys.stdin:
        try:
            answer = answers(transformers, json.loads(line))
        except Exception as error:  # said to who has asked; the next question is answered again
            answer = {"refused": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)
