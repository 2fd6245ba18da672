"""Beam search: extend every beam by every token, select those that continue and those that end, and repeat.

Adds: sums of log-probabilities that compete across beams, of which a step keeps the 2 * num_beams best; the status of
each candidate, and texts that extend their parents; the loop, until the stopping rule is met or max_length is reached,
and the treatment of beams that have not ended.
Leaves out: a model (the function `next_log_probs` replaces it), several texts at once, several ids that end a text, a
cache, and the pool of hypotheses (`stopping_rule`).
Source: transformers 4.26.1, generation/utils.py, `beam_search`; generation/beam_search.py, BeamSearchScorer.process.

>>> print(top_candidates.record([-1.0, -2.0], [[-1.0, -4.0, -2.0], [-5.0, -0.5, -9.0]]))
1. place 0: beam 0 with token 0, -1 and -1 make -2
2. place 4: beam 1 with token 1, -2 and -0.5 make -2.5
3. place 2: beam 0 with token 2, -1 and -2 make -3
4. place 1: beam 0 with token 1, -1 and -4 make -5
>>> candidates = [Candidate(0, 1, -2.0), Candidate(1, 7, -2.5), Candidate(0, 8, -3.0), Candidate(1, 1, -4.0)]
>>> print(select_beams.record([[0, 5], [0, 6]], candidates, eos=1))
1. 0 5 and 1 (-2) ends
2. 0 6 and 7 (-2.5) continues
3. 0 5 and 8 (-3) continues
4. 0 6 and 1 (-4) is not needed
>>> print(beam_search.record(EXAMPLE.__getitem__, start=(0,), beams=2, eos=1, max_length=3))
1. 0 and 1 (-1.5) ends; 0 2 (-1), 0 3 (-2) continue; the pool: -1.5; not done
2. 0 2 and 1 (-2) ends; 0 3 2 (-2.5), 0 2 2 (-3) continue; the pool: -1, -1.5; not done
3. max_length is reached, so the pool is offered 0 3 2 (-2.5), 0 2 2 (-3); the pool: -0.833, -1
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import NamedTuple, TypeAlias

from tokenlab.algorithms.decoding.stopping_rule import Hypotheses, StoppingRule, add_hypothesis, sorted_hypotheses
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


NextLogProbs: TypeAlias = Callable[[Ids], Vector]  # maps the ids so far to the log-probability of each next token
EXAMPLE: dict[Ids, Vector] = {(0,): [-9, -1.5, -1, -2], (0, 2): [-9, -1, -2, -3], (0, 3): [-9, -2, -0.5, -6]}


@step
class BeamsAdvanced:
    """One step: the beams that ended, the beams that continue, and the pool."""

    finished: tuple[Beam, ...]
    running: tuple[Beam, ...]
    scores: tuple[float, ...]  # scores of the pool, best first
    eos: int
    done: bool

    def __str__(self) -> str:
        ends = [f"{_joined(ids)} and {self.eos} ({format_short(total)}) ends; " for ids, total in self.finished]
        pool = f"the pool: {_listed(self.scores)}; {'done' if self.done else 'not done'}"
        return f"{''.join(ends)}{_beams(self.running)} continue; {pool}"


@step
class Finalized:
    """At the end, the beams that have not ended are offered to the pool."""

    running: tuple[Beam, ...]
    scores: tuple[float, ...]

    def __str__(self) -> str:
        offered = f"max_length is reached, so the pool is offered {_beams(self.running)}"
        return f"{offered}; the pool: {_listed(self.scores)}"


def _joined(ids: Ids) -> str:
    return " ".join(map(str, ids))


def _beams(beams: tuple[Beam, ...]) -> str:
    return ", ".join(f"{_joined(ids)} ({format_short(total)})" for ids, total in beams)


def _listed(scores: tuple[float, ...]) -> str:
    return ", ".join(format_short(score) for score in scores) or "empty"


@stepwise
def beam_search(
    next_log_probs: NextLogProbs,
    start: Ids,
    beams: int,
    eos: int,
    max_length: int,
    length_penalty: float = 1.0,
    early_stopping: bool = False,
) -> Generator[BeamsAdvanced | Finalized, None, Hypotheses]:
    """Return the final hypotheses, best first: their ids without the eos, and their scores.

    There may be fewer than `beams`: masked beams and forbidden tokens (log-probability -inf) make no hypotheses. If
    fewer texts are possible, the library returns duplicates with sums around -1e9 instead.

    Args:
        next_log_probs: function that returns the log-probability of each next token for the given ids.
        start: the ids before the first generated one.
        beams: number of beams, and of hypotheses in a full pool.
        eos: the id that ends a text.
        max_length: maximum number of ids of a text; a start of this length is the only hypothesis.
        length_penalty: see `StoppingRule`.
        early_stopping: see `StoppingRule`.

    Raises:
        ValueError: beams is below 1, or there are fewer than 2 next tokens (see `top_candidates`).

    >>> beam_search(EXAMPLE.__getitem__, start=(0,), beams=2, eos=1, max_length=3)[0]
    ((0, 3, 2), -0.8333333333333334)
    """
    rule = StoppingRule(beams, length_penalty, early_stopping)
    running: tuple[Beam, ...] = tuple((start, total) for total in initial_beam_scores(beams))
    pool: Hypotheses = ()
    done = False
    while not done and len(running[0][0]) < max_length:
        texts, sums = [ids for ids, _ in running], [total for _, total in running]
        candidates = top_candidates(sums, [next_log_probs(ids) for ids in texts])
        running, finished = select_beams(texts, candidates, eos)
        pool = _with_hypotheses(pool, finished, rule, has_eos=True)
        scores = tuple(score for _, score in sorted_hypotheses(pool))
        done = rule.check(scores, candidates[0].total, len(texts[0])).done
        yield BeamsAdvanced(finished, running, scores, eos, done)
    if not done:
        pool = _with_hypotheses(pool, running, rule, has_eos=False)
        yield Finalized(running, tuple(score for _, score in sorted_hypotheses(pool)))
    return sorted_hypotheses(pool)


def _with_hypotheses(pool: Hypotheses, texts: tuple[Beam, ...], rule: StoppingRule, has_eos: bool) -> Hypotheses:
    # subtle: a masked beam repeats the first one, so it is no hypothesis of its own.
    for ids, total in [text for text in texts if text[1] > INACTIVE_BEAM_SCORE]:
        pool = add_hypothesis(pool, (ids, rule.score(total, len(ids), has_eos)), rule.num_beams)
    return pool
