"""Checks of the second capstone: the KV cache of a sublayer and of the decoder, and its order in beam search."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor

from tokenlab.check import strategies as inputs
from tokenlab.check.capstones import t5_values as tiny
from tokenlab.check.capstones.t5_search import reorder_cache
from tokenlab.check.capstones.t5_values import SEEDS, sizes, with_rules
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


def _appended(**rules: Any) -> Any:
    """Return the sublayer with another function in place of `torch.cat`."""
    return with_rules(t5.cached_sublayer, torch=SimpleNamespace(**rules))


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
            _appended(cat=lambda pair, dim: torch.cat(pair[::-1], dim)),
            "The cached keys and values come first, and the new ones come last.",
        ),
        (
            _appended(cat=lambda pair, dim: torch.cat(pair, 1)),
            "Keys have the shape (batch, heads, length, d_kv): append along the length, which is dimension 2.",
        ),
        (
            lambda x, w, heads, added, cache: (
                t5.self_attention_sublayer(x, w, heads, added[..., -1:]),
                t5.cached_sublayer(x, w, heads, added, cache)[1],
            ),
            "The new token also attends to the cached keys and values.",
        ),
        (
            lambda x, w, heads, added, cache: t5.cached_sublayer(x, w, heads, 0 * added, cache),
            "`added` is added to the scores, as without a cache.",
        ),
        (
            lambda *given: (t5.cached_sublayer(*given)[0], given[-1]),
            "The returned cache contains the new keys and values.",
        ),
        (lambda *given: t5.cached_sublayer(*given)[0], "Return a pair: the output, and the new cache (keys, values)."),
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


def _logits(**rules: Any) -> Any:
    return with_rules(t5.cached_logits, extend=with_rules(t5.extend, **rules))


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
            _logits(bias=lambda table, queries, keys, bidirectional: t5.bias(table, 1, 1, bidirectional)),
            "The new token has a bias for each cached key. With n cached keys, there are n + 1 keys and 1 query.",
        ),
        (lambda ids, cache, *given: t5.cached_logits(ids, cache[:1] * len(cache), *given), "Layer n uses cache n."),
        (
            lambda ids, cache, *given: (t5.cached_logits(ids, cache, *given)[0], cache),
            "Return the new cache, not the one that was given.",
        ),
        (
            with_rules(t5.cached_logits, tied_logits=lambda x, table: x @ table.T),
            "The logits are those of step 13, with the factor.",
        ),
        (_logits(rms_norm=lambda x, weight: x), "A final RMS norm follows the last layer."),
        (
            with_rules(t5.cached_logits, tied_logits=lambda x, table: t5.tied_logits(x, table)[:, None]),
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
    reorder_cache,
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
            lambda cache, parents: [*reorder_cache(cache[:1], parents), *cache[1:]],
            "The caches of all layers are reordered.",
        ),
    ),
)
