"""Misconceptions about sampling the next token (temperature, top-k, top-p), each as faulty programs.

>>> from tokenlab.algorithms.decoding.filters import top_p_filter
>>> exclude_crossing_token([0.5, 0.3, 0.2], 0.7), top_p_filter([0.5, 0.3, 0.2], 0.7)
((0,), (0, 1))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tokenlab.algorithms.decoding.filters import by_probability, top_p_filter
from tokenlab.algorithms.decoding.next_token import penalized_logit, softmax_with_temperature
from tokenlab.algorithms.vectors import Row, Vector
from tokenlab.misconceptions.misconception import Misconception


def exclude_crossing_token(distribution: Vector, top_p: float) -> tuple[int, ...]:
    """Stop before the cumulative probability exceeds top_p, but always keep the most probable token."""
    cumulative = 0.0
    kept: list[int] = []
    for token in by_probability(distribution):
        cumulative += distribution[token]
        if kept and cumulative > top_p:
            break
        kept.append(token)
    return tuple(sorted(kept))


def temperature_last(scores: Vector, temperature: float, top_p: float) -> tuple[int, ...]:
    """Filter first, by the probabilities without temperature, and apply the temperature to the rest.

    >>> from math import log
    >>> scores = [2 * log(p) for p in (0.35, 0.25, 0.2, 0.15, 0.05)]
    >>> temperature_last(scores, 2.0, 0.7), temperature_first(scores, 2.0, 0.7)
    ((0, 1), (0, 1, 2))
    """
    return top_p_filter(softmax_with_temperature(scores), top_p)


def temperature_first(scores: Vector, temperature: float, top_p: float) -> tuple[int, ...]:
    """Filter by the probabilities after the temperature, which is correct.

    >>> temperature_first([0.0, 0.0], 9.0, 0.5)
    (1,)
    """
    return top_p_filter(softmax_with_temperature(scores, temperature), top_p)


def divide_all_logits(scores: Vector, written: Sequence[int], penalty: float) -> Row:
    """Divide negative logits as well, so that improbable tokens become more probable when repeated.

    >>> divide_all_logits([4.0, -4.0], [0, 1], 2)
    (2.0, -2.0)
    """
    return tuple(score / penalty if token in written else score for token, score in enumerate(scores))


def penalize_each_time(scores: Vector, written: Sequence[int], penalty: float) -> Row:
    """Lower a logit once for each occurrence of the token in the text.

    >>> penalize_each_time([4.0, 4.0], [1, 1], 2)
    (4.0, 1.0)
    """
    times = Counter(written)
    return tuple(penalized_logit(score, penalty ** times[token]) for token, score in enumerate(scores))


MISCONCEPTIONS = [
    Misconception(
        47,
        "the kept tokens have at most top_p together",
        "The nucleus is the smallest set of most probable tokens that has at least top_p together. The token that "
        "reaches top_p is kept.",
        (exclude_crossing_token,),
    ),
    Misconception(
        48,
        "temperature and filters may be applied in any order",
        "Temperature comes before the filters. A filter reads the probabilities that the earlier rules have made.",
        (temperature_last,),
    ),
    Misconception(
        72,
        "a repetition penalty divides",
        "Every token of the generated text gets a lower logit, once. A positive logit is divided by the penalty, and a "
        "negative logit is multiplied by it.",
        (divide_all_logits, penalize_each_time),
    ),
]
