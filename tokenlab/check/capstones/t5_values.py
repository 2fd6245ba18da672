"""Values for the checks of the second capstone: the tiny T5 with its hidden states, and random T5s of other sizes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from types import FunctionType
from typing import Any

import torch
from torch import Tensor

from tokenlab import data
from tokenlab.check.function_check import Function
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.tensor_check import Watched, random_ids, random_tensors
from tokenlab.minimal import t5

SEEDS = range(40)
TASK = "translate English to German: "
PAIRS = {  # the second pair is shorter, so it is padded
    "Anna gave the boy two red flowers.": "Anna hat dem Jungen zwei rote Blumen gegeben.",
    "He has a dog.": "Er hat einen Hund.",
}


@cache
def model_and_tokenizer() -> tuple[Any, Any]:
    """Return the tiny T5 and its tokenizer."""
    from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer

    return T5ForConditionalGeneration.from_pretrained(data.t5_tiny()).eval(), T5Tokenizer.from_pretrained(
        data.t5_tiny()
    )


@cache
def weights() -> dict[str, Tensor]:
    """Return the tensors of the file `model.safetensors`."""
    from safetensors.torch import load_file

    return load_file(data.t5_tiny() / "model.safetensors")


@cache
def config() -> dict[str, Any]:
    """Return the configuration of the tiny T5."""
    return dict(json.loads((data.t5_tiny() / "config.json").read_text(encoding="utf-8")))


@cache
def batch() -> Mapping[str, Tensor]:
    """Return the ids, masks and labels of two sentence pairs; padding labels are -100."""
    _, tokenizer = model_and_tokenizer()
    given = tokenizer([TASK + text for text in PAIRS], padding=True, return_tensors="pt")
    labels = tokenizer(list(PAIRS.values()), padding=True, return_tensors="pt").input_ids
    shifted = labels.roll(1, dims=1)
    shifted[:, 0] = 0
    return {**given, "labels": labels.masked_fill(labels == 0, -100), "decoder_input_ids": shifted}


@cache
def seen() -> Mapping[str, Tensor]:
    """Return the hidden states of the tiny T5 for `batch()`, and its logits and loss."""
    from tokenlab.libraries.transformers import watch

    model, _ = model_and_tokenizer()
    with torch.no_grad(), watch(model, "*") as recorded:
        output = model(**batch())
    return {**recorded, "logits": output.logits, "loss": output.loss}


def with_rules(function: Function, **rules: Any) -> Function:
    """Return a function that breaks rules: it calls these functions in place of those of its module with their names.

    >>> with_rules(t5.greedy_search, END=None)(lambda ids, cache: (torch.tensor([0.0, 1.0]), cache), None, 4)
    [0, 1, 1, 1]
    """
    return FunctionType(function.__code__, {**function.__globals__, **rules}, function.__name__)


def sizes(*largest: int) -> Strategy:
    """Return a strategy for tuples of sizes, each from 1 to a largest size, and a seed."""
    return st.tuples(*(st.integers(1, most) for most in largest), st.sampled_from(SEEDS))


def watched(arguments: Callable[[], tuple[Any, ...]], name: str) -> dict[str, Watched]:
    """Return a point of the tiny T5 with the arguments that lead to it; the value is what `watch` recorded."""
    return {name: Watched(arguments, lambda: seen()[name])}


def sublayer(name: str) -> dict[str, Tensor]:
    """Return the weights of one sublayer of the tiny T5."""
    return t5.sublayer_weights(weights(), name)


def attention_weights(seed: int, d_model: int, inner: int) -> dict[str, Tensor]:
    """Return random weights of an attention sublayer; `inner` is the number of heads times d_kv."""
    tensor = random_tensors(seed)
    return {
        **{name: tensor(inner, d_model) for name in "qkv"},
        "o": tensor(d_model, inner),
        "layer_norm": tensor(d_model),
    }


def feed_forward_weights(seed: int, d_model: int, d_ff: int) -> dict[str, Tensor]:
    """Return random weights of a feed-forward sublayer."""
    tensor = random_tensors(seed)
    return {"wi": tensor(d_ff, d_model), "wo": tensor(d_model, d_ff), "layer_norm": tensor(d_model)}


SUBLAYERS = {
    "encoder": ("SelfAttention", "DenseReluDense"),
    "decoder": ("SelfAttention", "EncDecAttention", "DenseReluDense"),
}


@cache
def random_t5(seed: int, layers: int, heads: int, d_kv: int) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Return the weights, under the names of the file, and the configuration of a T5 with 9 ids and d_model 4."""
    tensor = random_tensors(seed)
    made = {"shared.weight": tensor(9, 4)}
    for stack, names in SUBLAYERS.items():
        made[f"{stack}.final_layer_norm.weight"] = tensor(4)
        for number, (place, name) in ((n, one) for n in range(layers) for one in enumerate(names)):
            start = f"{stack}.block.{number}.layer.{place}"
            several = feed_forward_weights if name == "DenseReluDense" else attention_weights
            for key, value in several(seed + 7 * number + place, 4, heads * d_kv).items():
                made[f"{start}.{key}.weight" if key == "layer_norm" else f"{start}.{name}.{key}.weight"] = value
        table = f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
        made[table] = tensor(32, heads)
    sizes = {"d_model": 4, "d_kv": d_kv, "d_ff": heads * d_kv, "num_heads": heads, "vocab_size": 9}
    return made, {**sizes, "num_layers": layers, "num_decoder_layers": layers}


def random_sources(seed: int, rows: int, length: int) -> tuple[Tensor, Tensor]:
    """Return random ids, and an attention mask in which the last position of the last row is padding."""
    mask = torch.ones(rows, length, dtype=torch.long)
    if length > 1:
        mask[-1, -1] = 0
    return random_ids(seed, 9, rows, length), mask
