"""A BPE model: in each segment between user-defined symbols, the adjacent pair with the best score is merged.

Adds, to the merging in `algorithms.bpe`: user-defined symbols, which no merge touches; unused pieces, which are split
again into the parts they were merged from; a cache of chunks; BPE-dropout.

Source: google/sentencepiece, src/bpe_model.cc.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from math import inf
from random import Random
from struct import pack, unpack
from typing import Any

from tokenlab.algorithms.bpe.encode import PairMerged
from tokenlab.algorithms.bpe.encode_priority_queue import encode_with_priority_queue
from tokenlab.algorithms.bpe.token_ends import token_ends
from tokenlab.algorithms.text.word_cache import WordCache
from tokenlab.libraries.sentencepiece.model_interface import Model, Segmentation, SegmentedChunk, chunk_pattern
from tokenlab.libraries.sentencepiece.model_proto import UNUSED
from tokenlab.printing.printable import Parts, SymbolPart, symbol_parts
from tokenlab.steps.recording import GeneratorRun, step, stepwise

MAX_RESEGMENT_DEPTH = 100  # for the parts of unused pieces; src/bpe_model.cc, kMaxBpeResegmentDepth


@step
class SegmentStarted:
    """Merging starts in a segment, which reaches to the next user-defined symbol or to the end."""

    start: int
    text: str

    def sentence(self) -> Parts:
        """Name the segment."""
        return ["in ", SymbolPart(self.text), f", which starts at {self.start}, every character is a symbol"]


@step
class UserDefinedSymbol:
    """A user-defined symbol, which no merge touches."""

    start: int
    piece: str

    def sentence(self) -> Parts:
        """Name the symbol."""
        return [
            SymbolPart(self.piece, "new"),
            f", at {self.start}, is a user-defined symbol: nothing is merged with it",
        ]


@step
class PieceResegmented:
    """An unused piece was split into the two parts that it was merged from."""

    piece: str
    parts: tuple[str, ...]

    def sentence(self) -> Parts:
        """Name the piece and its parts."""
        split = " is unused and is split into the parts it was merged from: "
        return [SymbolPart(self.piece), split, *symbol_parts(self.parts, "new")]


class BpeModel:
    """Segment a normalized text by merging."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.ranks = piece_ranks(model)
        self.unused = frozenset(piece for piece, id in model.ids.items() if model.kinds[id] == UNUSED)
        self.chunks: WordCache[SegmentedChunk] | None = None
        # No merge crosses into the next chunk, so chunks can be cached; symbols and unused pieces may cross.
        if model.pieces_stay_within_words and not self.unused and not model.user_defined_pattern:
            self.chunks = WordCache(self.encode_chunk)
            self.find_chunks = chunk_pattern(model.ids).findall

    def encode(self, normalized: str) -> Segmentation:
        """Return the pieces that remain when no merge is possible."""
        if self.chunks is None:
            return self.encode_uncached(normalized)
        found = [self.chunks[chunk] for chunk in self.find_chunks(normalized)]
        return Segmentation(
            [piece for chunk in found for piece in chunk[0]], [id for chunk in found for id in chunk[1]]
        )

    def encode_chunk(self, chunk: str) -> SegmentedChunk:
        """Segment a chunk, whose pieces are the same in every text."""
        pieces = merged_pieces(chunk, self.ranks)
        return tuple(pieces), tuple(self.with_ids(pieces).ids), 0.0, inf

    def encode_uncached(self, normalized: str) -> Segmentation:
        """Segment without the cache."""
        if self.unused:
            return self.sample(normalized, alpha=0.0)
        pieces: list[str] = []
        for segment, frozen in self.split_user_defined(normalized):
            pieces += [segment] if frozen else merged_pieces(segment, self.ranks)
        return self.with_ids(pieces)

    @stepwise
    def sample(self, normalized: str, alpha: float, random: Random | None = None) -> Generator[Any, None, Segmentation]:
        """Segment with BPE-dropout: each merge is dropped with probability alpha."""
        pieces: list[str] = []
        parts: dict[str, tuple[str, str]] = {}
        start = 0
        for segment, frozen in self.split_user_defined(normalized):
            if frozen:
                yield UserDefinedSymbol(start, segment)
                pieces.append(segment)
            else:
                yield SegmentStarted(start, segment)
                run = GeneratorRun(encode_with_priority_queue.steps(segment, self.ranks, min(alpha, 1.0), random))
                merges = []
                for merge in run:
                    merges.append(merge)
                    yield merge
                pieces += run.result
                if self.unused:
                    parts |= possible_parts(segment, self.ranks, merges)
            start += len(segment)
        kept: list[str] = []
        for piece in pieces:
            kept += yield from self._resegment(piece, parts)
        return self.with_ids(kept)

    def split_user_defined(self, normalized: str) -> Iterator[tuple[str, bool]]:
        """Split the text into user-defined symbols (True) and the segments between them (False)."""
        start = 0
        for symbol in self.model.user_defined_pattern.finditer(normalized) if self.model.user_defined_pattern else ():
            if start < symbol.start():
                yield normalized[start : symbol.start()], False
            yield symbol.group(), True
            start = symbol.end()
        if start < len(normalized):
            yield normalized[start:], False

    def _resegment(
        self, piece: str, parts: dict[str, tuple[str, str]], depth: int = 0
    ) -> Generator[PieceResegmented, None, list[str]]:
        """Return a piece, or, if it is unused, its two parts, each resegmented recursively."""
        if piece not in self.unused or piece not in parts or depth > MAX_RESEGMENT_DEPTH:
            return [piece]
        yield PieceResegmented(piece, parts[piece])
        found: list[str] = []
        for part in parts[piece]:
            found += yield from self._resegment(part, parts, depth + 1)
        return found

    def with_ids(self, pieces: list[str]) -> Segmentation:
        """Add the ids of the pieces."""
        id_of, unknown = self.model.ids.get, self.model.unknown
        if not self.unused:
            return Segmentation(pieces, [id_of(piece, unknown) for piece in pieces])
        # subtle: an unused piece that no merge has produced, such as a character, has no parts and is unknown.
        return Segmentation(pieces, [unknown if piece in self.unused else id_of(piece, unknown) for piece in pieces])


