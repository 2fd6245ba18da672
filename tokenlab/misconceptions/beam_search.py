"""Six beliefs about beam search that are wrong, each as programs that somebody has written.

That a larger beam gives a better text (45) is believed, too; no program follows from it.

>>> from tokenlab.algorithms.beam_candidates import best_candidates, first_sums
>>> rows = [[-9.0, -1.0, -2.0, -3.0]] * 2
>>> [candidate.beam for candidate in best_candidates(no_neg_inf_seed(2), rows)][:2]
[0, 1]
>>> [candidate.token for candidate in best_candidates(no_neg_inf_seed(2), rows)][:2]  # both write the same
[1, 1]
>>> [candidate.token for candidate in best_candidates(first_sums(2), rows)][:2]
[1, 2]
"""

from __future__ import annotations

from collections.abc import Sequence

from tokenlab.algorithms.attention_head import Row
from tokenlab.algorithms.beam_candidates import Candidate
from tokenlab.algorithms.beam_step import Beam, sift
from tokenlab.misconceptions.bpe import Misconception

Sifted = tuple[tuple[Beam, ...], tuple[Beam, ...]]  # the beams that live on, and those that ended

# 42. Beams are so many greedy runs.


def no_neg_inf_seed(beams: int) -> Row:
    """Start all beams alike: they read the same, so all write the same, and go on like one."""
    return (0.0,) * beams


# 43. In each step the best are kept, as many as there are beams.


def top_k_only(beams: Sequence[Sequence[int]], candidates: Sequence[Candidate], eos: int) -> Sifted:
    """Look at no more candidates than there are beams: with each that ends the search gets narrower.

    >>> top_k_only([[0], [0]], [Candidate(0, 1, -1.0), Candidate(0, 7, -2.0), Candidate(0, 8, -3.0)], eos=1)[0]
    (((0, 7), -2.0),)
    """
    return sift(beams, candidates[: len(beams)], eos)


def eos_stays_alive(beams: Sequence[Sequence[int]], candidates: Sequence[Candidate], eos: int) -> Sifted:
    """Let a text that has ended go on as a beam, which will write behind its own end.

    >>> eos_stays_alive([[0]], [Candidate(0, 1, -1.0), Candidate(0, 7, -2.0)], eos=1)
    ((((0, 1), -1.0),), ())
    """
    return tuple(((*beams[beam], token), total) for beam, token, total in candidates[: len(beams)]), ()


# 44. A higher length penalty punishes length.


def penalty_sign(total: float, length: int, length_penalty: float) -> float:
    """Multiply by the power of the length, as if a penalty had to make long texts worse.

    >>> penalty_sign(-6, 3, 1), penalty_sign(-7, 7, 1)
    (-18.0, -49.0)
    """
    return float(total * length**length_penalty)


def include_prompt_length(ids: Sequence[int], prompt: int) -> int:
    """Count what stood there before the first token was written, as transformers did (without the end) until 4.35.

    >>> include_prompt_length([0, 5, 6, 1], prompt=1)
    4
    """
    return len(ids)


# 46. Without early stopping the search is exhaustive; with it, and without, it ends when enough texts have ended.


def stop_when_k_finished(
    scores: Sequence[float], room: int, best: float, length: int, length_penalty: float = 1.0
) -> bool:
    """Stop as soon as the pool is full, though a candidate may still do better than its worst.

    >>> stop_when_k_finished([-1.0, -2.0], 2, best=-3.0, length=3)
    True
    """
    return len(scores) >= room


# 73. A beam keeps its own past.


def no_reorder(beams: Sequence[Sequence[int]], candidates: Sequence[Candidate], eos: int) -> Sifted:
    """Write the new tokens behind the beams as they stand, whoever's candidates they were.

    >>> no_reorder([[5], [6]], [Candidate(1, 7, -1.0), Candidate(1, 8, -2.0)], eos=1)[0]
    (((5, 7), -1.0), ((6, 8), -2.0))
    """
    living, ended = sift(beams, candidates, eos)
    return tuple(((*beams[row], ids[-1]), total) for row, (ids, total) in enumerate(living)), ended


# 74. The text with the highest sum wins.


def highest_sum_wins(total: float, length: int, length_penalty: float) -> float:
    """Rank what has ended by its sum, as the search ranks its beams.

    >>> highest_sum_wins(-6, 3, 1), highest_sum_wins(-7, 7, 1)
    (-6.0, -7.0)
    """
    return float(total)


MISCONCEPTIONS = [
    Misconception(
        42,
        "beams are so many greedy runs",
        "Before the first step all beams but one are switched off: they read the same, so their candidates are the "
        "same, too.",
        (no_neg_inf_seed,),
    ),
    Misconception(
        43,
        "in each step the best are kept, as many as there are beams",
        "What ends leaves its beam, and as many as there are beams go on without an end: so twice as many candidates "
        "are looked at.",
        (top_k_only, eos_stays_alive),
    ),
    Misconception(
        44,
        "a higher length penalty punishes length",
        "A sum of log-probabilities is divided by a power of the length of what was written. It is negative, so a "
        "higher penalty favours long texts.",
        (penalty_sign, include_prompt_length),
    ),
    Misconception(
        46,
        "the search is over when enough texts have ended",
        "The search is over when the pool is full and the best candidate, if it ended now, would not beat its worst; "
        "only early stopping is content with a full pool.",
        (stop_when_k_finished,),
    ),
    Misconception(
        73,
        "a beam keeps its own past",
        "A candidate goes on from its parent: its text is the parent's and one token more.",
        (no_reorder,),
    ),
    Misconception(
        74,
        "the text with the highest sum wins",
        "The search ranks beams by their sums; what has ended is ranked by its sum divided by a power of its length.",
        (highest_sum_wins,),
    ),
]
