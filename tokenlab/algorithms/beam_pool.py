"""The pool of finished texts: it has room for as many as there are beams, and it says when the search is over.

Adds: the best hypotheses so far, and the bound. Leaves out: where they come from (`beam_step`).
Source: transformers 4.26.1, generation/beam_search.py, BeamHypotheses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from tokenlab.algorithms.hypothesis_score import hypothesis_score

Hypothesis: TypeAlias = tuple[tuple[int, ...], float]  # its ids, and its score
Pool: TypeAlias = tuple[Hypothesis, ...]  # in the order in which they came


def with_room(pool: Pool, hypothesis: Hypothesis, room: int) -> Pool:
    """The pool after a hypothesis asked for room: a full one lets it in if it is better than the worst, which leaves.

    >>> with_room((((5,), -2.0), ((6,), -1.0)), ((7,), -1.5), room=2)
    (((6,), -1.0), ((7,), -1.5))
    """
    if len(pool) < room:
        return (*pool, hypothesis)
    worst = min(range(len(pool)), key=lambda place: pool[place][1])
    if hypothesis[1] <= pool[worst][1]:
        return pool
    return (*pool[:worst], *pool[worst + 1 :], hypothesis)


def is_done(
    scores: Sequence[float],
    room: int,
    best: float,
    length: int,
    length_penalty: float = 1.0,
    early_stopping: bool = False,
) -> bool:
    """Whether the search is over.

    Args:
        scores: of the hypotheses in the pool.
        room: how many there is room for.
        best: the highest sum among this step's candidates, those that ended among them.
        length: of the beams before this step.
        length_penalty: see `hypothesis_score`.
        early_stopping: whether a full pool is enough.

    >>> is_done([-1.0], 2, best=-9.0, length=3), is_done([-1.0, -2.0], 2, best=-9.0, length=3)
    (False, True)
    >>> is_done([-1.0, -2.0], 2, best=-3.0, length=3), is_done([-1.0, -2.0], 2, -3.0, 3, early_stopping=True)
    (False, True)
    """
    if len(scores) < room:
        return False
    if early_stopping:
        return True
    # subtle: what would be no better than the worst gets no room, so a tie ends the search.
    return min(scores) >= hypothesis_score(best, length, length_penalty)


def is_done_for_good(
    scores: Sequence[float], room: int, best: float, length: int, longest: int, length_penalty: float = 1.0
) -> bool:
    """Whether no later candidate can get in, however long it grows: what "never" means in transformers today.

    Args:
        scores: of the hypotheses in the pool.
        room: how many there is room for.
        best: the highest sum of the beams that go on; no later sum is higher.
        length: of the beams before this step.
        longest: how long a text may get.
        length_penalty: see `hypothesis_score`.

    >>> is_done_for_good([-1.0, -2.0], 2, -9.0, 3, longest=3), is_done_for_good([-1.0, -2.0], 2, -9.0, 3, longest=9)
    (True, False)
    """
    # subtle: a negative sum gains most at the length by which it is divided most.
    return is_done(scores, room, best, longest if length_penalty > 0 else length, length_penalty)


def ranked(pool: Pool) -> Pool:
    """The hypotheses, best first; of equal scores the one that came last.

    >>> ranked((((5,), -2.0), ((6,), -1.0), ((7,), -1.0)))
    (((7,), -1.0), ((6,), -1.0), ((5,), -2.0))
    """
    return tuple(sorted(pool, key=lambda hypothesis: hypothesis[1])[::-1])
