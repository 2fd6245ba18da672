"""One step of beam search: of the candidates, the best that do not end live on, and the best that end leave.

Adds: what becomes of each candidate, and texts that go on from their parents.
Leaves out: the pool that the ended ones go to (`beam_pool`), several ids that end a text.
Source: transformers 4.26.1, generation/beam_search.py, BeamSearchScorer.process.

>>> candidates = [Candidate(0, 1, -2.0), Candidate(1, 7, -2.5), Candidate(0, 8, -3.0), Candidate(1, 1, -4.0)]
>>> print(sift.record([[0, 5], [0, 6]], candidates, eos=1))
1. 0 5 and 1 (-2) ends
2. 0 6 and 7 (-2.5) lives on
3. 0 5 and 8 (-3) lives on
4. 0 6 and 1 (-4) finds no room
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TypeAlias

from tokenlab.algorithms.beam_candidates import Candidate
from tokenlab.steps import step, stepwise

Ids: TypeAlias = tuple[int, ...]
Beam: TypeAlias = tuple[Ids, float]  # what it has written, and the sum of the log-probabilities

LIVES, ENDS, TOO_LOW, NO_ROOM = "lives on", "ends", "ends too low", "finds no room"


@step
class Sifted:
    """What became of a candidate."""

    parent: Ids
    token: int
    total: float
    fate: str

    def __str__(self) -> str:
        """Say it."""
        return f"{' '.join(map(str, self.parent))} and {self.token} ({self.total:.6g}) {self.fate}"


@stepwise
def sift(
    beams: Sequence[Sequence[int]], candidates: Sequence[Candidate], eos: int
) -> Generator[Sifted, None, tuple[tuple[Beam, ...], tuple[Beam, ...]]]:
    """The beams that live on, as many as there were, and those that ended; each with its sum, best first.

    Args:
        beams: the ids that each has written.
        candidates: best first, twice as many as there are beams.
        eos: the id that ends a text; it is not written into what ended.

    >>> sift([[0]], [Candidate(0, 1, -0.5), Candidate(0, 7, -1.0)], eos=1)
    ((((0, 7), -1.0),), (((0,), -0.5),))
    """
    living: list[Beam] = []
    ended: list[Beam] = []
    for rank, (parent, token, total) in enumerate(candidates):
        ids = tuple(beams[parent])
        fate = fate_of(rank, token == eos, len(living), len(beams))
        if fate == LIVES:
            living.append(((*ids, token), total))  # subtle: on from its parent, which may stand in another row
        if fate == ENDS:
            ended.append((ids, total))
        yield Sifted(ids, token, total, fate)
    return tuple(living), tuple(ended)


def fate_of(rank: int, ends: bool, living: int, beams: int) -> str:
    """What becomes of a candidate.

    Args:
        rank: how many are better.
        ends: whether its token ends the text.
        living: how many live on by now.
        beams: how many have to.

    >>> fate_of(1, True, 0, 2), fate_of(2, True, 0, 2), fate_of(2, False, 1, 2), fate_of(3, False, 2, 2)
    ('ends', 'ends too low', 'lives on', 'finds no room')
    """
    if living == beams:
        return NO_ROOM
    if not ends:
        return LIVES
    # subtle: only the better half of the candidates may send texts to the pool; an end in the lower half is dropped.
    return ENDS if rank < beams else TOO_LOW
