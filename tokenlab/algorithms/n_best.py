"""The k best segmentations: Viterbi forward, then a search backward in which the most promising way goes on first.

Adds: an agenda of ways from some position to the end. What a way can still reach is known exactly, for Viterbi has
found the best way to every position; so whole segmentations come off the agenda best first (A*, with a perfect
estimate).
Leaves out: how k segmentations are sampled from, which is `sampling`.
Source: Nagata 1994, "A Stochastic Japanese Morphological Analyzer Using a Forward-DP Backward-A* N-Best Search
Algorithm"; sentencepiece's unigram_model.cc, Lattice::NBest.

>>> n_best("ab", {"a": -1.0, "b": -1.0, "ab": -2.5}, k=5)
((('a', 'b'), -2.0), (('ab',), -2.5))
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TypeAlias

from tokenlab.algorithms.lattice import Edge, Lattice, build_lattice, pieces_of
from tokenlab.algorithms.trie import Trie
from tokenlab.algorithms.unigram_vocabulary import Vocabulary
from tokenlab.algorithms.viterbi import Reached, reach
from tokenlab.steps import step, stepwise
from tokenlab.visible import visible

Path: TypeAlias = tuple[Edge, ...]

# unigram_model.cc, Lattice::NBest: kMaxAgendaSize and kMinAgendaSize.
LARGEST_AGENDA, KEPT_AT_MOST, KEPT_FOR_EACH = 10_000, 512, 10


@step
class Popped:
    """The most promising way to the end was taken off the agenda, to go on with each piece that ends where it starts.

    Ways are numbered in the order in which they came onto the agenda. `behind` is what the way weighs, `score` what the
    best whole segmentation weighs that ends so, and `waiting` how many ways the agenda still has.
    """

    number: int
    start: int
    piece: str
    behind: float
    score: float
    waiting: int

    def __str__(self) -> str:
        """Say which way, and what can be hoped from it."""
        return (
            f"way {self.number} goes on, from {visible(self.piece)} at {self.start}: "
            f"{self.behind:.2f} so far, {self.score:.2f} at best; {self.waiting} more on the agenda"
        )


@step
class Found:
    """A whole segmentation came off the agenda, the best of those not found yet."""

    rank: int
    pieces: tuple[str, ...]
    score: float

    def __str__(self) -> str:
        """Say which, and what it weighs."""
        return f"number {self.rank}: {' '.join(map(visible, self.pieces))}, {self.score:.2f}"


@stepwise
def n_best(
    text: str, vocabulary: Vocabulary | Trie[float], k: int, unknown: float | None = None, join_unknown: bool = False
) -> Generator[Reached | Popped | Found, None, tuple[tuple[tuple[str, ...], float], ...]]:
    """The k most probable segmentations, best first, each with its log probability; fewer where there are fewer.

    Equals come in the order in which sentencepiece has them.

    Raises:
        TypeError, ValueError: as `build_lattice`; a `k` below 1.

    >>> n_best("aaa", {"a": -1.0, "aa": -1.5}, k=2)
    ((('a', 'aa'), -2.5), (('aa', 'a'), -2.5))
    """
    found = yield from best_paths.steps(build_lattice(text, vocabulary, unknown), k)
    return tuple((pieces_of(path, join_unknown), score) for path, score in found)


@dataclass(slots=True)
class _Way:
    """A way to the end: its first edge (None at the very end, and before the first), and the way behind that."""

    number: int
    position: int
    edge: Edge | None
    rest: _Way | None
    behind: float
    score: float

    def __lt__(self, other: _Way) -> bool:
        # subtle: only the score is compared; heapq then moves equals as the heap of C++ does, which sentencepiece has.
        return self.score > other.score

    def path(self) -> Iterator[Edge]:
        way: _Way | None = self
        while way:
            if way.edge:
                yield way.edge
            way = way.rest


@stepwise
def best_paths(lattice: Lattice, k: int) -> Generator[Reached | Popped | Found, None, tuple[tuple[Path, float], ...]]:
    """The k most probable paths through a lattice, best first.

    >>> [len(path) for path, _ in best_paths(build_lattice("ab", {"a": -1.0, "b": -1.0, "ab": -2.5}), 2)]
    [2, 1]
    """
    if not isinstance(k, int) or k < 1:
        raise ValueError(f"k={k!r} is no number of segmentations; give 1 or more")
    scores, _ = yield from reach(lattice)
    found: list[tuple[Path, float]] = []
    agenda = [_Way(0, len(lattice.text), None, None, 0.0, scores[-1])]
    pushed = 0
    while agenda:
        way = heappop(agenda)
        if way.position < 0:
            found.append((tuple(way.path()), way.score))
            yield Found(len(found), pieces_of(way.path()), way.score)
            if len(found) == k:
                break
            continue
        if way.edge:
            yield Popped(way.number, way.position, way.edge.piece, way.behind, way.score, len(agenda))
        for longer in _longer(way, lattice, scores, pushed + 1):
            heappush(agenda, longer)
            pushed = longer.number
        if len(agenda) >= LARGEST_AGENDA:
            agenda = [heappop(agenda) for _ in range(min(KEPT_AT_MOST, KEPT_FOR_EACH * k))]
    return tuple(found)


def _longer(way: _Way, lattice: Lattice, scores: list[float], number: int) -> Iterator[_Way]:
    """The way with one more piece before it, for each piece; a way that has reached the start is whole."""
    if way.position == 0:
        yield _Way(number, -1, None, way, way.behind, way.behind)
    for place, edge in enumerate(lattice.edges_to[way.position]):
        behind = way.behind + edge.log_prob
        yield _Way(number + place, edge.start, edge, way, behind, scores[edge.start] + edge.log_prob + way.behind)
