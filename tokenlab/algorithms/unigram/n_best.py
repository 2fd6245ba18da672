"""The k best segmentations: Viterbi forward, then a best-first (A*) search backward.

Adds: an agenda of partial paths from some position to the end. The best completion of each is known exactly, because
Viterbi has found the best path to every position; so complete segmentations leave the agenda best first (A* with an
exact heuristic).
Leaves out: sampling from the k best (`sample_segmentation`).
Source: Nagata 1994, "A Stochastic Japanese Morphological Analyzer Using a Forward-DP Backward-A* N-Best Search
Algorithm"; sentencepiece's unigram_model.cc, Lattice::NBest.

>>> n_best("ab", {"a": -1.0, "b": -1.0, "ab": -2.5}, k=5)
((('a', 'b'), -2.0), (('ab',), -2.5))
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import AnyStr, Generic, TypeAlias

from tokenlab.algorithms.text.trie import Trie
from tokenlab.algorithms.unigram.lattice import Edge, Lattice, build_lattice, path_pieces
from tokenlab.algorithms.unigram.viterbi import BestPathFound, ViterbiTable, best_scores
from tokenlab.algorithms.unigram.vocabulary import Vocabulary
from tokenlab.printing.printable import Parts, SymbolPart, count_noun, symbol_parts
from tokenlab.steps.recording import step, stepwise

Path: TypeAlias = tuple[Edge[AnyStr], ...]

# unigram_model.cc, Lattice::NBest: kMaxAgendaSize and kMinAgendaSize.
MAX_AGENDA_SIZE, MAX_KEPT, KEPT_PER_RESULT = 10_000, 512, 10


@step
class AgendaPopped(Generic[AnyStr]):
    """The most promising partial path was popped, to be extended by each piece that ends where it starts.

    Paths are numbered in the order in which they were pushed. `backward_score` is the log probability of the partial
    path, `score` that of its best completion, and `agenda_size` the number of paths left on the agenda.
    """

    number: int
    start: int
    piece: AnyStr
    backward_score: float
    score: float
    agenda_size: int

    def sentence(self) -> Parts:
        """Say which path is extended, its scores, and how many are left."""
        path: Parts = [f"path {self.number:,}, which begins with ", SymbolPart(self.piece, "new")]
        scores = f"its log probability is {self.backward_score:.2f}, and {self.score:.2f} with its best completion"
        others = f"the agenda has {count_noun(self.agenda_size, 'other path')}"
        return [*path, f" at {self.start}, is extended: {scores}; {others}"]

    def apply(self, search: SearchState[AnyStr]) -> None:
        """Take the path from the agenda, and add its extensions."""
        search.extend(search.pop(self.number))


@step
class SegmentationFound(Generic[AnyStr]):
    """A complete segmentation was popped: the best one not found yet."""

    rank: int
    pieces: tuple[AnyStr, ...]
    score: float

    def sentence(self) -> Parts:
        """Name the pieces and their score."""
        found = f"segmentation number {self.rank} is "
        return [found, *symbol_parts(self.pieces), f", with the log probability {self.score:.2f}"]

    def apply(self, search: SearchState[AnyStr]) -> None:
        """Take the complete path with these pieces from the agenda."""
        search.pop(next(n for n, path in search.agenda().items() if path.is_complete and path.pieces() == self.pieces))
        search.found.append(self)


Step: TypeAlias = BestPathFound[AnyStr] | AgendaPopped[AnyStr] | SegmentationFound[AnyStr]


@stepwise
def n_best(
    text: AnyStr,
    vocabulary: Vocabulary[AnyStr] | Trie[float],
    k: int,
    unknown: float | None = None,
    fuse_unknown: bool = False,
) -> Generator[Step[AnyStr], None, tuple[tuple[tuple[AnyStr, ...], float], ...]]:
    """Return the k most probable segmentations (or all, if there are fewer), best first, with log probabilities.

    Ties are in sentencepiece's order.

    Raises:
        TypeError, ValueError: as `build_lattice`; `k` is below 1.

    >>> n_best("aaa", {"a": -1.0, "aa": -1.5}, k=2)
    ((('a', 'aa'), -2.5), (('aa', 'a'), -2.5))
    """
    found = yield from best_paths.steps(build_lattice(text, vocabulary, unknown), k)
    return tuple((path_pieces(path, fuse_unknown), score) for path, score in found)


@dataclass(slots=True)
class PartialPath(Generic[AnyStr]):
    """A path to the end: its first edge (None for the empty path and for a complete one), and the rest of the path."""

    number: int
    position: int
    edge: Edge[AnyStr] | None
    rest: PartialPath[AnyStr] | None
    backward_score: float
    score: float

    def __lt__(self, other: PartialPath[AnyStr]) -> bool:
        # subtle: only the score is compared; heapq then orders ties as C++'s heap does, which sentencepiece uses.
        return self.score > other.score

    @property
    def is_complete(self) -> bool:
        """Whether the path has reached the start."""
        return self.position < 0

    def pieces(self) -> tuple[AnyStr, ...]:
        """Return the pieces of the path."""
        return path_pieces(self.edges())

    def edges(self) -> Iterator[Edge[AnyStr]]:
        """Yield the edges of the path, from left to right."""
        path: PartialPath[AnyStr] | None = self
        while path:
            if path.edge:
                yield path.edge
            path = path.rest


@dataclass
class SearchState(ViterbiTable[AnyStr]):
    """What the steps are applied to: Viterbi's table, the agenda by the numbers of the paths, and what was found."""

    waiting: dict[int, PartialPath[AnyStr]] = field(default_factory=dict)
    popped: PartialPath[AnyStr] | None = None
    found: list[SegmentationFound[AnyStr]] = field(default_factory=list)
    pushed: int = 0

    def agenda(self) -> dict[int, PartialPath[AnyStr]]:
        """Return the agenda; at first, the empty path at the end is extended."""
        if not self.pushed:
            length = len(self.lattice.text)
            self.extend(PartialPath(0, length, None, None, 0.0, self.scores[length]))
        return self.waiting

    def pop(self, number: int) -> PartialPath[AnyStr]:
        """Take a path from the agenda."""
        self.popped = self.agenda().pop(number)
        return self.popped

    def extend(self, path: PartialPath[AnyStr]) -> None:
        """Add the extensions of a path to the agenda."""
        for longer in _extensions(path, self.lattice, self.scores, self.pushed + 1):
            self.waiting[longer.number] = longer
            self.pushed = longer.number


