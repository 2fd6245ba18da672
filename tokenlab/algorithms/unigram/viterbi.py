"""The Viterbi algorithm: the most probable segmentation, by dynamic programming over positions.

Adds: the best path to each position, from the best paths to earlier positions; then backtracking from the end.
Leaves out: all other segmentations (`n_best`, `sample_segmentation`), and speed on a whole text (`encode`).
Source: Viterbi 1967; sentencepiece's unigram_model.cc, Model::EncodeOptimized; tokenizers' unigram/model.rs.

>>> print(viterbi.record("hug", {"h": -2.0, "u": -2.0, "g": -2.0, "hu": -3.0, "ug": -2.5}))
1. position 1: h is the only piece that ends here, score -2.00
2. position 2: hu is the best of 2 pieces that end here, score -3.00
3. position 3: ug is the best of 2 pieces that end here, score -4.50
4. the best path to position 3 ends with ug, which starts at 1
5. the best path to position 1 ends with h, which starts at 0
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from math import inf
from typing import AnyStr, Generic, Literal, TypeAlias, get_args

from tokenlab.algorithms.text.trie import Trie
from tokenlab.algorithms.unigram.lattice import Edge, Lattice, build_lattice, path_pieces
from tokenlab.algorithms.unigram.vocabulary import Vocabulary
from tokenlab.printing.printable import Parts, SymbolPart
from tokenlab.steps.recording import step, stepwise

TieRule: TypeAlias = Literal["longest_last", "shortest_last"]


@step
class BestPathFound(Generic[AnyStr]):
    """The best path to a position: its last piece, and its cumulative log probability.

    `incoming` is the number of pieces that end here, `ties` the number of them (at least 1) with the best score.
    """

    end: int
    piece: AnyStr
    score: float
    incoming: int
    ties: int

    def sentence(self) -> Parts:
        """Say which piece is the last one of the best path, and among how many."""
        ending = f"of {self.incoming} pieces that end here"
        if self.ties > 1:
            ending = f"{ending} ({self.ties} are equally good)"
        best = "is the only piece that ends here" if self.incoming == 1 else f"is the best {ending}"
        position = f"position {self.end}: "
        return [position, SymbolPart(self.piece, "new"), f" {best}, score {self.score:.2f}"]

    def apply(self, table: ViterbiTable[AnyStr]) -> None:
        """Enter the best path to the position."""
        table.scores[self.end] = self.score
        table.last[self.end] = table.edge(self.end - len(self.piece), self.end)


@step
class Backtracked(Generic[AnyStr]):
    """A back pointer was followed over the best last piece."""

    start: int
    end: int
    piece: AnyStr

    def sentence(self) -> Parts:
        """Name the piece and where it starts."""
        ends = f"the best path to position {self.end} ends with "
        return [ends, SymbolPart(self.piece, "new"), f", which starts at {self.start}"]

    def apply(self, table: ViterbiTable[AnyStr]) -> None:
        """Add the piece to the backtrace."""
        table.backtrace.append(table.edge(self.start, self.end))


@dataclass
class ViterbiTable(Generic[AnyStr]):
    """What the steps are applied to: the best path to each position so far, and the backtrace so far."""

    lattice: Lattice[AnyStr]
    scores: dict[int, float] = field(default_factory=lambda: {0: 0.0})
    last: dict[int, Edge[AnyStr]] = field(default_factory=dict)
    backtrace: list[Edge[AnyStr]] = field(default_factory=list)

    def edge(self, start: int, end: int) -> Edge[AnyStr]:
        """Return the edge between two positions."""
        return next(edge for edge in self.lattice.edges_from[start] if edge.end == end)

    def best_path_to(self, end: int) -> list[Edge[AnyStr]]:
        """Return the edges of the best path to a position."""
        path: list[Edge[AnyStr]] = []
        while end:
            path.append(self.last[end])
            end = path[-1].start
        return path[::-1]


@stepwise
def viterbi(
    text: AnyStr,
    vocabulary: Vocabulary[AnyStr] | Trie[float],
    unknown: float | None = None,
    ties: TieRule = "longest_last",
    fuse_unknown: bool = False,
) -> Generator[BestPathFound[AnyStr] | Backtracked[AnyStr], None, tuple[AnyStr, ...]]:
    """Return the pieces of the most probable segmentation.

    Args:
        text: the text to segment.
        vocabulary: the log probability of each piece.
        unknown: the log probability of a character that is not a piece (`unknown_log_probability` is the libraries').
        ties: among equally probable paths to a position, keep the one whose last piece is longest (as sentencepiece
            and tokenizers do) or shortest.
        fuse_unknown: whether adjacent unknown characters become one piece.

    Raises:
        TypeError, ValueError: as `build_lattice`; ties is unknown.

    >>> viterbi("hug", {"h": -2.0, "u": -2.0, "g": -2.0, "hu": -3.0, "ug": -2.5})
    ('h', 'ug')
    """
    path = yield from best_path.steps(build_lattice(text, vocabulary, unknown), ties)
    return path_pieces(path, fuse_unknown)


@stepwise
def best_path(
    lattice: Lattice[AnyStr], ties: TieRule = "longest_last"
) -> Generator[BestPathFound[AnyStr] | Backtracked[AnyStr], None, tuple[Edge[AnyStr], ...]]:
    """Return the edges of the most probable path through a lattice.

    >>> best_path(build_lattice("ab", {"a": -1.0, "b": -1.0, "ab": -2.0}), ties="shortest_last")[0].piece
    'a'
    """
    _, last = yield from best_scores(lattice, ties)
    path: list[Edge[AnyStr]] = []
    while pointer := last[path[-1].start if path else -1]:
        path.append(pointer)
        yield Backtracked(pointer.start, pointer.end, pointer.piece)
    return tuple(reversed(path))


def best_scores(
    lattice: Lattice[AnyStr], ties: TieRule = "longest_last"
) -> Generator[BestPathFound[AnyStr], None, tuple[list[float], list[Edge[AnyStr] | None]]]:
    """Fill Viterbi's table: the log probability of the best path to each position, and the last edge on it."""
    if ties not in get_args(TieRule):
        raise ValueError(f"ties={ties!r} is no rule for ties; there are: {', '.join(get_args(TieRule))}")
    scores = [0.0] + [-inf] * len(lattice.text)
    last: list[Edge[AnyStr] | None] = [None] * len(scores)
    for end, incoming in enumerate(lattice.edges_to):
        if incoming:
            totals = [scores[edge.start] + edge.log_prob for edge in incoming]
            best = scores[end] = max(totals)
            # subtle: incoming edges are sorted longest first, so the first of several ties is the longest.
            tied = [edge for edge, total in zip(incoming, totals, strict=True) if total == best]
            last[end] = edge = tied[0] if ties == "longest_last" else tied[-1]
            yield BestPathFound(end, edge.piece, best, len(incoming), len(tied))
    return scores, last
