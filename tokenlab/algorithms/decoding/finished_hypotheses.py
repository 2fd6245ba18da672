"""Finished hypotheses: their scores, and the pool in which a beam search keeps the best ones, one for each beam.

Adds: a ranking of texts of different lengths, which differs from the ranking of beams during the search.
Leaves out: the source of hypotheses (`beam_search`), the end of the search and the two ways to count a length
(`stopping_rule`).
Source: transformers 4.26.1, generation/beam_search.py, BeamHypotheses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from tokenlab.printing.errors import check_integer, check_not_empty

Hypothesis: TypeAlias = tuple[tuple[int, ...], float]  # ids and score
Hypotheses: TypeAlias = tuple[Hypothesis, ...]  # in order of arrival


def hypothesis_score(total: float, length: int, length_penalty: float) -> float:
    """Return the score that ranks hypotheses; higher is better.

    Args:
        total: sum of its log-probabilities, which are negative.
        length: at least 1; see `stopping_rule.LengthRule`.
        length_penalty: a value above 0 favours long texts, since a negative sum is divided; below 0, short ones.

    Raises:
        ValueError: the length is below 1.

    >>> hypothesis_score(-6, 3, 1), hypothesis_score(-7, 7, 1), hypothesis_score(-6, 3, 0)
    (-2.0, -1.0, -6.0)
    """
    if length < 1:
        raise ValueError(f"length={length} cannot divide a sum; give the number of ids, at least 1")
    return float(total / length**length_penalty)


def index_of_worst(scores: Sequence[float]) -> int:
    """Return the index of the hypothesis that leaves a pool: the one with the lowest score, the oldest of equals.

    Raises:
        ValueError: there are no scores.

    >>> index_of_worst([-1.0, -2.0, -2.0])
    1
    """
    check_not_empty("scores", scores, "the score of at least one hypothesis")
    return min(range(len(scores)), key=scores.__getitem__)


def add_hypothesis(pool: Hypotheses, hypothesis: Hypothesis, num_beams: int) -> Hypotheses:
    """Return the pool with a hypothesis added; in a full pool it replaces the worst one, if it is better.

    Raises:
        ValueError: num_beams is below 1.

    >>> add_hypothesis((((5,), -2.0), ((6,), -1.0)), ((7,), -1.5), num_beams=2)
    (((6,), -1.0), ((7,), -1.5))
    """
    if len(pool) < check_integer("num_beams", num_beams, at_least=1):
        return (*pool, hypothesis)
    worst = index_of_worst([score for _, score in pool])
    if hypothesis[1] <= pool[worst][1]:
        return pool
    return (*pool[:worst], *pool[worst + 1 :], hypothesis)


def sorted_hypotheses(pool: Hypotheses) -> Hypotheses:
    """Return the hypotheses, best first; of equal scores the latest one first.

    >>> sorted_hypotheses((((5,), -2.0), ((6,), -1.0), ((7,), -1.0)))
    (((7,), -1.0), ((6,), -1.0), ((5,), -2.0))
    """
    return tuple(sorted(pool, key=lambda hypothesis: hypothesis[1])[::-1])
