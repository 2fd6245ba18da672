"""Repeated sampling from one distribution: random numbers fall into the intervals of tokens between 0 and 1.

Adds: the count of each token, its expected value and its standard deviation.
Leaves out: the source of the distribution.

>>> print(count_samples.record({"a": 0.75, "b": 0.25}, draws=100, seed=1))
1. draw 1 is 0.134, in the interval of a; so far: a 1
2. draw 2 is 0.847, in the interval of b; so far: a 1, b 1
3. draw 5 is 0.495, in the interval of a; so far: a 3, b 2
4. draw 10 is 0.028, in the interval of a; so far: a 7, b 3
5. draw 20 is 0.031, in the interval of a; so far: a 13, b 7
6. draw 50 is 0.670, in the interval of a; so far: a 37, b 13
7. draw 100 is 0.426, in the interval of a; so far: a 73, b 27
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Generator, Mapping
from itertools import accumulate
from math import sqrt
from random import Random

from tokenlab.printing import errors
from tokenlab.printing.printable import Parts, SymbolPart
from tokenlab.steps.recording import step, stepwise

NUM_SHOWN = 4  # tokens whose counts a step's text names


@step
class CountsRecorded:
    """The counts after a number of draws."""

    draws: int
    number: float  # the random number of the last draw
    token: str  # the token of the last draw
    counts: dict[str, int]

    def sentence(self) -> Parts:
        """Name the interval of the last number, and the highest counts."""
        most = Counter(self.counts).most_common(NUM_SHOWN)
        drawn: Parts = [f"draw {self.draws:,} is {self.number:.3f}, in the interval of ", SymbolPart(self.token, "new")]
        counts: Parts = [part for token, count in most for part in (", ", SymbolPart(token), f" {count:,}")]
        return [*drawn, "; so far: ", *counts[1:]]


@stepwise
def count_samples(
    distribution: Mapping[str, float], draws: int = 1000, seed: int = 0
) -> Generator[CountsRecorded, None, dict[str, int]]:
    """Return the count of each token that is drawn at least once.

    Args:
        distribution: the probability of each token; they are scaled to sum to 1.
        draws: the number of draws.
        seed: the random seed.

    Raises:
        ValueError: no token has a probability above 0, one is negative, or draws is below 1.
    """
    draws = errors.check_integer("draws", draws, at_least=1)
    intervals = cumulative_intervals(distribution)
    ends = [end for _, _, end in intervals]
    random, counts, stops = Random(seed), Counter[str](), checkpoints(draws)
    for made in range(1, draws + 1):
        number = random.random()
        # subtle: rounding may end the last interval below 1.
        token, *_ = intervals[bisect(ends, number, hi=len(ends) - 1)]
        counts[token] += 1
        if made in stops:
            yield CountsRecorded(made, number, token, dict(counts))
    return dict(counts)


def cumulative_intervals(distribution: Mapping[str, float]) -> list[tuple[str, float, float]]:
    """Return the interval of each token between 0 and 1: (token, start, end).

    Raises:
        ValueError: the probabilities are not a distribution.

    >>> cumulative_intervals({"a": 3, "b": 1, "c": 0})
    [('a', 0.0, 0.75), ('b', 0.75, 1.0)]
    """
    for token, probability in distribution.items():
        if not 0 <= probability < float("inf"):
            raise ValueError(f"distribution gives {token!r} the probability {probability}; it should be 0 or more")
    total = sum(distribution.values())
    if not total:
        raise ValueError("distribution has no token with a probability above 0; give at least one")
    possible = {token: probability / total for token, probability in distribution.items() if probability}
    ends = list(accumulate(possible.values()))
    return list(zip(possible, [0.0, *ends], ends, strict=False))


def mean_and_std(probability: float, draws: int) -> tuple[float, float]:
    """Return the mean and the standard deviation of the count of a token with this probability.

    >>> mean_and_std(0.5, 100)
    (50.0, 5.0)
    """
    return draws * probability, sqrt(draws * probability * (1 - probability))


def checkpoints(draws: int) -> list[int]:
    """Return the numbers of draws at which a step is recorded: 1, 2, 5, 10 ... and the last.

    >>> checkpoints(30)
    [1, 2, 5, 10, 20, 30]
    """
    candidates = (first * 10**power for power in range(len(str(draws))) for first in (1, 2, 5))
    return [*(number for number in candidates if number < draws), draws]
