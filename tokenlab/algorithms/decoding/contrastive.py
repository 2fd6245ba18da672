"""Contrastive search: select among the most probable tokens by model confidence and degeneration penalty.

Adds: the two terms of each candidate's score, weighted by `alpha`. Leaves out: the model that computes the hidden
states, and the KV cache (`tokenlab.libraries.transformers`).
Source: Su et al., A Contrastive Framework for Neural Text Generation, arXiv:2202.06417, equation 5; transformers
4.26.1, generation/utils.py, _ranking_fast.

>>> print(contrastive_select.record([0.6, 0.3], [[1, 0], [0, 1]], [[2, 0], [1, 1]], alpha=0.5))
1. the hidden state of candidate 0 is most similar to that of position 0; the cosine similarity, 1, is its penalty
2. the hidden state of candidate 1 is most similar to that of position 1; the cosine similarity, 0.707, is its penalty
3. candidate 0 is selected: the scores are -0.2, -0.204, and none is higher than its own
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from math import sqrt

from tokenlab.algorithms.attention.attention_weights import dot
from tokenlab.algorithms.vectors import Matrix, Vector
from tokenlab.printing.errors import check_not_empty
from tokenlab.printing.printable import Parts
from tokenlab.printing.printed_numbers import format_short
from tokenlab.steps.recording import step, stepwise


@step
class CandidateScored:
    """The two terms and the score of a candidate were computed."""

    candidate: int
    probability: float
    position: int  # the earlier position with the most similar hidden state
    penalty: float
    score: float

    def sentence(self) -> Parts:
        """Name the position that the penalty comes from, but not the score, which a view asks for."""
        similar = f"the hidden state of candidate {self.candidate} is most similar to that of position {self.position}"
        return [f"{similar}; the cosine similarity, {format_short(self.penalty)}, is its penalty"]


@step
class CandidateSelected:
    """The candidate with the highest score was selected."""

    candidate: int
    scores: tuple[float, ...]  # of all candidates

    def sentence(self) -> Parts:
        """Name the scores."""
        scores = ", ".join(map(format_short, self.scores))
        return [f"candidate {self.candidate} is selected: the scores are {scores}, and none is higher than its own"]


@stepwise
def contrastive_select(
    probabilities: Sequence[float], states: Matrix, past: Matrix, alpha: float
) -> Generator[CandidateScored | CandidateSelected, None, int]:
    """Return the index of the selected candidate; ties go to the first.

    Args:
        probabilities: the probability of each candidate.
        states: the last layer's hidden state of each candidate, as if it were selected.
        past: the last layer's hidden state of each token so far, including the prompt.
        alpha: the weight of the degeneration penalty: 0 is greedy search, 1 ignores the probability.

    Raises:
        ValueError: there is no candidate or no earlier state, or probabilities and states differ in number.

    >>> [contrastive_select([0.6, 0.3], [[1, 0], [0, 1]], [[2, 0]], alpha) for alpha in (0, 0.6)]
    [0, 1]
    """
    check_not_empty("probabilities", probabilities, "the probability of at least one candidate")
    if len(probabilities) != len(states):
        raise ValueError(
            f"probabilities has {len(probabilities)} candidates and states has {len(states)}; give one state for each"
        )
    scores: list[float] = []
    for candidate, (probability, state) in enumerate(zip(probabilities, states, strict=True)):
        penalty = degeneration_penalty(state, past)
        scores.append((1 - alpha) * probability - alpha * penalty)
        position = [cosine_similarity(state, earlier) for earlier in past].index(penalty)
        yield CandidateScored(candidate, probability, position, penalty, scores[-1])
    best = scores.index(max(scores))
    yield CandidateSelected(best, tuple(scores))
    return best


def degeneration_penalty(state: Vector, past: Matrix) -> float:
    """Return the degeneration penalty: the largest cosine similarity of a hidden state to an earlier one.

    Raises:
        ValueError: there is no earlier state.

    >>> degeneration_penalty([0, 5], [[1, 0], [0, 1], [-1, 0]])
    1.0
    """
    check_not_empty("past", past, "the hidden state of each token so far, which includes the prompt")
    # subtle: the maximum, not the mean: one repeated token is enough for a repetition loop.
    return max(cosine_similarity(state, earlier) for earlier in past)


def cosine_similarity(left: Vector, right: Vector) -> float:
    """Return the cosine of the angle between two vectors: 1 for equal, -1 for opposite directions, 0 for a right angle.

    A vector of zeros has no direction, so its similarity to every vector is 0, as in torch's `cosine_similarity`.

    >>> cosine_similarity([3, 4], [30, 40]), cosine_similarity([1, 0], [0, 7]), cosine_similarity([0, 0], [1, 0])
    (1.0, 0.0, 0.0)
    """
    norms = sqrt(dot(left, left)) * sqrt(dot(right, right))
    return dot(left, right) / norms if norms else 0.0
