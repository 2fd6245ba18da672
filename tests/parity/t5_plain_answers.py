"""What the modules of a T5 answer where `tokenlab.algorithms` says the same with plain numbers.

    .parity/bin/python tests/parity/t5_plain_answers.py < cases, one JSON object a line

It imports nothing of tokenlab, whose modules are asked by the same functions.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import torch
from torch import nn


def model_of(library: Any, **settings: Any) -> Any:
    torch.manual_seed(0)
    sizes = {"vocab_size": 11, "d_model": 4, "d_kv": 4, "d_ff": 5, "num_layers": 2, "num_heads": 1}
    return library.T5ForConditionalGeneration(
        library.T5Config(**{**sizes, "decoder_start_token_id": 0, "pad_token_id": 0, **settings})
    ).eval()


def answers(library: Any, case: dict[str, Any]) -> dict[str, Any]:
    torch.set_num_threads(1)
    with torch.no_grad():
        return {
            "norm": norm(library, **case["norm"]),
            "buckets": buckets(library, **case["buckets"]),
            "head": head(library, **case["head"]),
            "mask": mask(library, case["padding"]),
            "shifted": shifted(library, **case["shift"]),
            "loss": loss(library, case["labels"]),
            "tables": tables(library, *case["blocks"]),
            "rows": rows(library, *case["steps"]),
        }


def norm(library: Any, vector: list[float], weights: list[float]) -> list[float]:
    layer = model_of(library, d_model=len(vector)).encoder.final_layer_norm
    layer.weight.copy_(torch.tensor(weights))
    found: list[float] = layer(torch.tensor([[vector]]))[0, 0].tolist()
    return found


def buckets(library: Any, num_buckets: int, max_distance: int, length: int) -> dict[str, list[list[int]]]:
    """The table's rows hold their own numbers, so what is read from it is the bucket."""
    model = model_of(library, relative_attention_num_buckets=num_buckets, relative_attention_max_distance=max_distance)
    found = {}
    for name in ("encoder", "decoder"):
        attention = getattr(model, name).block[0].layer[0].SelfAttention
        attention.relative_attention_bias.weight.copy_(torch.arange(num_buckets)[:, None])
        found[name] = attention.compute_bias(length, length)[0, 0].long().tolist()
    return found


def head(library: Any, states: Any, q: Any, k: Any, v: Any, table: Any, padding: Any) -> dict[str, Any]:
    """One head of the decoder, at once and one step at a time; its queries, keys, values and biases are given back."""
    model = model_of(library, d_model=len(q), d_kv=len(q), relative_attention_num_buckets=len(table))
    attention = model.decoder.block[0].layer[0].SelfAttention
    for layer, weight in ((attention.q, q), (attention.k, k), (attention.v, v), (attention.o, torch.eye(len(q)))):
        layer.weight.copy_(torch.as_tensor(weight))
    attention.relative_attention_bias.weight.copy_(torch.tensor(table)[:, None])
    hidden = torch.tensor([states])
    added = torch.tensor(mask(library, padding))[None, None]
    whole = attention(hidden, mask=added, output_attentions=True)
    past = None
    steps = []
    for place in range(len(states)):
        step = attention(hidden[:, place : place + 1], past_key_value=past, use_cache=True)
        past = step[1]
        steps.append(step[0][0, 0].tolist())
    assert past is not None
    return {
        "weights": whole[3][0, 0].tolist(),
        "output": whole[0][0].tolist(),
        "steps": steps,
        "cached": [rows[0, 0].tolist() for rows in past],
    }


def mask(library: Any, padding: list[int]) -> list[list[float]]:
    """What the first block of a decoder hands on to the second, where the table has only zeros."""
    model = model_of(library)
    model.decoder.block[0].layer[0].SelfAttention.relative_attention_bias.weight.zero_()
    seen: list[Any] = []
    nn.Module.register_forward_pre_hook(
        model.decoder.block[1].layer[0].SelfAttention,
        lambda module, args, kwargs: seen.append(kwargs["position_bias"]),
        with_kwargs=True,
    )
    ids = torch.ones(1, len(padding), dtype=torch.long)
    model(input_ids=ids, decoder_input_ids=ids, decoder_attention_mask=torch.tensor([padding]))
    found: list[list[float]] = seen[0][0, 0].tolist()
    return found


def shifted(library: Any, labels: list[int], start: int, pad: int) -> list[int]:
    model = model_of(library, decoder_start_token_id=start, pad_token_id=pad)
    found: list[int] = model._shift_right(torch.tensor([labels]))[0].tolist()
    return found


def loss(library: Any, labels: list[int]) -> dict[str, Any]:
    """The loss of a random model, and the scores that it is the loss of."""
    output = model_of(library)(input_ids=torch.tensor([[3, 4, 1]]), labels=torch.tensor([labels]))
    return {"scores": output.logits[0].tolist(), "loss": output.loss.item()}


def tables(library: Any, encoder_blocks: int, decoder_blocks: int) -> list[str]:
    model = model_of(library, num_layers=encoder_blocks, num_decoder_layers=decoder_blocks)
    return [name for name, _ in model.named_parameters() if "relative_attention_bias" in name]


def rows(library: Any, source_length: int, steps: int) -> list[list[int]]:
    """For each step with a cache: the rows of keys that the first block computes, its own and the source's."""
    model = model_of(library)
    made = {"own": 0, "cross": 0}

    def counting(name: str) -> Any:
        def count(module: Any, args: Any, output: Any) -> None:
            made[name] += output.shape[1]

        return count

    layers = model.decoder.block[0].layer
    layers[0].SelfAttention.k.register_forward_hook(counting("own"))
    layers[1].EncDecAttention.k.register_forward_hook(counting("cross"))
    source, cache, found = torch.ones(1, source_length, dtype=torch.long), None, []
    for _ in range(steps):
        made.update(own=0, cross=0)
        output = model(input_ids=source, decoder_input_ids=torch.tensor([[2]]), past_key_values=cache, use_cache=True)
        cache = output.past_key_values
        found.append([made["own"], made["cross"]])
    return found


if __name__ == "__main__":
    import transformers

    for line in sys.stdin:
        print(json.dumps(answers(transformers, json.loads(line))), flush=True)
