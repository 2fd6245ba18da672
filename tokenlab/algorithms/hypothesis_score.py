"""The score of a hypothesis: its sum of log-probabilities, divided by a power of its length.

Adds: a ranking of texts of different lengths, which is not the ranking of the search.
Leaves out: which of them there is room for (`beam_pool`).
Source: transformers 4.26.1, generation/beam_search.py, BeamHypotheses.add; `written_length` counts as transformers does
since 4.36 (huggingface/transformers#26624).
"""

from __future__ import annotations

from collections.abc import Sequence


def hypothesis_score(total: float, length: int, length_penalty: float) -> float:
    """What hypotheses are ranked by; higher is better.

    Args:
        total: the sum of its log-probabilities, which are negative.
        length: see `library_length` and `written_length`.
        length_penalty: above 0 it favours long texts, since a negative sum is divided; below 0 short ones.

    >>> hypothesis_score(-6, 3, 1), hypothesis_score(-7, 7, 1), hypothesis_score(-6, 3, 0)
    (-2.0, -1.0, -6.0)
    """
    return float(total / length**length_penalty)


def library_length(ids: Sequence[int], eos: int) -> int:
    """The length as transformers 4.26.1 counts: with whatever stood in front, without the eos.

    >>> library_length([0, 5, 6, 1], eos=1)
    3
    """
    return len(ids) - (ids[-1] == eos)


def written_length(ids: Sequence[int], prompt: int) -> int:
    """The length as it is counted today: what was written, the eos too, and nothing that stood there before.

    Args:
        ids: all of them, with the prompt.
        prompt: how many stood there before the first was written.

    >>> written_length([0, 5, 6, 1], prompt=1)
    3
    """
    return len(ids) - prompt
