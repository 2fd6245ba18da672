"""What a T5 answers to one case, as JSON can hold it; run by transformers' own Python, it asks transformers.

    .parity/bin/python tests/parity/t5_answers.py < cases, one JSON object a line

It imports nothing of tokenlab, whose models are asked by the same function.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import torch


def model_of(library: Any, case: dict[str, Any]) -> Any:
    """The model of a case with the case's weights, which have to be all that it has."""
    model = library.T5ForConditionalGeneration(library.T5Config(**case["config"])).eval()
    model.load_state_dict({name: torch.tensor(values) for name, values in case["weights"].items()}, strict=True)
    return model


def answers(library: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Outputs, loss and the gradient of every parameter; then the same outputs one token at a time."""
    torch.set_num_threads(1)
    model = model_of(library, case)
    ids, mask, labels = (torch.tensor(case[name]) for name in ("input_ids", "attention_mask", "labels"))
    decoder_mask = torch.tensor(case["decoder_attention_mask"])
    given = {"input_ids": ids, "attention_mask": mask}
    asked = {"output_attentions": True, "output_hidden_states": True}
    output = model(**given, labels=labels, decoder_attention_mask=decoder_mask, **asked)
    output.loss.backward()
    stacks = {"encoder": model.encoder, "decoder": model.decoder}
    found = {
        "places": len(output.to_tuple()),
        "encoder": output.encoder_last_hidden_state,
        "decoder": output.decoder_hidden_states[-1],
        "first_hidden": output.decoder_hidden_states[0],
        "encoder_attention": output.encoder_attentions[-1],
        "decoder_attention": output.decoder_attentions[-1],
        "cross_attention": output.cross_attentions[-1],
        "cached_keys": output.past_key_values[-1][0],
        "logits": output.logits,
        "loss": output.loss,
        "gradients": {name: parameter.grad for name, parameter in model.named_parameters()},
        "bias": {name: first_attention(stack).compute_bias(12, 12) for name, stack in stacks.items()},
        "stepwise": one_at_a_time(model, given, model._shift_right(labels)),
    }
    return {name: plain(value) for name, value in found.items()}


def first_attention(stack: Any) -> Any:
    return stack.block[0].layer[0].SelfAttention


@torch.no_grad()
def one_at_a_time(model: Any, given: dict[str, Any], decoder_ids: torch.Tensor) -> torch.Tensor:
    """The scores of each position, each read alone with the cache of those before."""
    cache, logits = None, []
    for place in range(decoder_ids.shape[1]):
        output = model(
            **given, decoder_input_ids=decoder_ids[:, place : place + 1], past_key_values=cache, use_cache=True
        )
        cache = output.past_key_values
        logits.append(output.logits)
    return torch.cat(logits, dim=1)


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    return value.tolist() if isinstance(value, torch.Tensor) else value


if __name__ == "__main__":
    import transformers

    for line in sys.stdin:
        if line.strip() == "own weights":
            config = transformers.T5Config(20, 6, 3, 8, 2, num_heads=2, decoder_start_token_id=0)
            state = transformers.T5ForConditionalGeneration(config).state_dict()
            print(json.dumps({"config": config.to_dict(), "weights": plain(dict(state))}), flush=True)
        else:
            print(json.dumps(answers(transformers, json.loads(line))), flush=True)
