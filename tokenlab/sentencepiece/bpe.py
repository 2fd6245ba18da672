"""A BPE model: in each stretch between user-defined symbols, the neighbours with the best score become one.

Adds: to the merges, which are `algorithms.bpe_merge`: symbols that no merge touches; unused pieces, which are taken
apart again into what they were made of; a cache of words; BPE-dropout.

Source: google/sentencepiece, src/bpe_model.cc.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random
from struct import pack, unpack

from tokenlab.algorithms.bpe_encode import Joined
from tokenlab.algorithms.bpe_encode_agenda import encode_with_agenda
from tokenlab.algorithms.bpe_merge import merged_ends
from tokenlab.sentencepiece.model import UNUSED, Model
from tokenlab.sentencepiece.words import WORDS, Cut, Remembered

DEEPEST = 100  # an unused piece is taken apart so many times; src/bpe_model.cc, kMaxBpeResegmentDepth


class BpeModel:
    """Cuts a normalized text by merging."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.ranks = ranks(model)
        self.unused = frozenset(piece for piece, id in model.ids.items() if model.kinds[id] == UNUSED)
        # No merge crosses the start of a word, so words can be remembered; symbols and unused pieces may cross it.
        self.words = (
            Remembered(self.cut_whole) if model.one_word_each and not self.unused and not model.symbols else None
        )

    def cut(self, normalized: str) -> Cut:
        """The pieces that are left when no merge is possible."""
        if self.words is None:
            return self.cut_whole(normalized)
        pieces: list[str] = []
        ids: list[int] = []
        cuts = self.words
        for word in WORDS.findall(normalized):
            cut = cuts[word]
            pieces += cut[0]
            ids += cut[1]
        return Cut(pieces, ids)

    def cut_whole(self, normalized: str) -> Cut:
        """The same without a cache."""
        if self.unused:
            return self.sample(normalized, alpha=0.0)
        pieces: list[str] = []
        for stretch, frozen in self.stretches(normalized):
            if frozen:
                pieces.append(stretch)
                continue
            ends = merged_ends(stretch, self.ranks)
            start = 0
            while start < len(stretch):
                pieces.append(stretch[start : ends[start]])
                start = ends[start]
        return self.numbered(pieces)

    def sample(self, normalized: str, alpha: float, random: Random | None = None) -> Cut:
        """The pieces where each merge is left out with the probability alpha."""
        pieces: list[str] = []
        parts: dict[str, tuple[str, str]] = {}
        for stretch, frozen in self.stretches(normalized):
            if frozen:
                pieces.append(stretch)
                continue
            drop = min(alpha, 1.0)
            if not self.unused:
                pieces += encode_with_agenda(stretch, self.ranks, drop, random)
                continue
            found, possible = replayed(stretch, self.ranks, encode_with_agenda.steps(stretch, self.ranks, drop, random))
            pieces += found
            parts |= possible
        pieces = [part for piece in pieces for part in self.taken_apart(piece, parts)]
        return self.numbered(pieces)

    def stretches(self, normalized: str) -> Iterator[tuple[str, bool]]:
        """The text in user-defined symbols, which are frozen, and what is between them."""
        start = 0
        for symbol in self.model.symbols.finditer(normalized) if self.model.symbols else ():
            if start < symbol.start():
                yield normalized[start : symbol.start()], False
            yield symbol.group(), True
            start = symbol.end()
        if start < len(normalized):
            yield normalized[start:], False

    def taken_apart(self, piece: str, parts: dict[str, tuple[str, str]], depth: int = 0) -> Iterator[str]:
        """A piece that is used, or the two parts of one that is not, each looked at in the same way."""
        if piece in self.unused and piece in parts and depth <= DEEPEST:
            for part in parts[piece]:
                yield from self.taken_apart(part, parts, depth + 1)
        else:
            yield piece

    def numbered(self, pieces: list[str]) -> Cut:
        """The pieces with their ids."""
        id_of, unknown = self.model.ids.get, self.model.unknown
        if not self.unused:
            return Cut(pieces, [id_of(piece, unknown) for piece in pieces])
        # subtle: an unused piece that no merge has made, such as a character, has no parts and is unknown.
        return Cut(pieces, [unknown if piece in self.unused else id_of(piece, unknown) for piece in pieces])


def ranks(model: Model) -> dict[str, int]:
    """The rank of each piece, lowest for the highest score; equal scores share one, so that the leftmost pair wins."""
    in_order = {key: rank for rank, key in enumerate(sorted({_key(score) for score in model.scores}))}
    return {piece: in_order[_key(model.scores[id])] for piece, id in model.ids.items()}


def _key(score: float) -> tuple[bool, float]:
    """What orders scores, the highest first; the library compares their bits, where -0.0 is less than 0.0."""
    negative = unpack("i", pack("f", score))[0] < 0
    return negative, -score


def replayed(
    stretch: str, ranks: dict[str, int], merges: Iterable[Joined]
) -> tuple[list[str], dict[str, tuple[str, str]]]:
    """The pieces after merges; and the two parts of each that was possible on the way, those of the last time.

    >>> replayed("aaa", {"aa": 0, "aaa": 1}, [Joined(0, ("a", "a"), 0)])
    (['aa', 'a'], {'aa': ('a', 'a'), 'aaa': ('aa', 'a')})
    """
    length = len(stretch)
    size = [1] * length
    before = list(range(-1, length - 1))
    parts: dict[str, tuple[str, str]] = {}

    def propose(left: int, right: int) -> None:
        end = right + size[right]
        if stretch[left:end] in ranks:
            parts[stretch[left:end]] = stretch[left:right], stretch[right:end]

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
    return [stretch[start : start + size[start]] for start in range(length) if size[start]], parts
