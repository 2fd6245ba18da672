"""Adjusted logits: the repetition penalty lowers those of tokens in the text, the temperature divides all of them.

Adds: logits that depend on the text so far; a distribution that is flatter or steeper, with its tokens in the same
order. Leaves out: how often and how long ago a token occurred, and filters (`filters`).
Source: Keskar et al., CTRL, arXiv:1909.05858, section 4.1, which covers only positive scores; transformers 4.26.1,
generation/logits_process.py, RepetitionPenaltyLogitsProcessor and TemperatureLogitsWarper.
"""

from __future__ import annotations

from collections.abc import Sequence

from tokenlab.algorithms.attention.attention_weights import softmax
from tokenlab.algorithms.vectors import Row, Vector


def apply_repetition_penalty(scores: Vector, written: Sequence[int], penalty: float) -> Row:
    """Return the logits, lower for each token of the text so far.

    Args:
        scores: the logit of each id.
        written: the ids so far.
        penalty: above 1 to discourage repetition, below 1 to encourage it.

    Raises:
        ValueError: the penalty is not above 0.

    >>> apply_repetition_penalty([4.0, -4.0, 4.0], written=[0, 1, 1], penalty=2)
    (2.0, -8.0, 4.0)
    """
    if not penalty > 0:
        raise ValueError(f"penalty={penalty!r} should be above 0; 1 changes nothing, and 1.2 is usual")
    seen = set(written)  # subtle: applied once, however often a token occurs
    return tuple(penalized_logit(score, penalty) if token in seen else score for token, score in enumerate(scores))


def penalized_logit(score: float, penalty: float) -> float:
    """Return the logit of a token of the text: divided if positive, multiplied if negative, so always lower.

    >>> penalized_logit(4, 2), penalized_logit(-4, 2)
    (2.0, -8)
    """
    return score * penalty if score < 0 else score / penalty


def softmax_with_temperature(scores: Vector, temperature: float = 1.0) -> Row:
    """Return the probability of each token as the next one.

    Args:
        scores: the logit of each id; minus infinity for a forbidden token.
        temperature: the divisor of all logits: below 1 the distribution gets steeper, above 1 flatter.

    Raises:
        ValueError: the temperature is not above 0, or all scores are -inf.

    >>> softmax_with_temperature([0.0, 0.0]), [round(p, 2) for p in softmax_with_temperature([2.0, 0.0], temperature=2)]
    ((0.5, 0.5), [0.73, 0.27])
    """
    if not temperature > 0:
        raise ValueError(f"temperature={temperature!r} should be above 0; near 0 only the most probable is drawn")
    return softmax(score / temperature for score in scores)
