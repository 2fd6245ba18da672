"""Three beliefs about choosing the next token that are wrong, each as programs that somebody has written.

>>> from tokenlab.algorithms.top_p import keep_top_p
>>> exclude_crossing_token([0.5, 0.3, 0.2], 0.7), keep_top_p([0.5, 0.3, 0.2], 0.7)
((0,), (0, 1))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tokenlab.algorithms.attention_head import Row, Vector
from tokenlab.algorithms.repetition import lowered
from tokenlab.algorithms.temperature import probabilities
from tokenlab.algorithms.top_p import by_likelihood, keep_top_p
from tokenlab.misconceptions.bpe import Misconception

# 47. Together the kept tokens have at most so much.


def exclude_crossing_token(distribution: Vector, top_p: float) -> tuple[int, ...]:
    """Stop before the share is passed, and keep the likeliest in any case."""
    mass = 0.0
    kept: list[int] = []
    for token in by_likelihood(distribution):
        mass += distribution[token]
        if kept and mass > top_p:
            break
        kept.append(token)
    return tuple(sorted(kept))


# 48. Rules may be applied in any order.


def temperature_last(scores: Vector, temperature: float, top_p: float) -> tuple[int, ...]:
    """Cut first, by probabilities that no temperature has changed yet; what is left is made flatter or steeper then.

    >>> from math import log
    >>> scores = [2 * log(p) for p in (0.35, 0.25, 0.2, 0.15, 0.05)]
    >>> temperature_last(scores, 2.0, 0.7), temperature_first(scores, 2.0, 0.7)
    ((0, 1), (0, 1, 2))
    """
    return keep_top_p(probabilities(scores), top_p)


def temperature_first(scores: Vector, temperature: float, top_p: float) -> tuple[int, ...]:
    """Cut by the probabilities that the temperature has made, which is right.

    >>> temperature_first([0.0, 0.0], 9.0, 0.5)
    (1,)
    """
    return keep_top_p(probabilities(scores, temperature), top_p)


# 72. A repetition penalty divides.


def divide_all_scores(scores: Vector, written: Sequence[int], penalty: float) -> Row:
    """Divide whatever sign a score has, so that what was unlikely becomes likelier by being repeated.

    >>> divide_all_scores([4.0, -4.0], [0, 1], 2)
    (2.0, -2.0)
    """
    return tuple(score / penalty if token in written else score for token, score in enumerate(scores))


def penalize_each_time(scores: Vector, written: Sequence[int], penalty: float) -> Row:
    """Lower a score again for each time that the token stands in the text.

    >>> penalize_each_time([4.0, 4.0], [1, 1], 2)
    (4.0, 1.0)
    """
    times = Counter(written)
    return tuple(lowered(score, penalty ** times[token]) for token, score in enumerate(scores))


MISCONCEPTIONS = [
    Misconception(
        47,
        "together the kept tokens have at most so much",
        "The kept tokens have at least the share together: the one with which it is reached is kept, too.",
        (exclude_crossing_token,),
    ),
    Misconception(
        48,
        "rules may be applied in any order",
        "Temperature comes first: a cut looks at the probabilities that the rules before it have made.",
        (temperature_last,),
    ),
    Misconception(
        72,
        "a repetition penalty divides",
        "A token that stands in the text gets a lower score, once: a positive score is divided, and a negative one "
        "multiplied.",
        (divide_all_scores, penalize_each_time),
    ),
]
