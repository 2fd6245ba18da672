"""A repetition penalty: what stands in the text becomes less likely.

Adds: scores that depend on what is written. Leaves out: how often it stands there, and how long ago.
Source: Keskar et al., CTRL, arXiv:1909.05858, section 4.1, which thinks of positive scores only; transformers 4.26.1,
generation/logits_process.py, RepetitionPenaltyLogitsProcessor.
"""

from __future__ import annotations

from collections.abc import Sequence

from tokenlab.algorithms.attention_head import Row, Vector


def penalize_repetition(scores: Vector, written: Sequence[int], penalty: float) -> Row:
    """The scores, lower for each token that is written already.

    Args:
        scores: of each token, by its id.
        written: the ids so far.
        penalty: above 1 against repetition, below 1 for it.

    Raises:
        ValueError: the penalty is not above 0.

    >>> penalize_repetition([4.0, -4.0, 4.0], written=[0, 1, 1], penalty=2)
    (2.0, -8.0, 4.0)
    """
    if not penalty > 0:
        raise ValueError(f"penalty={penalty!r} should be above 0; 1 changes nothing, and 1.2 is usual")
    seen = set(written)  # subtle: once, however often it stands there
    return tuple(lowered(score, penalty) if token in seen else score for token, score in enumerate(scores))


def lowered(score: float, penalty: float) -> float:
    """The score of a token that stands in the text; dividing would raise one that is negative.

    >>> lowered(4, 2), lowered(-4, 2)
    (2.0, -8)
    """
    return score * penalty if score < 0 else score / penalty
