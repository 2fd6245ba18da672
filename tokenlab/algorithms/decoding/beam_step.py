"""One step of beam search: select the candidates that continue as beams, and those that end as hypotheses.

Adds: the status of each candidate, and texts that extend their parents.
Leaves out: the pool of hypotheses (`finished_hypotheses`), several ids that end a text.
Source: transformers 4.26.1, generation/beam_search.py, BeamSearchScorer.process.

>>> candidates = [Candidate(0, 1, -2.0), Candidate(1, 7, -2.5), Candidate(0, 8, -3.0), Candidate(1, 1, -4.0)]
>>> print(select_beams.record([[0, 5], [0, 6]], candidates, eos=1))
1. 0 5 and 1 (-2) ends
2. 0 6 and 7 (-2.5) continues
3. 0 5 and 8 (-3) continues
4. 0 6 and 1 (-4) is not needed
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TypeAlias

from tokenlab.algorithms.decoding.beam_candidates import Candidate
from tokenlab.printing.printed_numbers import format_short
from tokenlab.steps.recording import step, stepwise

Ids: TypeAlias = tuple[int, ...]
Beam: TypeAlias = tuple[Ids, float]  # ids so far, and the sum of their log-probabilities

KEPT, FINISHED, EOS_RANK_TOO_LOW, NOT_NEEDED = "continues", "ends", "ends below the beam width", "is not needed"


@step
class CandidateStatus:
    """The status of a candidate."""

    parent: Ids
    token: int
    total: float
    status: str

    def __str__(self) -> str:
        return f"{' '.join(map(str, self.parent))} and {self.token} ({format_short(self.total)}) {self.status}"


@stepwise
def select_beams(
    beams: Sequence[Sequence[int]], candidates: Sequence[Candidate], eos: int
) -> Generator[CandidateStatus, None, tuple[tuple[Beam, ...], tuple[Beam, ...]]]:
    """Return the beams that continue (the same number as before) and the finished ones, best first, with their sums.

    Args:
        beams: the ids of each beam.
        candidates: the 2 * len(beams) best candidates, best first; of fewer, too few may continue.
        eos: the id that ends a text; a finished beam does not include it.

    >>> select_beams([[0]], [Candidate(0, 1, -0.5), Candidate(0, 7, -1.0)], eos=1)
    ((((0, 7), -1.0),), (((0,), -0.5),))
    """
    running: list[Beam] = []
    finished: list[Beam] = []
    for rank, (parent, token, total) in enumerate(candidates):
        ids = tuple(beams[parent])
        status = candidate_status(rank, token == eos, len(running), len(beams))
        if status == KEPT:
            running.append(((*ids, token), total))  # subtle: it extends its parent, which may be in another row
        if status == FINISHED:
            finished.append((ids, total))
        yield CandidateStatus(ids, token, total, status)
    return tuple(running), tuple(finished)


def candidate_status(rank: int, ends: bool, num_running: int, beams: int) -> str:
    """Return the status of a candidate.

    Args:
        rank: number of better candidates.
        ends: whether its token ends the text.
        num_running: number of better candidates that continue.
        beams: number of beams.

    >>> candidate_status(1, True, 0, 2), candidate_status(2, True, 0, 2)
    ('ends', 'ends below the beam width')
    >>> candidate_status(2, False, 1, 2), candidate_status(3, False, 2, 2)
    ('continues', 'is not needed')
    """
    if num_running == beams:
        return NOT_NEEDED
    if not ends:
        return KEPT
    # subtle: only the better half of the candidates may enter the pool; an eos in the lower half is dropped.
    return FINISHED if rank < beams else EOS_RANK_TOO_LOW
