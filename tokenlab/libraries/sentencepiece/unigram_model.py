"""A Unigram model: the most probable segmentation, the n best, or a sample.

Adds, to `algorithms.unigram.lattice`: user-defined symbols, which always win; unused pieces, which are never in the
lattice; and 32-bit floating-point scores, with which two paths may tie by rounding.
`encode` finds the same path as `algorithms.unigram.viterbi`, with ids and without steps; a property test checks this.

Source: google/sentencepiece, src/unigram_model.cc.
"""

from __future__ import annotations

from array import array
from functools import cached_property
from math import inf
from random import Random
from struct import Struct
from typing import Any

from tokenlab.algorithms.text.trie import Trie
from tokenlab.algorithms.text.word_cache import WordCache
from tokenlab.algorithms.unigram.lattice import Edge, Lattice
from tokenlab.algorithms.unigram.n_best import best_paths
from tokenlab.algorithms.unigram.sample_segmentation import sample_from_best, sample_path
from tokenlab.algorithms.unigram.vocabulary import UNKNOWN_PENALTY
from tokenlab.libraries.sentencepiece.model_interface import (
    SPACE_SYMBOL,
    Model,
    Segmentation,
    SegmentedChunk,
    chunk_pattern,
    to_bytes,
)
from tokenlab.libraries.sentencepiece.model_proto import NORMAL, UNUSED, USER_DEFINED

LARGEST = 3.4028234663852886e38  # the largest 32-bit float; the lowest score if no piece has one
MAX_ABS_SCORE = 100_000.0  # src/unigram_model.cc, kScoreResetThreshold
ROUNDING = 2.0**-22  # the maximum relative difference that each addition adds between two 32-bit sums
_BITS = Struct("f")


class Float32(float):
    """A 32-bit floating-point number, as C++'s float. A sum is rounded to 32 bits as well.

    >>> Float32(0.1) + Float32(0.2) == 0.1 + 0.2, float(Float32(0.1))
    (False, 0.10000000149011612)
    """

    __slots__ = ()

    def __new__(cls, value: float) -> Float32:
        """Round a number to 32 bits."""
        return super().__new__(cls, _BITS.unpack(_BITS.pack(value))[0])

    def __add__(self, other: Any) -> Float32:
        """Return the rounded sum."""
        return Float32(float(self) + float(other))

    __radd__ = __add__


def _bonus(length: int) -> float:
    """Return what a user-defined symbol has in place of a log probability: longer symbols are preferred."""
    return float(Float32(0.1 * (length - 1)))


