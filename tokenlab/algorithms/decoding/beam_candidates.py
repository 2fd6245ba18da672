"""Candidates of a beam step: extend every beam by every token, and keep the 2 * num_beams best extensions.

Adds: sums of log-probabilities that compete across beams. Leaves out: the status of a candidate (`beam_step`).
Source: transformers 4.26.1, generation/utils.py, `beam_search`.

>>> print(top_candidates.record([-1.0, -2.0], [[-1.0, -4.0, -2.0], [-5.0, -0.5, -9.0]]))
1. place 0: beam 0 with token 0, -1 and -1 make -2
2. place 4: beam 1 with token 1, -2 and -0.5 make -2.5
3. place 2: beam 0 with token 2, -1 and -2 make -3
4. place 1: beam 0 with token 1, -1 and -4 make -5
"""

from __future__ import annotations

from collections.abc import Generator
from typing import NamedTuple

from tokenlab.algorithms.vectors import Matrix, Row, Vector
from tokenlab.printing.errors import check_integer
from tokenlab.printing.printed_numbers import format_short
from tokenlab.steps.recording import step, stepwise

INACTIVE_BEAM_SCORE = -1e9  # the library's number: far below every sum, but finite


class Candidate(NamedTuple):
    """A beam extended by one token."""

    beam: int
    token: int
    total: float  # sum of the log-probabilities of all its tokens


@step
class CandidateSelected:
    """One of the best candidates."""

    place: int  # index in the flattened (beams, vocab_size) table
    beam: int
    token: int
    before: float
    added: float
    total: float

    def __str__(self) -> str:
        where = f"place {self.place}: beam {self.beam} with token {self.token}"
        return f"{where}, {format_short(self.before)} and {format_short(self.added)} make {format_short(self.total)}"


def initial_beam_scores(beams: int) -> Row:
    """Return the initial sums: all beams hold the same ids, so all but the first are masked.

    Raises:
        ValueError: beams is below 1.

    >>> initial_beam_scores(3)
    (0.0, -1000000000.0, -1000000000.0)
    """
    return (0.0, *[INACTIVE_BEAM_SCORE] * (check_integer("beams", beams, at_least=1) - 1))


@stepwise
def top_candidates(sums: Vector, rows: Matrix) -> Generator[CandidateSelected, None, tuple[Candidate, ...]]:
    """Return the 2 * beams best candidates, best first; ties are broken by the lower beam, then by the lower token.

    Args:
        sums: the sum of log-probabilities of each beam: (beams,).
        rows: the log-probability of each token for each beam: (beams, vocab_size).

    Raises:
        ValueError: there is no beam, or the vocabulary has fewer than 2 ids, so that there are no 2 * beams candidates.

    >>> top_candidates(initial_beam_scores(2), [[-1.0, -2.0, -3.0, -9.0]] * 2)[1]
    Candidate(beam=0, token=1, total=-2.0)
    """
    vocab_size = len(rows[0]) if rows else 0
    if vocab_size < 2:
        raise ValueError(
            f"rows gives {len(rows)} beams {vocab_size} log-probabilities each; give at least one beam and 2 ids, "
            "since 2 * beams candidates are needed: one of each beam may end, and the others continue"
        )
    totals = [total + log_probability for total, row in zip(sums, rows, strict=True) for log_probability in row]
    best = []
    # subtle: each beam has one eos candidate, so of 2 * beams candidates at least `beams` do not end.
    for place in sorted(range(len(totals)), key=lambda place: -totals[place])[: 2 * len(sums)]:
        beam, token = divmod(place, vocab_size)
        best.append(Candidate(beam, token, totals[place]))
        yield CandidateSelected(place, beam, token, sums[beam], rows[beam][token], totals[place])
    return tuple(best)
