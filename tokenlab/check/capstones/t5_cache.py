"""Checks of the second capstone: the KV cache of a sublayer and of the decoder, and its order in beam search."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from tokenlab.check import strategies as inputs
from tokenlab.check.capstones import t5_beams
from tokenlab.check.capstones import t5_values as tiny
from tokenlab.check.capstones.t5_parts import SEEDS, sizes
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.tensor_check import Watched, random_ids, random_tensors, tensor_check
from tokenlab.minimal import t5

# A self-attention sublayer with a cache.


def _cached_arguments(batch: int, cached: int, d_model: int, heads: int, d_kv: int, seed: int) -> tuple[Any, ...]:
    tensor = random_tensors(seed + 100)
    w, cached = tiny.attention_weights(seed, d_model, heads * d_kv), cached - 1
    cache = tensor(batch, heads, cached, d_kv), tensor(batch, heads, cached, d_kv)
    return tensor(batch, 1, d_model), w, heads, tensor(1, heads, 1, cached + 1), cache


def _tiny_cache(number: int, read: int | None = -1) -> tuple[Tensor, Tensor]:
    """Return the keys and values of a self-attention sublayer, by default without the last position."""
    keys, values = (tiny.seen()[f"decoder.block.{number}.self_attention.{name}"] for name in ("keys", "values"))
    return keys[:, :, :read], values[:, :, :read]


def _last_position(number: int) -> dict[str, Watched]:
    block = f"decoder.block.{number}"
    name = f"{block}.self_attention.output"

    def before() -> Tensor:
        return tiny.seen()[f"decoder.block.{number - 1}.output" if number else "decoder.embedded"][:, -1:]

    def arguments() -> tuple[Any, ...]:
        added = tiny.seen()["decoder.block.0.self_attention.bias"][:, :, -1:]
        return before(), tiny.sublayer(f"{block}.layer.0"), tiny.config()["num_heads"], added, _tiny_cache(number)

    return {name: Watched(arguments, lambda: (before() + tiny.seen()[name][:, -1:], _tiny_cache(number, None)))}


def _cached(x: Tensor, w: t5.Weights, heads: int, added: Tensor, cache: Any, **changed: Any) -> Any:
    """Return the cached sublayer's output and its cache with one changed rule."""
    normed = t5.rms_norm(x, w["layer_norm"])
    q, k, v = (t5.split_heads(normed @ w[name].T, heads) for name in "qkv")
    if changed.get("swapped"):
        both = torch.cat([k, cache[0]], 2), torch.cat([v, cache[1]], 2)
    elif "dim" in changed:
        both = torch.cat([cache[0], k], changed["dim"]), torch.cat([cache[1], v], changed["dim"])
    else:
        both = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
    used = (k, v) if changed.get("alone") else both
    added = added[..., -1:] if changed.get("alone") else 0 * added if changed.get("unbiased") else added
    output = x + t5.attention(q, *used, added) @ w["o"].T
    return output, (cache if changed.get("forgets") else both)


t5_cached_sublayer = tensor_check(
    t5.cached_sublayer,
    _cached_arguments,
    lambda: sizes(2, 3, 3, 2, 2),
    "Append the new keys and values to those of the cache, along the length. Attend to all of them. Return the output "
    "and the new cache.",
    examples=[(1, 1, 2, 1, 2, 0), (2, 3, 4, 2, 2, 1)],
    watched={**_last_position(0), **_last_position(1)},
    wrong=(
        (
            lambda *given: _cached(*given, swapped=True),
            "The cached keys and values come first, and the new ones come last.",
        ),
        (
            lambda *given: _cached(*given, dim=1),
            "Keys have the shape (batch, heads, length, d_kv): append along the length, which is dimension 2.",
        ),
        (
            lambda *given: _cached(*given, alone=True),
            "The new token also attends to the cached keys and values.",
        ),
        (lambda *given: _cached(*given, unbiased=True), "`added` is added to the scores, as without a cache."),
        (lambda *given: _cached(*given, forgets=True), "The returned cache contains the new keys and values."),
        (lambda *given: _cached(*given)[0], "Return a pair: the output, and the new cache (keys, values)."),
    ),
)


# The decoder with a cache.


def _step_arguments(rows: int, cached: int, layers: int, heads: int, d_kv: int, seed: int) -> tuple[Any, ...]:
    weights, config = tiny.random_t5(seed, layers, heads, d_kv)
    tensor, (_, mask) = random_tensors(seed), tiny.random_sources(seed, rows, 3)
    cache = [(tensor(rows, heads, cached - 1, d_kv), tensor(rows, heads, cached - 1, d_kv)) for _ in range(layers)]
    return random_ids(seed + 1, 9, rows, 1), cache, tensor(rows, 3, 4), mask, weights, config


def _step_cases() -> Strategy:
    return st.tuples(*(st.integers(1, most) for most in (2, 4, 2, 2, 2)), st.sampled_from(SEEDS))


