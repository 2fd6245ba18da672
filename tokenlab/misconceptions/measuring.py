"""Misconceptions about measuring time, each as a program.

>>> warm_cache_cost(["the", "cat", "the"], 1), warm_cache_cost(["the", "cat", "the"], 3)
(2, 0)
>>> share_of_rest(50, 40), ratio_of_times(10, 1, 20, 4)
(0.25, 2.0)
>>> ratio_with_set_up([(9, 1)], [(9, 9)]), ratio_of_means([(0, 1), (0, 1), (0, 4)], [(0, 1), (0, 1), (0, 1)])
(1.8, 0.5)
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import Any

from tokenlab.misconceptions.misconception import Misconception

Turns = Sequence[tuple[float, float]]  # the times of set-up and of the run, in each turn


def warm_cache_cost(words: Sequence[str], repeats: int) -> int:
    """Return the median number of words that a run encodes, if all runs share one cache."""
    cache: set[str] = set()
    costs = []
    for _ in range(repeats):
        costs.append(len({*words} - cache))
        cache |= {*words}
    return statistics.median_low(costs)


def share_of_rest(whole: float, without: float) -> float:
    """Return the saved time as a share of the time without the part."""
    return (whole - without) / without


def ratio_of_times(size: float, time: float, larger_size: float, longer_time: float) -> float:
    """Return by which factor the time grows more than the size."""
    return (longer_time / time) / (larger_size / size)


def ratio_with_set_up(first: Turns, second: Turns) -> float:
    """Return the median ratio of two programs, counting set-up as well."""
    return statistics.median(sum(two) / sum(one) for one, two in zip(first, second, strict=True))


def ratio_of_means(first: Turns, second: Turns) -> float:
    """Return the ratio of the mean times of the runs."""
    return statistics.mean(two[1] for two in second) / statistics.mean(one[1] for one in first)


def encode_every_word(words: Sequence[str], encode: Callable[[str], list[Any]]) -> list[Any]:
    """Return the tokens of all words without a cache."""
    return [token for word in words for token in encode(word)]


MISCONCEPTIONS = [
    Misconception(
        0,
        "a benchmark may use one encoder for all its runs",
        "Create a new encoder before each run. Otherwise, the cache contains the tokens of all words after the first "
        "run, and the later runs encode no word.",
        (warm_cache_cost,),
    ),
    Misconception(
        0,
        "the saved time is a share of the time without the part",
        "The share is the saved time divided by the time of the whole program.",
        (share_of_rest,),
    ),
    Misconception(
        0,
        "the growth exponent is the factor of the times divided by the factor of the sizes",
        "If the size grows by the factor f and the time by the factor g, the exponent k solves f to the power k = g. "
        "So k is a quotient of two logarithms.",
        (ratio_of_times,),
    ),
    Misconception(
        0,
        "set-up is a part of the measured time",
        "The set-up is not a part of the run. Divide only the times of the runs.",
        (ratio_with_set_up,),
    ),
    Misconception(
        0,
        "the ratio of the mean times compares two programs",
        "One slow turn changes a mean. Divide within each turn, and take the median of the ratios.",
        (ratio_of_means,),
    ),
    Misconception(
        0,
        "a cache is useful only if a word repeats immediately",
        "Encode each distinct word once, at its first occurrence. Keep the result for all later occurrences.",
        (encode_every_word,),
    ),
]
