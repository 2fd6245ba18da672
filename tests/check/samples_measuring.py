"""Right and wrong programs for the exercises of lesson 22."""

from __future__ import annotations

import functools
import math
import statistics
from collections.abc import Callable
from typing import Any

from tests.check.known_wrong import known
from tokenlab.check.exercises import measuring as exercises
from tokenlab.misconceptions import measuring as wrong
from tokenlab.misconceptions.catalog import rule_of


def growth_1(size: Any, time: Any, larger_size: Any, longer_time: Any) -> Any:
    return math.log(longer_time / time) / math.log(larger_size / size)


def growth_2(size: Any, time: Any, larger_size: Any, longer_time: Any) -> Any:
    return math.log(longer_time / time, larger_size / size)


def growth_3(size: Any, time: Any, larger_size: Any, longer_time: Any) -> Any:
    return (math.log2(longer_time) - math.log2(time)) / (math.log2(larger_size) - math.log2(size))


def cached_1(words: Any, encode: Any) -> Any:
    known = {word: encode(word) for word in set(words)}
    return [token for word in words for token in known[word]]


def cached_2(words: Any, encode: Any) -> Any:
    encode, tokens = functools.cache(encode), []
    for word in words:
        tokens += encode(word)
    return tokens


def cached_3(words: Any, encode: Any) -> Any:
    known: dict[Any, Any] = {}
    for word in words:
        if known.get(word) is None:
            known[word] = encode(word)
    return tuple(token for word in words for token in known[word])


def ratio_1(first: Any, second: Any) -> Any:
    return statistics.median(two / one for (_, one), (_, two) in zip(first, second, strict=True))


def ratio_2(first: Any, second: Any) -> Any:
    ratios = sorted(second[turn][1] / first[turn][1] for turn in range(len(first)))
    return ratios[len(ratios) // 2]


def ratio_3(first: Any, second: Any) -> Any:
    ratios = []
    for one, two in zip(first, second, strict=True):
        ratios.append(two[-1] / one[-1])
    return statistics.median_low(ratios)


VARIANTS: dict[str, list[Callable[..., Any]]] = {
    "growth_exponent": [growth_1, growth_2, growth_3],
    "cached_tokens": [cached_1, cached_2, cached_3],
    "median_ratio": [ratio_1, ratio_2, ratio_3],
}

WRONG: dict[str, list[Any]] = {
    "growth_exponent": [
        (wrong.ratio_of_times, "So k is a quotient of two logarithms", 40),
        (
            lambda size, time, larger_size, longer_time: (longer_time - time) / (larger_size - size),
            "not differences",
            40,
        ),
        (lambda *given: round(growth_1(*given)), "Do not round", 40),
    ],
    "cached_tokens": [
        (wrong.encode_every_word, rule_of(wrong.encode_every_word), 40),
        (exercises._last_word_only, "not only of the last one", 40),
        known(exercises.cached_tokens, "also the second one", 40),
    ],
    "median_ratio": [
        (wrong.ratio_with_set_up, rule_of(wrong.ratio_with_set_up), 100),
        (wrong.ratio_of_means, rule_of(wrong.ratio_of_means), 100),
        (lambda first, second: ratio_1(second, first), "so its time is the divisor", 100),
        (
            lambda first, second: (
                statistics.median(two for _, two in second) / statistics.median(one for _, one in first)
            ),
            "before you take the median",
            100,
        ),
        (lambda first, second: min(two[1] / one[1] for one, two in zip(first, second, strict=True)), "one turn", 100),
    ],
}

CAUGHT: dict[str, Any] = {}
RIGHT: dict[str, tuple[Any, ...]] = {"knock_out_shares": (0.4, -0.2, 50 / 30)}
NOT_RIGHT: list[tuple[str, tuple[Any, ...], str]] = [
    ("knock_out_shares", (0.667, -0.2, 1.67), "The share of the offsets is not 0.667."),
    ("knock_out_shares", (0.4, 0.2, 1.67), "The share of the cache is not 0.2."),
    ("knock_out_shares", (0.4, -0.2, 0.6), "The factor without offsets is not 0.6."),
]
SHOWS: dict[Any, list[tuple[Any, ...]]] = {wrong.warm_cache_cost: [(["the", "cat"], 3), (["a"], 2), (["a", "a"], 100)]}
DOES_NOT: dict[Any, list[tuple[Any, ...]]] = {wrong.warm_cache_cost: [(["the", "cat"], 1), ([], 3)]}
