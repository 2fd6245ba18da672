"""A Unigram model: the most probable segmentation, the n best, or one that is drawn.

Adds: to the lattice, `algorithms.lattice`, what sentencepiece knows: user-defined symbols, which always win; unused
pieces, which are never there; and its numbers, which have 32 bits, so that two ways may tie by rounding.
`best` is the same walk as `algorithms.viterbi`, with ids and without steps; a property test holds it to that.

Source: google/sentencepiece, src/unigram_model.cc.
"""

from __future__ import annotations

from array import array
from math import inf
from random import Random
from struct import Struct
from typing import Any

from tokenlab.algorithms.lattice import Edge, Lattice
from tokenlab.algorithms.n_best import best_paths
from tokenlab.algorithms.sampling import sample_from_best, sample_path
from tokenlab.algorithms.trie import Trie
from tokenlab.algorithms.unigram_vocabulary import UNKNOWN_PENALTY
from tokenlab.sentencepiece.model import NORMAL, UNUSED, USER_DEFINED, Model
from tokenlab.sentencepiece.words import Cut

LARGEST = 3.4028234663852886e38  # of 32 bits; the lowest score where no piece has one
FARTHEST = 100_000.0  # src/unigram_model.cc, kScoreResetThreshold

_BITS = Struct("f")


class Single(float):
    """A number of 32 bits: what C++ calls float. A sum is rounded to 32 bits as well.

    >>> Single(0.1) + Single(0.2) == 0.1 + 0.2, float(Single(0.1))
    (False, 0.10000000149011612)
    """

    __slots__ = ()

    def __new__(cls, value: float) -> Single:
        """Round a number to 32 bits."""
        return super().__new__(cls, _BITS.unpack(_BITS.pack(value))[0])

    def __add__(self, other: Any) -> Single:
        """The sum, rounded."""
        return Single(float(self) + float(other))

    __radd__ = __add__


class UnigramModel:
    """Cuts a normalized text by the probabilities of its pieces."""

    def __init__(self, model: Model) -> None:
        """Take the pieces.

        Raises:
            RuntimeError: there are none.
        """
        if not model.ids:
            raise RuntimeError("this model has no pieces to cut a text into; train it again")
        self.model = model
        normal = [score for score, kind in zip(model.scores, model.kinds, strict=True) if kind == NORMAL]
        self.unknown_score = float(Single(min(normal, default=LARGEST) - UNKNOWN_PENALTY))
        used = [(piece, id) for piece, id in model.ids.items() if model.kinds[id] != UNUSED]
        # subtle: the length of a user-defined symbol counts in bytes here, and in characters in the lattice.
        self.walked: Trie[tuple[int, float]] = Trie(
            (piece, (id, self._score(piece, id, len(piece.encode())))) for piece, id in used
        )
        self.scored: Trie[Single] = Trie((piece, Single(self._score(piece, id, len(piece)))) for piece, id in used)

    def _score(self, piece: str, id: int, length: int) -> float:
        """The log probability of a piece; a bonus for a user-defined symbol, a longer one beating two shorter ones."""
        return float(Single(0.1 * (length - 1))) if self.model.kinds[id] == USER_DEFINED else self.model.scores[id]

    def cut(self, normalized: str) -> Cut:
        """The most probable segmentation; of equals the one whose last piece is longest."""
        size = len(normalized)
        scores = array("f", [0.0]) + array("f", [-inf]) * size  # subtle: what is put into it is rounded to 32 bits
        starts = [0] * (size + 1)
        ids = [0] * (size + 1)
        root, unknown = self.walked.root, (self.model.unknown, self.unknown_score)
        for start in range(size):
            if not -FARTHEST <= scores[start] <= FARTHEST:
                _nearer(scores, start)
            here = scores[start]
            node = root
            single: tuple[int, float] | None = unknown
            for end in range(start + 1, size + 1):
                node = node[0].get(normalized[end - 1])
                if node is None:
                    break
                found = node[1]
                if found is None:
                    continue
                if end == start + 1:
                    single = None
                old = scores[end]
                # subtle: two sums that differ in 64 bits may tie in 32, and then the earlier one stays.
                if here + found[1] > old:
                    scores[end] = here + found[1]
                    if scores[end] > old:
                        starts[end], ids[end] = start, found[0]
            if single:
                _offer(scores, starts, ids, start, here, single)
        return _backward(normalized, starts, ids)

    def lattice(self, normalized: str) -> Lattice:
        """All segmentations, with numbers of 32 bits."""
        edges: list[list[Edge]] = []
        unknown = Single(self.unknown_score)
        for start in range(len(normalized)):
            found = self.scored.prefixes_of(normalized, start)
            leaving = [Edge(start, end, normalized[start:end], score) for end, score in found]
            if not leaving or leaving[0].end > start + 1:
                leaving.insert(0, Edge(start, start + 1, normalized[start], unknown, known=False))
            edges.append(leaving)
        return Lattice(normalized, [*edges, []])

    def n_best(self, normalized: str, size: int) -> list[tuple[Cut, float]]:
        """The most probable segmentations, each with its log probability."""
        if size == 1 or not normalized:
            return [(self.cut(normalized), 0.0)]
        return [(self.cut_of(path), score) for path, score in best_paths(self.lattice(normalized), size)]

    def sample(self, normalized: str, alpha: float, random: Random | None = None) -> Cut:
        """A segmentation drawn from all, by its probability to the power alpha."""
        return self.cut_of(sample_path(self.lattice(normalized), alpha, random))

    def sample_from_best(self, normalized: str, size: int, alpha: float, random: Random | None = None) -> Cut:
        """A segmentation drawn from the n best."""
        if not normalized:
            return Cut([], [])
        return self.cut_of(sample_from_best(self.lattice(normalized), size, alpha, random))

    def cut_of(self, path: tuple[Edge, ...]) -> Cut:
        """The pieces along a path, with their ids."""
        ids = [self.model.ids[edge.piece] if edge.known else self.model.unknown for edge in path]
        return Cut([edge.piece for edge in path], ids)


def _offer(
    scores: array[float], starts: list[int], ids: list[int], start: int, here: float, unknown: tuple[int, float]
) -> None:
    """The unknown piece as a way over one character."""
    old = scores[start + 1]
    if here + unknown[1] > old:
        scores[start + 1] = here + unknown[1]
        if scores[start + 1] > old:
            starts[start + 1], ids[start + 1] = start, unknown[0]


def _nearer(scores: array[float], start: int) -> None:
    """Move all scores from here on so that this one is 0: far from it, numbers of 32 bits are coarse."""
    offset = scores[start]
    for place in range(start, len(scores)):
        scores[place] -= offset


def _backward(text: str, starts: list[int], ids: list[int]) -> Cut:
    pieces: list[str] = []
    found: list[int] = []
    end = len(text)
    while end:
        pieces.append(text[starts[end] : end])
        found.append(ids[end])
        end = starts[end]
    return Cut(pieces[::-1], found[::-1])
