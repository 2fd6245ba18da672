"""Contrastive search: of the likeliest tokens the one that is likely, and unlike what was written before.

Adds: two terms for each candidate, confidence and likeness to the past, and a share `alpha` between them. Leaves out: a
model that makes the states, and the cache (`tokenlab.transformers`).
Source: Su et al., A Contrastive Framework for Neural Text Generation, arXiv:2202.06417, equation 5; transformers
4.26.1, generation/utils.py, _ranking_fast.

>>> print(contrastive_choice.record([0.6, 0.3], [[1, 0], [0, 1]], [[2, 0], [1, 1]], alpha=0.5))
1. candidate 0: probability 0.6, penalty 1; score -0.2
2. candidate 1: probability 0.3, penalty 0.707107; score -0.203553
3. candidate 0 is written, for no score is higher than -0.2
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from math import sqrt

from tokenlab.algorithms.attention_head import Matrix, Vector, dot
from tokenlab.steps import step, stepwise


@step
class Ranked:
    """A candidate has its two terms and its score."""

    candidate: int
    probability: float
    penalty: float
    score: float

    def __str__(self) -> str:
        """Say the terms, and the score."""
        return (
            f"candidate {self.candidate}: probability {self.probability:.6g}, penalty {self.penalty:.6g}; "
            f"score {self.score:.6g}"
        )


@step
class Picked:
    """The candidate with the highest score is written."""

    candidate: int
    score: float

    def __str__(self) -> str:
        """Say which, and why."""
        return f"candidate {self.candidate} is written, for no score is higher than {self.score:.6g}"


@stepwise
def contrastive_choice(
    probabilities: Sequence[float], states: Matrix, past: Matrix, alpha: float
) -> Generator[Ranked | Picked, None, int]:
    """The place of the candidate that is written; of two with the same score the first.

    Args:
        probabilities: of each candidate, before anything is taken from it.
        states: what the last layer gives for each candidate, if it is written.
        past: what it gave for each token so far, also for those of the prompt.
        alpha: how much the likeness counts: 0 is greedy search, 1 asks for nothing but another state.

    >>> [contrastive_choice([0.6, 0.3], [[1, 0], [0, 1]], [[2, 0]], alpha) for alpha in (0, 0.6)]
    [0, 1]
    """
    scores: list[float] = []
    for candidate, (probability, state) in enumerate(zip(probabilities, states, strict=True)):
        penalty = degeneration(state, past)
        scores.append((1 - alpha) * probability - alpha * penalty)
        yield Ranked(candidate, probability, penalty, scores[-1])
    best = scores.index(max(scores))
    yield Picked(best, scores[best])
    return best


def degeneration(state: Vector, past: Matrix) -> float:
    """The degeneration penalty: the largest likeness of a state to one so far.

    >>> degeneration([0, 5], [[1, 0], [0, 1], [-1, 0]])
    1.0
    """
    # subtle: the largest and not the mean: one token that comes back is enough to go round in circles.
    return max(likeness(state, earlier) for earlier in past)


def likeness(left: Vector, right: Vector) -> float:
    """The cosine of the angle between two vectors: 1 in the same direction, 0 at a right angle, -1 opposite.

    >>> likeness([3, 4], [30, 40]), likeness([1, 0], [0, 7])
    (1.0, 0.0)
    """
    return dot(left, right) / (sqrt(dot(left, left)) * sqrt(dot(right, right)))