class UnigramModel:
    """Segment a normalized text by the probabilities of its pieces."""

    def __init__(self, model: Model) -> None:
        """Take the pieces; a RuntimeError if there are none."""
        if not model.ids:
            raise RuntimeError("this model has no pieces for segmenting a text; train it again")
        self.model = model
        normal = [score for score, kind in zip(model.scores, model.kinds, strict=True) if kind == NORMAL]
        self.unknown_score = float(Float32(min(normal, default=LARGEST) - UNKNOWN_PENALTY))
        self.used = {piece: id for piece, id in model.ids.items() if model.kinds[id] != UNUSED}
        self.user_defined = [piece for piece, id in self.used.items() if model.kinds[id] == USER_DEFINED]
        self.unknown_node: tuple[dict[str, Any], float] = {}, self.unknown_score  # for a character without a piece
        # A character that starts a piece but is not one itself has a node, so it needs the unknown score there.
        first_characters = {piece[0]: self.unknown_score for piece in self.used}
        # subtle: the length of a user-defined symbol counts in bytes here, and in characters in the lattice.
        bonuses = {symbol: _bonus(len(to_bytes(symbol))) for symbol in self.user_defined}
        self.scores = first_characters | {piece: model.scores[id] for piece, id in self.used.items()} | bonuses
        self.trie = Trie(self.scores)
        self.longest = max(map(len, self.used), default=1)
        self.chunks: WordCache[SegmentedChunk] | None = None
        # No piece crosses into the next chunk, so chunks can be cached, with the limits of their best paths.
        if model.pieces_stay_within_words:
            self.chunks = WordCache(self.encode_chunk)
            self.find_chunks = chunk_pattern(model.ids).findall

    @cached_property
    def log_probabilities(self) -> Trie[Float32]:
        """A trie with the log probability of each piece, for the lattice."""
        scores = {piece: self.model.scores[id] for piece, id in self.used.items()}
        scores |= {symbol: _bonus(len(symbol)) for symbol in self.user_defined}
        return Trie((piece, Float32(score)) for piece, score in scores.items())

    def encode(self, normalized: str) -> Segmentation:
        """Return the most probable segmentation; ties go to the longest last piece."""
        if self.chunks is None or not normalized:
            return self.encode_uncached(normalized)
        found = [*map(self.chunks.__getitem__, self.find_chunks(normalized))]
        total = sum([size for _, _, size, _ in found])
        if total >= MAX_ABS_SCORE:
            return self.encode_uncached(normalized)
        pieces: list[str] = []
        score, scored = array("f", [0.0]), 0  # of the first pieces, with 32 bits, and their number
        for its_pieces, _, _, limit in found:
            if total < limit:
                pieces += its_pieces
            else:
                # subtle: the text before a chunk adds to the chunk's sums, and so to their rounding to 32 bits.
                for piece in pieces[scored:]:
                    score[0] += self.scores.get(piece, self.unknown_score)
                scored = len(pieces)
                pieces += self.encode_uncached("".join(its_pieces), score[0]).pieces
        return Segmentation(pieces, self._ids_of(pieces))

    def encode_chunk(self, chunk: str) -> SegmentedChunk:
        """Find the best path over one chunk with 64-bit scores, and how much better it is than any other path.

        The walk of `Trie.prefixes_of` is repeated here: a generator, or a call for each edge, takes twice the time.
        """
        size = len(chunk)
        text = chunk + SPACE_SYMBOL  # where every walk ends, because ▁ is only at the start of pieces
        scores, seconds = [0.0] + [-inf] * size, [-inf] * (size + 1)  # the best and the second best path to each end
        starts = [0] * (size + 1)
        nodes_of, unknown = self.trie.root[0].get, self.unknown_node
        for start, character in enumerate(chunk):
            here, end = scores[start], start + 1
            children, score = nodes_of(character, unknown)
            while True:
                if score is not None:
                    total = here + score
                    if total > scores[end]:
                        seconds[end], scores[end] = scores[end], total
                        starts[end] = start
                    elif total > seconds[end]:
                        seconds[end] = total
                node = children.get(text[end])
                if node is None:
                    break
                children, score = node
                end += 1
        pieces: list[str] = []
        margin, end = inf, size
        while end:
            pieces.append(chunk[starts[end] : end])
            margin = min(margin, scores[end] - seconds[end])
            end = starts[end]
        pieces.reverse()
        limit = min(margin / size / ROUNDING, MAX_ABS_SCORE)
        return tuple(pieces), tuple(self._ids_of(pieces)), max(max(scores), -min(scores)), limit

    def encode_uncached(self, normalized: str, before: float = 0.0) -> Segmentation:
        """Segment a whole text, or a chunk after pieces with the score `before`, with 32-bit scores."""
        size = len(normalized)
        scores = array("f", [before]) + array("f", [-inf]) * size  # subtle: assigning rounds to 32 bits
        starts = [0] * (size + 1)
        nodes_of, unknown = self.trie.root[0].get, self.unknown_node
        for start, character in enumerate(normalized):
            if not -MAX_ABS_SCORE <= scores[start] <= MAX_ABS_SCORE:
                _rebase_scores(scores, start, self.longest)
            here, end = scores[start], start + 1
            children, score = nodes_of(character, unknown)
            while True:
                if score is not None:
                    old = scores[end]
                    # subtle: two sums that differ in 64 bits may tie in 32, and then the earlier one is kept.
                    if here + score > old:
                        scores[end] = here + score
                        if scores[end] > old:
                            starts[end] = start
                if end == size or (node := children.get(normalized[end])) is None:
                    break
                children, score = node
                end += 1
        pieces: list[str] = []
        end = size
        while end:
            pieces.append(normalized[starts[end] : end])
            end = starts[end]
        pieces.reverse()
        return Segmentation(pieces, self._ids_of(pieces))

    def _ids_of(self, pieces: list[str]) -> list[int]:
        id_of, unknown = self.used.get, self.model.unknown
        return [id_of(piece, unknown) for piece in pieces]

    def lattice(self, normalized: str) -> Lattice[str]:
        """Return the lattice of all segmentations, with 32-bit scores."""
        edges: list[list[Edge[str]]] = []
        unknown = Float32(self.unknown_score)
        for start in range(len(normalized)):
            found = self.log_probabilities.prefixes_of(normalized, start)
            leaving = [Edge(start, end, normalized[start:end], score) for end, score in found]
            if not leaving or leaving[0].end > start + 1:
                leaving.insert(0, Edge(start, start + 1, normalized[start], unknown, known=False))
            edges.append(leaving)
        return Lattice(normalized, [*edges, []])

    def n_best(self, normalized: str, size: int) -> list[tuple[Segmentation, float]]:
        """Return the most probable segmentations, each with its log probability."""
        if size == 1 or not normalized:
            return [(self.encode(normalized), 0.0)]
        return [(self.from_path(path), score) for path, score in best_paths(self.lattice(normalized), size)]

    def sample(self, normalized: str, alpha: float, random: Random | None = None) -> Segmentation:
        """Sample a segmentation with its probability to the power alpha, normalized."""
        return self.from_path(sample_path(self.lattice(normalized), alpha, random))

    def sample_from_best(self, normalized: str, size: int, alpha: float, random: Random | None = None) -> Segmentation:
        """Sample a segmentation from the n best."""
        if not normalized:
            return Segmentation([], [])
        return self.from_path(sample_from_best(self.lattice(normalized), size, alpha, random))

    def from_path(self, path: tuple[Edge[str], ...]) -> Segmentation:
        """Return the pieces along a path, with their ids."""
        ids = [self.model.ids[edge.piece] if edge.known else self.model.unknown for edge in path]
        return Segmentation([edge.piece for edge in path], ids)


def _rebase_scores(scores: array[float], start: int, longest: int) -> None:
    """Shift the scores from here on so that this one is 0, because 32-bit floats are coarse far from 0.

    Scores farther away than the longest piece are still -inf, which no shift changes.
    """
    offset = scores[start]
    for place in range(start, min(start + longest + 1, len(scores))):
        scores[place] -= offset