def merged_pieces(text: str, ranks: dict[str, int]) -> list[str]:
    """Return the pieces of a text without user-defined symbols, when no merge is possible.

    >>> merged_pieces("aab", {"aa": 1, "ab": 0})
    ['a', 'ab']
    """
    ends = token_ends(text, ranks)
    pieces: list[str] = []
    start = 0
    while start < len(text):
        pieces.append(text[start : ends[start]])
        start = ends[start]
    return pieces


def piece_ranks(model: Model) -> dict[str, int]:
    """Return the rank of each piece, 0 for the highest score; equal scores share a rank, so the leftmost pair wins."""
    in_order = {key: rank for rank, key in enumerate(sorted({_key(score) for score in model.scores}))}
    return {piece: in_order[_key(model.scores[id])] for piece, id in model.ids.items()}


def _key(score: float) -> tuple[bool, float]:
    """Sort key for scores, highest first; the library compares their bits, so that -0.0 is less than 0.0."""
    negative = unpack("i", pack("f", score))[0] < 0
    return negative, -score


def possible_parts(segment: str, ranks: dict[str, int], merges: Iterable[PairMerged]) -> dict[str, tuple[str, str]]:
    """Return the two parts of every piece that was a merge candidate at some time.

    If a piece was a candidate several times, the last parts are returned.

    >>> possible_parts("aaa", {"aa": 0, "aaa": 1}, [PairMerged(0, ("a", "a"), 0)])
    {'aa': ('a', 'a'), 'aaa': ('aa', 'a')}
    """
    length = len(segment)
    size = [1] * length
    before = list(range(-1, length - 1))
    parts: dict[str, tuple[str, str]] = {}

    def propose(left: int, right: int) -> None:
        end = right + size[right]
        if segment[left:end] in ranks:
            parts[segment[left:end]] = segment[left:right], segment[right:end]

    for left in range(length - 1):
        propose(left, left + 1)
    for merge in merges:
        left = merge.at
        right = left + size[left]
        end = right + size[right]
        size[left], size[right] = end - left, 0
        if left:
            propose(before[left], left)
        if end < length:
            before[end] = left
            propose(left, end)
    return parts
