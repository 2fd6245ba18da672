"""A Unigram model: the most probable segmentation, the n best, or one that is drawn.

Adds: to the lattice, `algorithms.lattice`, what sentencepiece knows: user-defined symbols, which always win; unused
pieces, which are never there; and its numbers, which have 32 bits, so that two ways may tie by rounding.
`cut` finds the same way as `algorithms.viterbi`, with ids and without steps; a property test holds it to that.

Source: google/sentencepiece, src/unigram_model.cc.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate
from math import inf
from random import Random
from struct import Struct
from typing import Any, NamedTuple

from tokenlab.algorithms.lattice import Edge, Lattice
from tokenlab.algorithms.n_best import best_paths
from tokenlab.algorithms.sampling import sample_from_best, sample_path
from tokenlab.algorithms.trie import Trie
from tokenlab.algorithms.unigram_vocabulary import UNKNOWN_PENALTY
from tokenlab.sentencepiece.model import NORMAL, UNUSED, USER_DEFINED, Model
from tokenlab.sentencepiece.words import WORDS, Cut, Remembered

LARGEST = 3.4028234663852886e38  # of 32 bits; the lowest score where no piece has one
FARTHEST = 100_000.0  # src/unigram_model.cc, kScoreResetThreshold
ROUNDING = 2.0**-22  # by so much of its size, at the most, two sums of 32 bits drift apart with each addition

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


class _Word(NamedTuple):
    """The best way over a word, how far from 0 its sums get, and how clearly it is the best, for each character."""

    pieces: list[str]
    ids: list[int]
    far: float
    clear: float


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
        self.used = [(piece, id) for piece, id in model.ids.items() if model.kinds[id] != UNUSED]
        # subtle: the length of a user-defined symbol counts in bytes here, and in characters in the lattice.
        self.walked: Trie[tuple[int, float]] = Trie(
            (piece, (id, self._score(piece, id, len(piece.encode())))) for piece, id in self.used
        )
        # No piece crosses the start of a word, so words can be remembered, and how clear their best way is.
        self.words = Remembered(self._cut_word) if model.one_word_each else None

    @cached_property
    def scored(self) -> Trie[Single]:
        """The log probability of each piece, for the lattice."""
        return Trie((piece, Single(self._score(piece, id, len(piece)))) for piece, id in self.used)

    def _score(self, piece: str, id: int, length: int) -> float:
        """The log probability of a piece; a bonus for a user-defined symbol, a longer one beating two shorter ones."""
        return float(Single(0.1 * (length - 1))) if self.model.kinds[id] == USER_DEFINED else self.model.scores[id]

    def cut(self, normalized: str) -> Cut:
        """The most probable segmentation; of equals the one whose last piece is longest."""
        if self.words is None:
            return self.cut_whole(normalized)
        pieces: list[str] = []
        ids: list[int] = []
        far, clear = 0.0, inf
        for word in WORDS.findall(normalized):
            found = self.words[word]
            pieces += found.pieces
            ids += found.ids
            far += found.far
            if found.clear < clear:
                clear = found.clear
        # subtle: what was said before a word adds to its sums, and so to their rounding to 32 bits.
        return Cut(pieces, ids) if far < FARTHEST and clear > far * ROUNDING else self.cut_whole(normalized)

    def _cut_word(self, word: str) -> _Word:
        """The best way over one word, in numbers of 64 bits, and by how much it is better than the next one."""
        size = len(word)
        scores = [0.0] + [-inf] * size
        seconds = [-inf] * (size + 1)
        starts, ids = [0] * (size + 1), [0] * (size + 1)
        for start in range(size):
            for end, (id, score) in self._leaving(word, start):
                total = scores[start] + score
                if total > scores[end]:
                    seconds[end], scores[end] = scores[end], total
                    starts[end], ids[end] = start, id
                elif total > seconds[end]:
                    seconds[end] = total
        cut = _backward(word, starts, ids)
        ends = list(accumulate(map(len, cut.pieces)))
        clear = min(scores[end] - seconds[end] for end in ends)
        return _Word(*cut, max(abs(scores[end]) for end in ends), clear / size)

    def _leaving(self, word: str, start: int) -> Iterator[tuple[int, tuple[int, float]]]:
        """The pieces that start here, and the unknown one if none of them is a single character."""
        single = (self.model.unknown, self.unknown_score)
        alone = False
        for end, found in self.walked.prefixes_of(word, start):
            alone = alone or end == start + 1
            yield end, found
        if not alone:
            yield start + 1, single

    def cut_whole(self, normalized: str) -> Cut:
        """The same for a text as a whole, in numbers of 32 bits."""
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
