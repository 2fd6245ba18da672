"""Checks of the second capstone: embedding, RMS norm, buckets, position bias, heads, attention and masks."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from tokenlab.check import strategies as inputs
from tokenlab.check.capstones import t5_values as tiny
from tokenlab.check.capstones.t5_values import SEEDS, sizes, with_rules
from tokenlab.check.exercises.t5_attention import rounding_decides
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.tensor_check import Watched, random_ids, random_tensors, tensor_check
from tokenlab.minimal import t5

# Embedding.


def _ids_and_table(batch: int, length: int, vocab_size: int, d_model: int, seed: int) -> tuple[Tensor, Tensor]:
    return random_ids(seed, vocab_size, batch, length), random_tensors(seed)(vocab_size, d_model)


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
        (
            lambda ids, table: table[ids] + torch.arange(ids.shape[1])[:, None],
            "Nothing is added for the position. A T5 adds a bias to the scores of attention instead.",
        ),
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


def _by_formula(relative_position: Tensor, bidirectional: bool, *, rounded: Any, largest: int = 0) -> Tensor:
    number = 16 if bidirectional else 32
    first = (relative_position > 0) * (number if bidirectional else 0)
    distance = relative_position.abs() if bidirectional else (-relative_position).clamp(min=0)
    half = number // 2
    share = half * torch.log(distance.clamp(min=half) / half) / torch.log(torch.tensor(128 / half))
    shared = half + rounded(share).long()
    return first + torch.where(distance < half, distance, shared.clamp(max=largest or number - 1))


def _later_keys_in_decoder(positions: Tensor, bidirectional: bool, *, absolute: bool, offset: int) -> Tensor:
    """Return the buckets, but in a decoder those of later keys for their absolute distance, or with an offset."""
    later = (positions > 0) & (not bidirectional)
    return t5.buckets(torch.where(later & absolute, -positions, positions), bidirectional) + offset * later


t5_buckets = tensor_check(
    t5.buckets,
    _positions,
    _position_cases,
    "Half of the buckets of a direction are for one distance each. The other half are for ranges of distances, with a "
    "logarithm.",
    examples=[((-9, 0, 9), True), ((-9, 0, 9), False), ((-200, -20, -3, 200), True), ((-200, -20), False)],
    wrong=(
        (
            lambda positions, bidirectional: t5.buckets(positions, True),
            "A decoder has all 32 buckets for the keys before the query. All keys after the query have bucket 0.",
        ),
        (
            lambda positions, bidirectional: t5.buckets(positions, False),
            "An encoder has 16 buckets for each direction. Add 16 to the bucket of a key after the query.",
        ),
        (
            lambda *given: _later_keys_in_decoder(*given, absolute=True, offset=0),
            "In the decoder, the distance of a key after the query is 0, not the absolute value.",
        ),
        (
            lambda positions, bidirectional: t5.buckets(-positions, bidirectional),
            "A relative position is the key's position minus the query's. It is positive for a key after the query.",
        ),
        (
            lambda *given: _by_formula(*given, rounded=lambda x: x.round()),
            "The logarithmic part is rounded down, not to the nearest integer.",
        ),
        (
            lambda *given: _by_formula(*given, rounded=lambda x: x, largest=99),
            "All distances from 128 on share the last bucket of their direction.",
        ),
        (
            lambda *given: _later_keys_in_decoder(*given, absolute=False, offset=16),
            "Add 16 only in the encoder. In the decoder, a key after the query has the bucket 0.",
        ),
        (
            lambda *given: _later_keys_in_decoder(*given, absolute=True, offset=16),
            "In the decoder, the distance of a key after the query is 0. The 16 is added only in the encoder.",
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
            lambda table, queries, keys, bidirectional: t5.bias(table, keys, keys, bidirectional)[:, :, :queries],
            "If there are fewer queries than keys, the queries are the last positions, not the first ones.",
        ),
        (
            with_rules(t5.bias, buckets=lambda positions, bidirectional: t5.buckets(-positions, bidirectional)),
            "The relative position is the key's position minus the query's, in this order.",
        ),
        (
            lambda *given: t5.bias(*given).permute(0, 2, 3, 1),
            "The shape is (1, heads, queries, keys). A lookup has the heads last, so move them.",
        ),
        (
            lambda table, queries, keys, bidirectional: t5.bias(table, queries, keys, True),
            "Give `bidirectional` to the function of step 3: the decoder has other buckets than the encoder.",
        ),
        (
            with_rules(t5.bias, buckets=lambda positions, bidirectional: positions.abs().clamp(max=31)),
            "The table has a row for each bucket, not for each distance.",
        ),
    ),
)


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
        (lambda x, heads: x.reshape(*x.shape[:2], heads, -1), "The heads are the second dimension, before the length."),
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
        (lambda q, k, v, added: t5.attention(q, k, v, 2 * added), "`added` is added to the scores once, not twice."),
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
        (lambda length: t5.causal_mask(length) * 2, "Use the lowest float, not minus infinity."),
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
        (lambda length: _filled(length, lambda key, query: key - query < length), "Later keys are hidden."),
        (lambda length: t5.causal_mask(length)[0, 0], "The shape is (1, 1, length, length)."),
    ),
)


def _mask_rows(*rows: tuple[int, ...]) -> tuple[Tensor]:
    return (torch.tensor(rows),)


def _row_cases() -> Strategy:
    rows = inputs.of_sizes(
        lambda length: st.lists(inputs.of_length(length, inputs.sampled(1, 0)).map(tuple), min_size=1, max_size=2), 4
    )
    return rows.map(tuple)


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
        (lambda attention_mask: t5.padding_mask(attention_mask) * 2, "Use the lowest float, not minus infinity."),
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
