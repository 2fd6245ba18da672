"""Six misconceptions about beam search, each with wrong programs that follow from it.

A seventh one, that a larger beam gives a better text (45), has no program.

>>> from tokenlab.algorithms.decoding.beam_search import top_candidates, initial_beam_scores
>>> rows = [[-9.0, -1.0, -2.0, -3.0]] * 2
>>> [candidate.beam for candidate in top_candidates(no_neg_inf_seed(2), rows)][:2]
[0, 1]
>>> [candidate.token for candidate in top_candidates(no_neg_inf_seed(2), rows)][:2]  # both beams get the same token
[1, 1]
>>> [candidate.token for candidate in top_candidates(initial_beam_scores(2), rows)][:2]
[1, 2]
"""

from __future__ import annotations

from collections.abc import Sequence

from tokenlab.algorithms.decoding.beam_search import Beam, Candidate, select_beams
from tokenlab.algorithms.vectors import Row
from tokenlab.misconceptions.misconception import Misconception

Selection = tuple[tuple[Beam, ...], tuple[Beam, ...]]  # the beams that continue, and the finished ones


def no_neg_inf_seed(beams: int) -> Row:
    """Start all beams with the sum 0: they hold the same ids, so all continue as one."""
    return (0.0,) * beams


def top_k_only(beams: Sequence[Sequence[int]], candidates: Sequence[Candidate], eos: int) -> Selection:
    """Use only num_beams candidates: each candidate that ends makes the search narrower.

    >>> top_k_only([[0], [0]], [Candidate(0, 1, -1.0), Candidate(0, 7, -2.0), Candidate(0, 8, -3.0)], eos=1)[0]
    (((0, 7), -2.0),)
    """
    return select_beams(beams, candidates[: len(beams)], eos)


def eos_keeps_running(beams: Sequence[Sequence[int]], candidates: Sequence[Candidate], eos: int) -> Selection:
    """Keep a finished text as a beam, which then generates tokens after its eos.

    >>> eos_keeps_running([[0]], [Candidate(0, 1, -1.0), Candidate(0, 7, -2.0)], eos=1)
    ((((0, 1), -1.0),), ())
    """
    return tuple(((*beams[beam], token), total) for beam, token, total in candidates[: len(beams)]), ()


def penalty_sign(total: float, length: int, length_penalty: float) -> float:
    """Multiply by the power of the length, as if the penalty made long texts worse.

    >>> penalty_sign(-6, 3, 1), penalty_sign(-7, 7, 1)
    (-18.0, -49.0)
    """
    return float(total * length**length_penalty)


def include_prompt_length(ids: Sequence[int], prompt: int) -> int:
    """Count the prompt, as transformers did (without the eos) until 4.35.

    >>> include_prompt_length([0, 5, 6, 1], prompt=1)
    4
    """
    return len(ids)


def stop_when_k_finished(scores: Sequence[float], num_beams: int) -> bool:
    """Stop as soon as the pool is full, although a candidate may still beat its worst hypothesis.

    >>> stop_when_k_finished([-1.0, -2.0], 2)
    True
    """
    return len(scores) >= num_beams


def no_reorder(beams: Sequence[Sequence[int]], candidates: Sequence[Candidate], eos: int) -> Selection:
    """Append the new tokens to the beams in their order, regardless of their parents.

    >>> no_reorder([[5], [6]], [Candidate(1, 7, -1.0), Candidate(1, 8, -2.0)], eos=1)[0]
    (((5, 7), -1.0), ((6, 8), -2.0))
    """
    running, finished = select_beams(beams, candidates, eos)
    return tuple(((*beams[row], ids[-1]), total) for row, (ids, total) in enumerate(running)), finished


def highest_sum_wins(total: float, length: int, length_penalty: float) -> float:
    """Rank hypotheses by their sums, as the search ranks beams.

    >>> highest_sum_wins(-6, 3, 1), highest_sum_wins(-7, 7, 1)
    (-6.0, -7.0)
    """
    return float(total)


MISCONCEPTIONS = [
    Misconception(
        42,
        "beams are parallel greedy searches",
        "Before the first step, all beams but one are masked. They hold the same ids, so their candidates are equal.",
        (no_neg_inf_seed,),
    ),
    Misconception(
        43,
        "each step needs only num_beams candidates",
        "A candidate that ends leaves the beams, but num_beams candidates must continue. So each step considers "
        "2 * num_beams candidates.",
        (top_k_only, eos_keeps_running),
    ),
    Misconception(
        44,
        "a higher length penalty punishes length",
        "The score is the sum of log-probabilities divided by a power of the length. The sum is negative, so a higher "
        "penalty favours longer texts.",
        (penalty_sign, include_prompt_length),
    ),
    Misconception(
        46,
        "the search is done when the pool is full",
        "The search is done when the pool is full and its worst score is at least the best attainable score. A full "
        "pool is enough only with early stopping.",
        (stop_when_k_finished,),
    ),
    Misconception(
        73,
        "a beam keeps its own tokens",
        "A candidate extends its parent. Its ids are the ids of the parent and one more.",
        (no_reorder,),
    ),
    Misconception(
        74,
        "the text with the highest sum wins",
        "Beams are ranked by their sums. Finished hypotheses are ranked by the sum divided by a power of the length.",
        (highest_sum_wins,),
    ),
]
