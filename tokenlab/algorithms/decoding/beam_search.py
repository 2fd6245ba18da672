"""Complete beam search: repeat the beam step until the stopping rule is met or max_length is reached.

Adds: the loop, and the treatment of beams that have not ended.
Leaves out: a model (the function `next_log_probs` replaces it), several texts at once, a cache.
Source: transformers 4.26.1, generation/utils.py, `beam_search`; generation/beam_search.py.

>>> print(beam_search.record(EXAMPLE.__getitem__, start=(0,), beams=2, eos=1, max_length=3))
1. 0 and 1 (-1.5) ends; 0 2 (-1), 0 3 (-2) continue; the pool: -1.5; not done
2. 0 2 and 1 (-2) ends; 0 3 2 (-2.5), 0 2 2 (-3) continue; the pool: -1, -1.5; not done
3. max_length is reached, so the pool is offered 0 3 2 (-2.5), 0 2 2 (-3); the pool: -0.833, -1
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeAlias

from tokenlab.algorithms.decoding.beam_candidates import INACTIVE_BEAM_SCORE, initial_beam_scores, top_candidates
from tokenlab.algorithms.decoding.beam_step import Beam, Ids, select_beams
from tokenlab.algorithms.decoding.finished_hypotheses import Hypotheses, add_hypothesis, sorted_hypotheses
from tokenlab.algorithms.decoding.stopping_rule import StoppingRule
from tokenlab.algorithms.vectors import Vector
from tokenlab.printing.printed_numbers import format_short
from tokenlab.steps.recording import step, stepwise

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
