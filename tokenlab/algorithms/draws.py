"""Drawing again and again from one distribution: the line from 0 to 1 is cut by probability, and a number falls on it.

Adds: how often each token is drawn, and how far from what is expected that usually is.
Leaves out: where the distribution comes from.

>>> print(count_draws.record({"a": 0.75, "b": 0.25}, draws=100, seed=1))
1. after 1 draw: a 1
2. after 2 draws: a 1, b 1
3. after 5 draws: a 3, b 2
4. after 10 draws: a 7, b 3
5. after 20 draws: a 13, b 7
6. after 50 draws: a 37, b 13
7. after 100 draws: a 73, b 27
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Generator, Mapping
from itertools import accumulate
from math import sqrt
from random import Random

from tokenlab import errors
from tokenlab.steps import step, stepwise
from tokenlab.visible import visible

SHOWN = 4  # tokens that a sentence counts


@step
class Counted:
    """So many draws were made."""

    draws: int
    number: float  # the last one that fell on the line
    token: str  # and the token whose part of the line it hit
    counts: dict[str, int]

    def __str__(self) -> str:
        """Count the most frequent."""
        most = Counter(self.counts).most_common(SHOWN)
        several = "draw" if self.draws == 1 else "draws"
        return f"after {self.draws} {several}: {', '.join(f'{visible(token)} {count}' for token, count in most)}"


@stepwise
def count_draws(
    distribution: Mapping[str, float], draws: int = 1000, seed: int = 0
) -> Generator[Counted, None, dict[str, int]]:
    """How often each token is drawn; those that never are have no count.

    Args:
        distribution: the probability of each token; they are scaled to sum to one.
        draws: how many are made.
        seed: where chance begins.

    Raises:
        ValueError: no token has a probability above 0, one has a probability below it, or there is nothing to draw.
    """
    draws = errors.whole_number("draws", draws, at_least=1)
    parts = parts_of(distribution)
    ends = [end for _, _, end in parts]
    random, counts, stops = Random(seed), Counter[str](), stops_until(draws)
    for made in range(1, draws + 1):
        number = random.random()
        token = parts[bisect(ends, number, hi=len(ends) - 1)][0]  # subtle: rounding may end the line below 1
        counts[token] += 1
        if made in stops:
            yield Counted(made, number, token, dict(counts))
    return dict(counts)


def parts_of(distribution: Mapping[str, float]) -> list[tuple[str, float, float]]:
    """The line from 0 to 1: each token's part of it, from where to where.

    Raises:
        ValueError: it is no distribution.

    >>> parts_of({"a": 3, "b": 1, "c": 0})
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


def expected(probability: float, draws: int) -> tuple[float, float]:
    """How often something of that probability is drawn on average, and the standard deviation of that.

    >>> expected(0.5, 100)
    (50.0, 5.0)
    """
    return draws * probability, sqrt(draws * probability * (1 - probability))


def stops_until(draws: int) -> list[int]:
    """The numbers of draws at which somebody looks: 1, 2, 5, 10 ... and the last.

    >>> stops_until(30)
    [1, 2, 5, 10, 20, 30]
    """
    ladder = (first * 10**power for power in range(len(str(draws))) for first in (1, 2, 5))
    return [*(number for number in ladder if number < draws), draws]
