"""Candidates of a beam step: every beam with every token, and of all these the best, twice as many as there are beams.

Adds: sums of log-probabilities that compete across beams. Leaves out: what becomes of a candidate (`beam_step`).
Source: transformers 4.26.1, generation/utils.py, `beam_search`.

>>> print(best_candidates.record([-1.0, -2.0], [[-1.0, -4.0, -2.0], [-5.0, -0.5, -9.0]]))
1. place 0: beam 0 with token 0, -1 and -1 make -2
2. place 4: beam 1 with token 1, -2 and -0.5 make -2.5
3. place 2: beam 0 with token 2, -1 and -2 make -3
4. place 1: beam 0 with token 1, -1 and -4 make -5
"""

from __future__ import annotations

from collections.abc import Generator
from typing import NamedTuple

from tokenlab.algorithms.attention_head import Matrix, Row, Vector
from tokenlab.steps import step, stepwise

SWITCHED_OFF = -1e9  # the library's number: far below every sum, and yet a number with which one can go on


class Candidate(NamedTuple):
    """A beam with one more token."""

    beam: int
    token: int
    total: float  # the sum of the log-probabilities of all its tokens


@step
class Taken:
    """A candidate that is among the best."""

    place: int  # in one long list, all of beam 0 first
    beam: int
    token: int
    before: float
    added: float
    total: float

    def __str__(self) -> str:
        """Say whose it is, and its sum."""
        where = f"place {self.place}: beam {self.beam} with token {self.token}"
        return f"{where}, {self.before:.6g} and {self.added:.6g} make {self.total:.6g}"


def first_sums(beams: int) -> Row:
    """The sums before the first step: all beams still read the same, so all but one are switched off.

    >>> first_sums(3)
    (0.0, -1000000000.0, -1000000000.0)
    """
    return (0.0, *[SWITCHED_OFF] * (beams - 1))


@stepwise
def best_candidates(sums: Vector, rows: Matrix) -> Generator[Taken, None, tuple[Candidate, ...]]:
    """The best candidates, best first; of equal sums the one of the lower beam, then of the lower token.

    Args:
        sums: for each beam the sum of the log-probabilities of its tokens.
        rows: for each beam the log-probability of each token, by its id.

    >>> best_candidates(first_sums(2), [[-1.0, -2.0, -3.0, -9.0]] * 2)[1]
    Candidate(beam=0, token=1, total=-2.0)
    """
    vocab_size = len(rows[0])
    totals = [total + log_probability for total, row in zip(sums, rows, strict=True) for log_probability in row]
    best = []
    # subtle: each beam can offer an ending once, so of twice as many at least one for each beam goes on.
    for place in sorted(range(len(totals)), key=lambda place: -totals[place])[: 2 * len(sums)]:
        beam, token = divmod(place, vocab_size)
        best.append(Candidate(beam, token, totals[place]))
        yield Taken(place, beam, token, sums[beam], rows[beam][token], totals[place])
    return tuple(best)
