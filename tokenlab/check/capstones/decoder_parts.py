"""Checks of the third capstone: norm, rotary positions, attention with shared heads, SwiGLU, layer and logits."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import gelu, silu

from tokenlab.check.capstones import decoder_values as values
from tokenlab.check.capstones.decoder_values import Config, Pair, Weights, layer_weights
from tokenlab.check.capstones.t5_values import SEEDS, sizes, with_rules
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.tensor_check import random_ids, random_tensors, tensor_check
from tokenlab.minimal import decoder

THETA = 100.0

# The norm.


def norm(x: Tensor, weight: Tensor) -> Tensor:
    """Return the RMS norm of the page, with 1e-6."""
    return decoder.rms_norm(x, weight, 1e-6)


def _states(batch: int, length: int, size: int, seed: int, divisor: int) -> tuple[Tensor, Tensor]:
    tensor = random_tensors(seed)
    return tensor(batch, length, size) / divisor, tensor(size)


lm_norm = tensor_check(
    norm,
    _states,
    lambda: st.tuples(sizes(2, 3, 4), st.sampled_from((1, 1000))).map(lambda drawn: (*drawn[0], drawn[1])),
    "Add 1e-6 to the mean of the squares of each vector. Take the square root of this sum, and divide the vector by "
    "it. Then multiply it by the weights.",
    examples=[(1, 1, 2, 0, 1), (2, 3, 4, 1, 1), (1, 2, 2, 2, 1000)],
    wrong=(
        (
            lambda x, weight: norm(x - x.mean(-1, keepdim=True), weight),
            "The mean of the numbers is not subtracted. This is an RMS norm, not a LayerNorm.",
        ),
        (
            lambda x, weight: x / (x.pow(2).sum(-1, keepdim=True) + 1e-6).sqrt() * weight,
            "Take the mean of the squares, not their sum.",
        ),
        (
            lambda x, weight: x / x.pow(2).mean(-1, keepdim=True).sqrt() * weight,
            "Add 1e-6 to the mean, before the square root. Without it, a vector of zeros is divided by 0.",
        ),
        (
            lambda x, weight: x / (x.pow(2).mean() + 1e-6).sqrt() * weight,
            "Each vector is divided by its own root mean square: take the mean over the last dimension, and keep it.",
        ),
        (lambda x, weight: norm(x, torch.ones_like(weight)), "Multiply by the weights, one for each dimension."),
    ),
)


# Rotary positions.


def rotate(x: Tensor, positions: Tensor, theta: float) -> Tensor:
    """Rotate the pairs of (batch, heads, length, head_dim) by the positions (length,)."""
    return decoder.rotate(x, positions[None], theta)


def _rotated(batch: int, heads: int, length: int, pairs: int, start: int, seed: int) -> tuple[Tensor, Tensor, float]:
    return random_tensors(seed)(batch, heads, length, 2 * pairs), start + torch.arange(length), THETA


def _places(*largest: int) -> Strategy:
    """Return a strategy for sizes, the position of the first token and a seed."""
    numbers = (st.integers(1, most) for most in largest)
    return st.tuples(*numbers, st.sampled_from((0, 1, 5)), st.sampled_from(SEEDS))


def _neighbours(x: Tensor, positions: Tensor, theta: float) -> Tensor:
    pairs = rotate(torch.cat([x[..., ::2], x[..., 1::2]], dim=-1), positions, theta)
    return torch.stack(pairs.chunk(2, dim=-1), dim=-1).flatten(-2)


lm_rotate = tensor_check(
    rotate,
    _rotated,
    lambda: _places(2, 2, 3, 2),
    "Pair i consists of the numbers i and i + head_dim / 2. It becomes (a cos - b sin, b cos + a sin) for the angle "
    "position * theta ** (-2 i / head_dim).",
    examples=[(1, 1, 1, 1, 1, 0), (1, 1, 2, 2, 1, 1), (2, 2, 3, 2, 5, 2)],
    wrong=(
        (_neighbours, "The partner of number i is number i + head_dim / 2, not its neighbour."),
        (
            lambda x, positions, theta: rotate(x, -positions, theta),
            "The pair (1, 0) turns towards (0, 1): the first number becomes a cos - b sin.",
        ),
        (
            lambda x, positions, theta: rotate(x, positions + 1, theta),
            "The first position is 0, so its vector does not change.",
        ),
        (
            lambda x, positions, theta: rotate(x, positions, theta**0.5),
            "The exponent is -2 i / head_dim, so the slowest pair has an angle of nearly 1 / theta per position.",
        ),
        (
            lambda x, positions, theta: x + rotate(torch.ones_like(x), positions, theta),
            "Nothing is added to the vector. Its pairs are rotated, so its length stays the same.",
        ),
        (
            lambda x, positions, theta: rotate(x, positions * 0 + positions[:1], theta),
            "Each token is rotated by its own position.",
        ),
        (
            lambda x, positions, theta: torch.cat(rotate(x, positions, theta).chunk(2, dim=-1)[::-1], dim=-1),
            "The rotated first numbers stay in the first half, and the second numbers in the second half.",
        ),
    ),
)


# Which keys are visible.


def visible(queries: int, keys: int) -> Tensor:
    """Return which keys (queries, keys) the last positions see."""
    return decoder.visible_keys(torch.ones(1, keys), queries)[0, 0]


lm_visible = tensor_check(
    visible,
    lambda queries, cached: (queries, queries + cached),
    lambda: st.tuples(st.integers(1, 4), st.integers(0, 4)),
    "The queries are the last positions. Each sees the keys at its own position and before it.",
    examples=[(2, 0), (2, 3), (1, 2)],
    wrong=(
        (lambda queries, keys: torch.ones(queries, keys) > 0, "A key after the query is hidden."),
        (
            lambda queries, keys: torch.arange(keys) <= torch.arange(queries)[:, None],
            "The queries are the last positions: with a cache of 3 keys, the first query is at position 3.",
        ),
        (
            lambda queries, keys: torch.arange(keys) < torch.arange(keys - queries, keys)[:, None],
            "A token also sees itself.",
        ),
        (lambda queries, keys: ~visible(queries, keys), "True means visible. The hidden keys are False."),
    ),
)


# Attention with shared key-value heads.


def attention(q: Tensor, k: Tensor, v: Tensor, visible: Tensor) -> Tensor:
    """Return the attention of the page."""
    return decoder.attention(q, k, v, visible)


def _attended(batch: int, shared: int, queries: int, cached: int, head_dim: int, seed: int) -> tuple[Tensor, ...]:
    tensor, keys = random_tensors(seed), queries + cached - 1
    k, v = (tensor(batch, 2, keys, head_dim) for _ in range(2))
    return tensor(batch, 2 * shared, queries, head_dim), k, v, visible(queries, keys)


def _weighted(q: Tensor, k: Tensor, v: Tensor, weights_of: Any) -> Tensor:
    """Attend with weights that are computed from the scores in another way."""
    k, v = (one.repeat_interleave(q.shape[1] // k.shape[1], dim=1) for one in (k, v))
    joined: Tensor = (weights_of(q @ k.transpose(2, 3)) @ v).transpose(1, 2).flatten(2)
    return joined


def _tiled(q: Tensor, k: Tensor, v: Tensor, visible: Tensor) -> Tensor:
    times = q.shape[1] // k.shape[1]
    return attention(q, k.repeat(1, times, 1, 1), v.repeat(1, times, 1, 1), visible)


def _first_query_of_each_group(q: Tensor, k: Tensor, v: Tensor, visible: Tensor) -> Tensor:
    shared = q.shape[1] // k.shape[1]
    return attention(q[:, ::shared].repeat_interleave(shared, dim=1), k, v, visible)


def _lowest(scores: Tensor, visible: Tensor) -> Tensor:
    return scores.masked_fill(~visible, torch.finfo(scores.dtype).min)


lm_attention = tensor_check(
    attention,
    _attended,
    lambda: sizes(2, 2, 2, 2, 3),
    "Repeat each key-value head for the query heads that share it. Divide the scores by the square root of head_dim, "
    "hide keys with the lowest number, apply the softmax, and multiply by the values. Join the heads.",
    examples=[(1, 1, 1, 2, 2, 0), (1, 2, 2, 1, 2, 1), (2, 2, 3, 2, 4, 2)],
    wrong=(
        (
            _tiled,
            "Query heads that share a key-value head are neighbours: heads 0 and 1 use head 0 if two share it.",
        ),
        (
            lambda q, k, v, visible: attention(q * q.shape[-1] ** 0.5, k, v, visible),
            "Divide the scores by the square root of head_dim. Only a T5 leaves this out.",
        ),
        (
            lambda q, k, v, visible: attention(q / q.shape[-1] ** 0.5, k, v, visible),
            "Divide by the square root of head_dim, and only once.",
        ),
        (lambda q, k, v, visible: attention(q, k, v, visible | True), "A hidden key has the weight 0."),
        (
            lambda q, k, v, visible: _weighted(
                q, k, v, lambda scores: (scores / q.shape[-1] ** 0.5).softmax(-1) * visible
            ),
            "Hide the keys before the softmax, so that the weights of the visible keys have the sum 1.",
        ),
        (
            lambda q, k, v, visible: _weighted(
                q, k, v, lambda scores: _lowest(scores / q.shape[-1] ** 0.5, visible).softmax(-2)
            ),
            "The softmax goes over the keys, the last dimension of the scores.",
        ),
        (
            _first_query_of_each_group,
            "Each head keeps its own queries. Only keys and values are shared.",
        ),
        (
            lambda q, k, v, visible: (
                attention(q, k, v, visible).reshape(len(q), q.shape[2], q.shape[1], -1).transpose(2, 3).flatten(2)
            ),
            "All numbers of head 0 come first, then those of head 1.",
        ),
    ),
)


# The feed-forward part.


def _fed(batch: int, length: int, size: int, wide: int, seed: int) -> tuple[Tensor, ...]:
    tensor = random_tensors(seed)
    return tensor(batch, length, size), tensor(wide, size), tensor(wide, size), tensor(size, wide)


lm_swiglu = tensor_check(
    decoder.swiglu,
    _fed,
    lambda: sizes(2, 2, 3, 3),
    "Multiply x by the transpose of gate and apply SiLU. Also multiply x by the transpose of up. Multiply both "
    "results, number by number. Then multiply by the transpose of down.",
    examples=[(1, 1, 1, 1, 0), (1, 1, 2, 3, 1), (2, 3, 3, 4, 2)],
    wrong=(
        (
            lambda x, gate, up, down: decoder.swiglu(x, up, gate, down),
            "SiLU is applied to the product with gate, not to the product with up.",
        ),
        (
            lambda x, gate, up, down: silu(x @ up.T) @ down.T,
            "Two products are multiplied: one with gate and one with up.",
        ),
        (
            lambda x, gate, up, down: (x @ gate.T).sigmoid() * (x @ up.T) @ down.T,
            "SiLU multiplies the sigmoid of a number by the number itself.",
        ),
        (
            lambda x, gate, up, down: gelu(x @ gate.T) * (x @ up.T) @ down.T,
            "The S of SwiGLU is SiLU, also called Swish. GELU is another function.",
        ),
        (
            lambda x, gate, up, down: (silu(x @ gate.T) + x @ up.T) @ down.T,
            "The gate multiplies. It does not add.",
        ),
    ),
)


# A layer.


def layer(x: Tensor, w: Weights, config: Config, cache: Pair) -> tuple[Tensor, Pair]:
    """Return the output of a layer for new tokens, and the cache with their keys and values."""
    normed, size = norm(x, w["input_layernorm"]), config["head_dim"]
    q, k, v = ((normed @ w[f"{name}_proj"].T).reshape(*x.shape[:2], -1, size).transpose(1, 2) for name in "qkv")
    positions = cache[0].shape[2] + torch.arange(x.shape[1])
    q, k = rotate(q, positions, config["rope_theta"]), rotate(k, positions, config["rope_theta"])
    k, v = torch.cat([cache[0], k], dim=2), torch.cat([cache[1], v], dim=2)
    x = x + attention(q, k, v, visible(x.shape[1], k.shape[2])) @ w["o_proj"].T
    normed = norm(x, w["post_attention_layernorm"])
    return x + decoder.swiglu(normed, w["gate_proj"], w["up_proj"], w["down_proj"]), (k, v)


def _layer_arguments(rows: int, length: int, cached: int, shared: int, pairs: int, seed: int) -> tuple[Any, ...]:
    weights, config = values.random_decoder(seed, 1, shared, pairs)
    [cache] = values.random_cache(seed, config, rows, cached)
    return random_tensors(seed + 9)(rows, length, 4), layer_weights(weights, 0), config, cache


def _lengths(*largest: int) -> Strategy:
    """Return a strategy for a number of texts, of new and of cached tokens, further sizes, and a seed."""
    numbers = (st.integers(1, most) for most in largest)
    return st.tuples(st.integers(1, 2), st.integers(1, 3), st.integers(0, 3), *numbers, st.sampled_from(SEEDS))


def _from_position_0(x: Tensor, w: Weights, config: Config, cache: Pair) -> Any:
    start = cache[0].shape[2]
    return with_rules(layer, rotate=lambda x, positions, theta: rotate(x, positions - start, theta))(
        x, w, config, cache
    )


def _rotated_again(x: Tensor, w: Weights, config: Config, cache: Pair) -> Any:
    """Rotate the keys of the cache once more."""
    places = torch.arange(cache[0].shape[2])
    return layer(x, w, config, (rotate(cache[0], places, config["rope_theta"]), cache[1]))


lm_layer = tensor_check(
    layer,
    _layer_arguments,
    lambda: _lengths(2, 2),
    "Normalize x, make queries, keys and values, rotate queries and keys, append keys and values to the cache, attend, "
    "project with o_proj and add x. Then normalize, apply SwiGLU and add.",
    examples=[(1, 2, 0, 1, 1, 0), (1, 1, 2, 1, 1, 1), (2, 3, 2, 2, 2, 2)],
    wrong=(
        (
            _from_position_0,
            "The new tokens follow the cached ones, so their positions do not begin at 0.",
        ),
        (_rotated_again, "The keys in the cache are already rotated. Rotate the new keys only."),
        (
            with_rules(layer, visible=lambda queries, keys: torch.ones(queries, keys) > 0),
            "Each new token sees the keys up to its own, also in a prefill of several tokens.",
        ),
        (
            lambda x, w, config, cache: (layer(x, w, config, cache)[0], cache),
            "The returned cache contains the new keys and values.",
        ),
        (
            lambda x, w, config, cache: layer(x, w, config, (cache[0][:, :, :0], cache[1][:, :, :0])),
            "The new tokens also attend to the cached keys and values.",
        ),
        (
            with_rules(layer, rotate=lambda x, positions, theta: x),
            "Queries and keys are rotated by their positions.",
        ),
        (
            lambda x, w, config, cache: layer(
                x, {**w, "post_attention_layernorm": w["input_layernorm"]}, config, cache
            ),
            "The second norm has its own weights, post_attention_layernorm.",
        ),
        (
            lambda x, w, config, cache: (layer(x, w, config, cache)[0] - x, layer(x, w, config, cache)[1]),
            "The residual connection adds the hidden states to the output of each half.",
        ),
        (
            lambda x, w, config, cache: layer(x, {**w, "up_proj": 0 * w["up_proj"]}, config, cache),
            "The second half of a layer is SwiGLU.",
        ),
        (lambda *given: layer(*given)[0], "Return a pair: the output, and the new cache (keys, values)."),
    ),
    tried=60,
)


# The model.


def logits(ids: Tensor, weights: Weights, config: Config, cache: list[Pair]) -> tuple[Tensor, list[Pair]]:
    """Return the logits after each of the new ids, and the new cache."""
    x, new = weights["model.embed_tokens.weight"][ids], []
    for n in range(config["num_hidden_layers"]):
        x, pair = layer(x, layer_weights(weights, n), config, cache[n])
        new.append(pair)
    return norm(x, weights["model.norm.weight"]) @ weights["model.embed_tokens.weight"].T, new


def _model_arguments(
    rows: int, length: int, cached: int, layers: int, shared: int, pairs: int, seed: int
) -> tuple[Any, ...]:
    weights, config = values.random_decoder(seed, layers, shared, pairs)
    ids = random_ids(seed + 1, values.VOCAB_SIZE, rows, length)
    return ids, weights, config, values.random_cache(seed, config, rows, cached)


lm_logits = tensor_check(
    logits,
    _model_arguments,
    lambda: _lengths(2, 2, 1),
    "Look up the embeddings, call each layer with its weights and its cache, normalize, and multiply by the transpose "
    "of the table of embeddings.",
    examples=[(1, 2, 0, 1, 1, 1, 0), (1, 1, 2, 2, 1, 1, 1), (2, 3, 2, 2, 2, 2, 2)],
    wrong=(
        (
            lambda ids, weights, config, cache: logits(ids, weights, config, cache[:1] * len(cache)),
            "Layer n uses cache n.",
        ),
        (
            with_rules(logits, layer_weights=lambda weights, n: layer_weights(weights, 0)),
            "Layer n has its own weights.",
        ),
        (
            lambda ids, weights, config, cache: (logits(ids, weights, config, cache)[0], cache),
            "Return the new cache, not the one that was given.",
        ),
        (
            lambda ids, weights, config, cache: logits(
                ids, {**weights, "model.norm.weight": torch.ones(4)}, config, cache
            ),
            "The final norm multiplies by its own weights, model.norm.weight.",
        ),
        (
            lambda ids, weights, config, cache: (
                logits(ids, weights, config, cache)[0] / 2,
                logits(ids, weights, config, cache)[1],
            ),
            "The logits are not divided by the square root of the size, as those of a T5.",
        ),
        (
            lambda ids, weights, config, cache: (
                logits(ids, weights, config, cache)[0].softmax(-1),
                logits(ids, weights, config, cache)[1],
            ),
            "Return logits. The softmax turns them into probabilities later.",
        ),
        (
            lambda ids, weights, config, cache: (
                logits(ids, weights, config, cache)[0][:, -1:],
                logits(ids, weights, config, cache)[1],
            ),
            "Return the logits after each id: training needs all of them.",
        ),
    ),
    tried=40,
)
