"""Checks of the second capstone: heads, attention and masks."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from tokenlab.check import strategies as inputs
from tokenlab.check.capstones import t5_values as tiny
from tokenlab.check.capstones.t5_parts import sizes
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.tensor_check import Watched, random_tensors, tensor_check
from tokenlab.minimal import t5

# Heads.


def _projected(batch: int, length: int, heads: int, d_kv: int, seed: int) -> tuple[Tensor, int]:
    return random_tensors(seed)(batch, length, heads * d_kv), heads


def _encoder_projection(name: str) -> Any:
    layer = "encoder.block.0.layer.0"

    def arguments() -> tuple[Tensor, int]:
        w = tiny.sublayer(layer)
        return t5.rms_norm(tiny.seen()["encoder.embedded"], w["layer_norm"]) @ w[name].T, tiny.config()["num_heads"]

    return arguments


t5_split = tensor_check(
    t5.split_heads,
    _projected,
    lambda: sizes(2, 3, 3, 3),
    "Split the last dimension into heads and d_kv. Then exchange the dimensions of the length and the heads.",
    examples=[(1, 2, 2, 1, 0), (2, 3, 2, 4, 1)],
    watched=tiny.watched(_encoder_projection("q"), "encoder.block.0.self_attention.queries"),
    wrong=(
        (
            lambda x, heads: x.reshape(x.shape[0], heads, x.shape[1], -1),
            "A reshape alone mixes positions. Split the last dimension first, and then exchange two dimensions.",
        ),
        (
            lambda x, heads: x.reshape(*x.shape[:2], -1, heads).permute(0, 3, 1, 2),
            "The first d_kv numbers of a vector belong to head 0, the next d_kv numbers to head 1.",
        ),
        (
            lambda x, heads: x.reshape(*x.shape[:2], heads, -1),
            "The heads are the second dimension, before the length.",
        ),
    ),
)


# Attention.


def _heads(batch: int, heads: int, queries: int, keys: int, d_kv: int, seed: int) -> tuple[Tensor, ...]:
    tensor = random_tensors(seed)
    return (
        tensor(batch, heads, queries, d_kv),
        tensor(batch, heads, keys, d_kv),
        tensor(batch, heads, keys, d_kv),
        tensor(1, heads, queries, keys),
    )


def _tiny_attention(layer: str) -> Any:
    def arguments() -> tuple[Tensor, ...]:
        return tuple(tiny.seen()[f"{layer}.{name}"] for name in ("queries", "keys", "values", "added"))

    return arguments


def _joined(heads: Tensor) -> Tensor:
    return heads.transpose(1, 2).flatten(2)


def _weighted_values(layer: str) -> dict[str, Watched]:
    name = f"{layer}.weighted_values"
    return {name: Watched(_tiny_attention(layer), lambda: _joined(tiny.seen()[name]))}


t5_attention = tensor_check(
    lambda q, k, v, added: t5.attention(q, k, v, added),
    _heads,
    lambda: sizes(2, 2, 3, 3, 3),
    "The weights are the softmax of the scores plus `added`, over the keys. The output is the weighted sum of the "
    "values, with the heads side by side.",
    examples=[(1, 1, 1, 2, 2, 0), (2, 2, 3, 4, 2, 1)],
    watched={
        **_weighted_values("encoder.block.0.self_attention"),
        **_weighted_values("decoder.block.1.self_attention"),
        **_weighted_values("decoder.block.1.cross_attention"),
    },
    wrong=(
        (
            lambda q, k, v, added: t5.attention(q / q.shape[-1] ** 0.5, k, v, added),
            "A T5 does not divide the scores by the square root of d_kv.",
        ),
        (
            lambda q, k, v, added: _joined((q @ k.transpose(2, 3) + added).softmax(2) @ v),
            "The softmax is over the keys, the last dimension: the weights of each query sum to 1.",
        ),
        (
            lambda q, k, v, added: t5.attention(q, k, v, 2 * added),
            "`added` is added to the scores once, not twice.",
        ),
        (
            lambda q, k, v, added: _joined(((q @ k.transpose(2, 3)).softmax(-1) + added) @ v),
            "`added` is added before the softmax.",
        ),
        (lambda q, k, v, added: t5.attention(q, k, v, 0 * added), "`added` is added to the scores."),
        (
            lambda q, k, v, added: ((q @ k.transpose(2, 3) + added).softmax(-1) @ v).reshape(
                q.shape[0], q.shape[2], -1
            ),
            "Exchange heads and queries before you join the last two dimensions.",
        ),
        (
            lambda q, k, v, added: ((q @ k.transpose(2, 3) + added).softmax(-1) @ v).permute(0, 2, 3, 1).flatten(2),
            "In the joined vector, all numbers of head 0 come first, and then those of head 1.",
        ),
    ),
)


# Masks.


def _filled(length: int, visible: Any) -> Tensor:
    at = torch.arange(length)
    return torch.where(visible(at, at[:, None]), 0.0, t5.LOWEST)[None, None]


t5_causal_mask = tensor_check(
    t5.causal_mask,
    lambda length: (length,),
    lambda: st.tuples(st.integers(1, 6)),
    "A row is a query and a column is a key. The mask is 0 for a key that is not later than its query, and the lowest "
    "float elsewhere.",
    examples=[(1,), (2,), (5,)],
    watched=tiny.watched(lambda: (tiny.batch()["labels"].shape[1],), "decoder.block.0.self_attention.mask"),
    wrong=(
        (
            lambda length: t5.causal_mask(length) * 2,
            "Use the lowest float, not minus infinity.",
        ),
        (
            lambda length: _filled(length, lambda key, query: key < query),
            "A query also attends to its own position: the diagonal is 0.",
        ),
        (
            lambda length: _filled(length, lambda key, query: key >= query),
            "Rows are queries: the hidden keys are above the diagonal.",
        ),
        (
            lambda length: (t5.causal_mask(length) == 0).float(),
            "The mask is added to the scores: 0 changes nothing, and the lowest float hides a key.",
        ),
        (
            lambda length: _filled(length, lambda key, query: key - query < length),
            "Later keys are hidden.",
        ),
        (lambda length: t5.causal_mask(length)[0, 0], "The shape is (1, 1, length, length)."),
    ),
)


def _mask_rows(*rows: tuple[int, ...]) -> tuple[Tensor]:
    return (torch.tensor(rows),)


def _row_cases() -> Strategy:
    row = st.integers(1, 4).flatmap(
        lambda length: st.lists(
            st.lists(inputs.sampled(1, 0), min_size=length, max_size=length).map(tuple), min_size=1, max_size=2
        )
    )
    return row.map(tuple)


t5_padding_mask = tensor_check(
    t5.padding_mask,
    _mask_rows,
    _row_cases,
    "The mask is 0 for a token and the lowest float for padding. It has the shape (batch, 1, 1, keys).",
    examples=[((1, 0),), ((1, 1, 1), (1, 0, 0))],
    watched=tiny.watched(lambda: (tiny.batch()["attention_mask"],), "encoder.block.0.self_attention.mask"),
    wrong=(
        (
            lambda attention_mask: attention_mask[:, None, None].float(),
            "The mask is added to the scores: a token needs 0, and padding needs the lowest float.",
        ),
        (
            lambda attention_mask: t5.padding_mask(attention_mask) * 2,
            "Use the lowest float, not minus infinity.",
        ),
        (lambda attention_mask: t5.padding_mask(1 - attention_mask), "The attention mask has 1 for a token."),
        (
            lambda attention_mask: t5.padding_mask(attention_mask)[:, 0, 0],
            "The mask needs dimensions for the heads and the queries, each of size 1.",
        ),
        (
            lambda attention_mask: t5.padding_mask(attention_mask).transpose(2, 3),
            "Keys are hidden, not queries: the keys are the last dimension.",
        ),
    ),
)
