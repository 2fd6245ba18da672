"""Beam search as a whole: steps until the pool can get no better, or the texts may get no longer.

Adds: the loop, and what happens to beams that have not ended.
Leaves out: a model (`next_row` stands for it), several texts at once, a cache.
Source: transformers 4.26.1, generation/utils.py, `beam_search`; generation/beam_search.py.

>>> print(beam_search.record(EXAMPLE.__getitem__, start=(0,), beams=2, eos=1, longest=3))
1. 0 and 1 (-1.5) ends; 0 2 (-1), 0 3 (-2) live on; the pool: -1.5; it goes on
2. 0 2 and 1 (-2) ends; 0 3 2 (-2.5), 0 2 2 (-3) live on; the pool: -1, -1.5; it goes on
3. the search may get no longer, so 0 3 2 (-2.5), 0 2 2 (-3) ask for room, too; the pool: -0.833333, -1
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeAlias

from tokenlab.algorithms.attention_head import Vector
from tokenlab.algorithms.beam_candidates import best_candidates, first_sums
from tokenlab.algorithms.beam_pool import Pool, is_done, ranked, with_room
from tokenlab.algorithms.beam_step import Beam, Ids, sift
from tokenlab.algorithms.hypothesis_score import hypothesis_score
from tokenlab.steps import step, stepwise

NextRow: TypeAlias = Callable[[Ids], Vector]  # from what is written to the log-probability of each token

EXAMPLE: dict[Ids, Vector] = {(0,): [-9, -1.5, -1, -2], (0, 2): [-9, -1, -2, -3], (0, 3): [-9, -2, -0.5, -6]}


@step
class Stepped:
    """One step: who ended, who lives on, and the pool."""

    ended: tuple[Beam, ...]
    living: tuple[Beam, ...]
    scores: tuple[float, ...]  # of the pool, best first
    eos: int
    done: bool

    def __str__(self) -> str:
        """Say all of it."""
        ends = [f"{_spoken(ids)} and {self.eos} ({total:.6g}) ends; " for ids, total in self.ended]
        pool = f"the pool: {_listed(self.scores)}; it {'is over' if self.done else 'goes on'}"
        return f"{''.join(ends)}{_beams(self.living)} live on; {pool}"


@step
class Closed:
    """The open beams asked for room at the end."""

    opened: tuple[Beam, ...]
    scores: tuple[float, ...]

    def __str__(self) -> str:
        """Say which."""
        asking = f"the search may get no longer, so {_beams(self.opened)} ask for room, too"
        return f"{asking}; the pool: {_listed(self.scores)}"


def _spoken(ids: Ids) -> str:
    return " ".join(map(str, ids))


def _beams(beams: tuple[Beam, ...]) -> str:
    return ", ".join(f"{_spoken(ids)} ({total:.6g})" for ids, total in beams)


def _listed(scores: tuple[float, ...]) -> str:
    return ", ".join(f"{score:.6g}" for score in scores) or "empty"


@stepwise
def beam_search(
    next_row: NextRow,
    start: Ids,
    beams: int,
    eos: int,
    longest: int,
    length_penalty: float = 1.0,
    early_stopping: bool = False,
) -> Generator[Stepped | Closed, None, Pool]:
    """The hypotheses at the end, best first, each with its score; ids without the eos.

    Args:
        next_row: what the model answers for what is written.
        start: the ids that stand there before the first is written.
        beams: how many are followed, and how many hypotheses there is room for.
        eos: the id that ends a text.
        longest: how many ids a text may have.
        length_penalty: see `hypothesis_score`.
        early_stopping: see `is_done`.

    >>> beam_search(EXAMPLE.__getitem__, start=(0,), beams=2, eos=1, longest=3)[0]
    ((0, 3, 2), -0.8333333333333334)
    """
    living: tuple[Beam, ...] = tuple((start, total) for total in first_sums(beams))
    pool: Pool = ()
    done = False
    while not done and len(living[0][0]) < longest:
        texts, sums = [ids for ids, _ in living], [total for _, total in living]
        candidates = best_candidates(sums, [next_row(ids) for ids in texts])
        living, ended = sift(texts, candidates, eos)
        pool = _taken_in(pool, ended, beams, length_penalty)
        scores = tuple(score for _, score in ranked(pool))
        done = is_done(scores, beams, candidates[0].total, len(texts[0]), length_penalty, early_stopping)
        yield Stepped(ended, living, scores, eos, done)
    if not done:
        pool = _taken_in(pool, living, beams, length_penalty)
        yield Closed(living, tuple(score for _, score in ranked(pool)))
    return ranked(pool)


def _taken_in(pool: Pool, texts: tuple[Beam, ...], room: int, length_penalty: float) -> Pool:
    for ids, total in texts:
        pool = with_room(pool, (ids, hypothesis_score(total, len(ids), length_penalty)), room)
    return pool