def _tiny_step() -> tuple[Any, ...]:
    layers = range(tiny.config()["num_decoder_layers"])
    batch = tiny.batch()
    encoded, mask = tiny.seen()["encoder.output"], batch["attention_mask"]
    return batch["decoder_input_ids"][:, -1:], [*map(_tiny_cache, layers)], encoded, mask, tiny.weights(), tiny.config()


def _logits_of_step() -> tuple[Any, ...]:
    layers = range(tiny.config()["num_decoder_layers"])
    return tiny.seen()["logits"][:, -1], [_tiny_cache(number, None) for number in layers]


def _stepped(
    ids: Tensor, cache: Any, encoded: Tensor, attention_mask: Tensor, weights: Any, config: Any, **changed: Any
) -> Any:
    """Return the logits of the newest position and the cache with one changed rule."""
    x, heads, new = weights["shared.weight"][ids], config["num_heads"], []
    table = weights["decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"]
    keys = cache[0][0].shape[2] + 1
    added = t5.bias(table, 1, 1 if changed.get("restarts") else keys, False)
    for n in range(config["num_decoder_layers"]):
        w = [t5.sublayer_weights(weights, f"decoder.block.{n}.layer.{part}") for part in range(3)]
        x, pair = t5.cached_sublayer(x, w[0], heads, added, cache[0 if changed.get("first_cache") else n])
        x = t5.cross_attention_sublayer(x, encoded, w[1], heads, t5.padding_mask(attention_mask))
        x = t5.feed_forward_sublayer(x, w[2])
        new.append(pair)
    x = t5.rms_norm(x, weights["decoder.final_layer_norm.weight"]) if changed.get("final", True) else x
    logits = x @ weights["shared.weight"].T * (1 if changed.get("unscaled") else x.shape[-1] ** -0.5)
    return logits if changed.get("all_positions") else logits[:, -1], cache if changed.get("forgets") else new


t5_cached_logits = tensor_check(
    t5.cached_logits,
    _step_arguments,
    _step_cases,
    "The new token is the only query. It is the last position, after all cached ones. Each layer has its own cache. "
    "After the final norm, compute the tied logits.",
    examples=[(1, 1, 1, 1, 2, 0), (2, 3, 2, 2, 2, 1)],
    watched={"logits": Watched(_tiny_step, _logits_of_step)},
    wrong=(
        (
            lambda *given: _stepped(*given, restarts=True),
            "The new token has a bias for each cached key. With n cached keys, there are n + 1 keys and 1 query.",
        ),
        (lambda *given: _stepped(*given, first_cache=True), "Layer n uses cache n."),
        (lambda *given: _stepped(*given, forgets=True), "Return the new cache, not the one that was given."),
        (lambda *given: _stepped(*given, unscaled=True), "The logits are those of step 13, with the factor."),
        (lambda *given: _stepped(*given, final=False), "A final RMS norm follows the last layer."),
        (
            lambda *given: _stepped(*given, all_positions=True),
            "The logits of one position have the shape (batch, vocab_size).",
        ),
    ),
    tried=40,
)


# The order of the cache.


def _cache_and_parents(layers: int, rows: int, length: int, seed: int, shift: int) -> tuple[Any, ...]:
    tensor = random_tensors(seed)
    cache = [(tensor(rows, 1, length, 2), tensor(rows, 1, length, 2)) for _ in range(layers)]
    return cache, [(shift + (row * row + row) // 2) % rows for row in range(rows)]


def _reorder_cases() -> Strategy:
    return st.tuples(
        st.integers(1, 2), st.integers(1, 4), st.integers(1, 3), st.sampled_from(SEEDS), inputs.sampled(1, 0, 2)
    )


def _inverse(cache: Any, parents: Any) -> Any:
    def moved(tensor: Tensor) -> Tensor:
        return torch.zeros_like(tensor).index_copy(0, torch.tensor(parents), tensor)

    return [(moved(keys), moved(values)) for keys, values in cache]


t5_reorder = tensor_check(
    t5_beams.reorder_cache,
    _cache_and_parents,
    _reorder_cases,
    "Row i of each tensor becomes the old row `parents[i]`.",
    examples=[(1, 2, 1, 0, 1), (2, 3, 2, 1, 1)],
    wrong=(
        (
            lambda cache, parents: [*cache],
            "Beam i continues beam `parents[i]`, so it needs that beam's keys and values.",
        ),
        (_inverse, "Row i is taken from row `parents[i]`. It is not moved to that row."),
        (
            lambda cache, parents: [(keys[parents], values) for keys, values in cache],
            "Keys and values are both reordered.",
        ),
        (
            lambda cache, parents: [*t5_beams.reorder_cache(cache[:1], parents), *cache[1:]],
            "The caches of all layers are reordered.",
        ),
    ),
)
