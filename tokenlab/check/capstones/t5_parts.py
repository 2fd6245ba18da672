"""Checks of the second capstone: embedding, RMS norm, buckets and position bias."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from tokenlab.check import strategies as inputs
from tokenlab.check.capstones import t5_values as tiny
from tokenlab.check.exercises.t5_attention import rounding_decides
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.tensor_check import random_ids, random_tensors, tensor_check
from tokenlab.minimal import t5

SEEDS = range(40)


def sizes(*largest: int) -> Strategy:
    """Return a strategy for tuples of sizes, each from 1 to a largest size, and a seed."""
    return st.tuples(*(st.integers(1, most) for most in largest), st.sampled_from(SEEDS))


# Embedding.


def _ids_and_table(batch: int, length: int, vocab_size: int, d_model: int, seed: int) -> tuple[Tensor, Tensor]:
    return random_ids(seed, vocab_size, batch, length), random_tensors(seed)(vocab_size, d_model)


def _with_positions(ids: Tensor, table: Tensor) -> Tensor:
    return table[ids] + torch.arange(ids.shape[1])[:, None]


t5_embed = tensor_check(
    t5.embed,
    _ids_and_table,
    lambda: sizes(2, 3, 4, 3),
    "Each id selects a row of the table, so the shape (batch, length) becomes (batch, length, d_model).",
    examples=[(1, 2, 3, 2, 0), (2, 3, 4, 5, 1)],
    watched=tiny.watched(lambda: (tiny.batch()["input_ids"], tiny.weights()["shared.weight"]), "encoder.embedded"),
    wrong=(
        (
            lambda ids, table: table[ids] * table.shape[1] ** 0.5,
            "A T5 does not multiply its embeddings by the square root of d_model, as the first transformer does.",
        ),
        (_with_positions, "Nothing is added for the position. A T5 adds a bias to the scores of attention instead."),
        (lambda ids, table: table[ids.flatten()], "The texts of a batch stay apart: keep the dimensions of ids."),
    ),
)


# The norm.


def _states(batch: int, length: int, d_model: int, seed: int, divisor: int) -> tuple[Tensor, Tensor]:
    tensor = random_tensors(seed)
    return tensor(batch, length, d_model) / divisor, tensor(d_model)


def _norm_cases() -> Strategy:
    return st.tuples(sizes(2, 3, 4), inputs.sampled(1, 1000)).map(lambda drawn: (*drawn[0], drawn[1]))


t5_norm = tensor_check(
    t5.rms_norm,
    _states,
    _norm_cases,
    "Square the numbers of a vector, take their mean and add 1e-6. Divide the vector by the square root of the result, "
    "and multiply each number by its weight.",
    examples=[(1, 1, 2, 0, 1), (2, 3, 4, 1, 1), (1, 2, 2, 2, 1000)],
    watched=tiny.watched(
        lambda: (tiny.seen()["encoder.block.1.output"], tiny.weights()["encoder.final_layer_norm.weight"]),
        "encoder.output",
    ),
    wrong=(
        (
            lambda x, weight: (
                (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True, unbiased=False) + 1e-6).sqrt() * weight
            ),
            "The mean of the numbers is not subtracted. This is an RMS norm, not a LayerNorm.",
        ),
        (
            lambda x, weight: x / (x.pow(2).sum(-1, keepdim=True) + 1e-6).sqrt() * weight,
            "Take the mean of the squares, not their sum.",
        ),
        (
            lambda x, weight: x / x.pow(2).mean(-1, keepdim=True).sqrt() * weight,
            "Add 1e-6 before the square root. Without it, a vector of zeros is divided by 0.",
        ),
        (
            lambda x, weight: x / (x.pow(2).mean(-1, keepdim=True).sqrt() + 1e-6) * weight,
            "1e-6 is added to the mean of the squares, before the square root and not after it.",
        ),
        (
            lambda x, weight: x / (x.pow(2).mean() + 1e-6).sqrt() * weight,
            "Each vector is divided by its own root mean square: take the mean over the last dimension, and keep it.",
        ),
        (
            lambda x, weight: x / (x.pow(2).mean(-1, keepdim=True) + 1e-6).sqrt(),
            "Multiply by the weights, one for each dimension.",
        ),
        (
            lambda x, weight: t5.rms_norm(x, weight + 1),
            "Multiply by the weights themselves. Other models add 1 to them.",
        ),
    ),
)


# Buckets.


def _positions(positions: tuple[int, ...], bidirectional: bool) -> tuple[Tensor, bool]:
    return torch.tensor([positions]), bidirectional


def _position_cases() -> Strategy:
    safe = [at for at in range(-300, 301) if not any(rounding_decides(at, one, 32, 128) for one in (True, False))]
    ordered = sorted(safe, key=lambda at: (abs(at), at < 0))
    return st.tuples(st.lists(st.sampled_from(ordered), min_size=1, max_size=4).map(tuple), st.booleans())


def _by_formula(relative_position: Tensor, bidirectional: bool, rounded: Any, largest: int = 0) -> Tensor:
    number = 16 if bidirectional else 32
    first = (relative_position > 0) * (number if bidirectional else 0)
    distance = relative_position.abs() if bidirectional else (-relative_position).clamp(min=0)
    half = number // 2
    share = half * torch.log(distance.clamp(min=half) / half) / torch.log(torch.tensor(128 / half))
    shared = half + rounded(share).long()
    return first + torch.where(distance < half, distance, shared.clamp(max=largest or number - 1))


t5_buckets = tensor_check(
    t5.buckets,
    _positions,
    _position_cases,
    "Half of the buckets of a direction are for one distance each. The other half are for ranges of distances, with a "
    "logarithm.",
    examples=[((-9, 0, 9), True), ((-9, 0, 9), False), ((-200, -20, -3, 200), True), ((-200, -20), False)],
    wrong=(
        (
            lambda relative_position, bidirectional: t5.buckets(relative_position, True),
            "A decoder has all 32 buckets for the keys before the query. All keys after the query have bucket 0.",
        ),
        (
            lambda relative_position, bidirectional: t5.buckets(relative_position, False),
            "An encoder has 16 buckets for each direction. Add 16 to the bucket of a key after the query.",
        ),
        (
            lambda relative_position, bidirectional: t5.buckets(-relative_position, bidirectional),
            "A relative position is the key's position minus the query's. It is positive for a key after the query.",
        ),
        (
            lambda relative_position, bidirectional: _by_formula(relative_position, bidirectional, lambda x: x.round()),
            "The logarithmic part is rounded down, not to the nearest integer.",
        ),
        (
            lambda relative_position, bidirectional: _by_formula(relative_position, bidirectional, lambda x: x, 99),
            "All distances from 128 on share the last bucket of their direction.",
        ),
    ),
)


# The bias.


def _bias_arguments(queries: int, more: int, heads: int, bidirectional: bool, seed: int) -> tuple[Any, ...]:
    return random_tensors(seed)(32, heads), queries, queries + more, bidirectional


def _bias_cases() -> Strategy:
    return st.tuples(
        st.integers(1, 4), st.sampled_from((0, 1, 3, 12)), st.integers(1, 3), st.booleans(), st.sampled_from(SEEDS)
    )


def _places(queries: int, keys: int, first: int) -> Tensor:
    return torch.arange(keys) - torch.arange(first, first + queries)[:, None]


t5_bias = tensor_check(
    t5.bias,
    _bias_arguments,
    _bias_cases,
    "Compute all relative positions, look up the row of each bucket in the table, and move the heads to the second "
    "dimension.",
    examples=[(2, 0, 2, True, 0), (1, 3, 2, False, 1), (3, 12, 2, True, 2)],
    watched={
        **tiny.watched(
            lambda: (
                tiny.weights()["encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"],
                *tiny.batch()["input_ids"].shape[1:] * 2,
                True,
            ),
            "encoder.block.0.self_attention.bias",
        ),
        **tiny.watched(
            lambda: (
                tiny.weights()["decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"],
                *tiny.batch()["labels"].shape[1:] * 2,
                False,
            ),
            "decoder.block.0.self_attention.bias",
        ),
    },
    wrong=(
        (
            lambda table, queries, keys, bidirectional: table[
                t5.buckets(_places(queries, keys, 0), bidirectional)
            ].permute(2, 0, 1)[None],
            "If there are fewer queries than keys, the queries are the last positions, not the first ones.",
        ),
        (
            lambda table, queries, keys, bidirectional: table[
                t5.buckets(-_places(queries, keys, keys - queries), bidirectional)
            ].permute(2, 0, 1)[None],
            "The relative position is the key's position minus the query's, in this order.",
        ),
        (
            lambda table, queries, keys, bidirectional: t5.bias(table, queries, keys, bidirectional).permute(
                0, 2, 3, 1
            ),
            "The shape is (1, heads, queries, keys). A lookup has the heads last, so move them.",
        ),
        (
            lambda table, queries, keys, bidirectional: t5.bias(table, queries, keys, True),
            "Give `bidirectional` to the function of step 3: the decoder has other buckets than the encoder.",
        ),
        (
            lambda table, queries, keys, bidirectional: table[
                _places(queries, keys, keys - queries).abs().clamp(max=31)
            ].permute(2, 0, 1)[None],
            "The table has a row for each bucket, not for each distance.",
        ),
    ),
)