@stepwise
def best_paths(
    lattice: Lattice[AnyStr], k: int
) -> Generator[Step[AnyStr], None, tuple[tuple[Path[AnyStr], float], ...]]:
    """Return the k most probable paths through a lattice, best first, with log probabilities.

    Raises:
        ValueError: k is below 1.

    >>> [len(path) for path, _ in best_paths(build_lattice("ab", {"a": -1.0, "b": -1.0, "ab": -2.5}), 2)]
    [2, 1]
    """
    if not isinstance(k, int) or k < 1:
        raise ValueError(f"k={k!r} is no number of segmentations; give 1 or more")
    scores, _ = yield from best_scores(lattice)
    found: list[tuple[Path[AnyStr], float]] = []
    agenda: list[PartialPath[AnyStr]] = [PartialPath(0, len(lattice.text), None, None, 0.0, scores[-1])]
    pushed = 0
    while agenda:
        path: PartialPath[AnyStr] = heappop(agenda)
        if path.position < 0:
            found.append((tuple(path.edges()), path.score))
            yield SegmentationFound(len(found), path_pieces(path.edges()), path.score)
            if len(found) == k:
                break
            continue
        if path.edge:
            yield AgendaPopped(
                path.number, path.position, path.edge.piece, path.backward_score, path.score, len(agenda)
            )
        for longer in _extensions(path, lattice, scores, pushed + 1):
            heappush(agenda, longer)
            pushed = longer.number
        if len(agenda) >= MAX_AGENDA_SIZE:
            agenda = [heappop(agenda) for _ in range(min(MAX_KEPT, KEPT_PER_RESULT * k))]
    return tuple(found)


def _extensions(
    path: PartialPath[AnyStr], lattice: Lattice[AnyStr], scores: Mapping[int, float] | Sequence[float], number: int
) -> Iterator[PartialPath[AnyStr]]:
    """Yield the path extended to the left by each piece; a path that has reached the start becomes complete."""
    if path.position == 0:
        yield PartialPath(number, -1, None, path, path.backward_score, path.backward_score)
    for place, edge in enumerate(lattice.edges_to[path.position]):
        backward_score = path.backward_score + edge.log_prob
        score = scores[edge.start] + edge.log_prob + path.backward_score
        yield PartialPath(number + place, edge.start, edge, path, backward_score, score)
