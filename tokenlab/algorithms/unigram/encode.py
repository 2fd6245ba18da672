"""Fast Unigram encoding: Viterbi without a lattice, and a cache of words.

Adds: scores are pushed forward while the trie is walked, so that no edge is ever built; each word is encoded once.
Leaves out: the steps, which `viterbi` records (a property test holds both to the same pieces), and sentencepiece's
normalization, which comes first (`text.normalize`).
Source: sentencepiece's unigram_model.cc, Model::EncodeOptimized; tokenizers' pre_tokenizers/metaspace.rs.
"""

from __future__ import annotations

from itertools import chain, groupby
from math import inf
from typing import Any, AnyStr, Generic

from tokenlab.algorithms.text.trie import Trie
from tokenlab.algorithms.text.word_cache import WordCache
from tokenlab.algorithms.unigram.vocabulary import Vocabulary, check_vocabulary, unknown_log_probability
from tokenlab.printing.printable import Symbol

SPACE = "▁"  # sentencepiece's symbol for a space


class UnigramEncoder(Generic[AnyStr]):
    """Encode words and texts as their most probable pieces.

    Args:
        vocabulary: the log probability of each piece.
        unknown: the log probability of a character (or byte) that is not a piece; None for the libraries' value.
        fuse_unknown: whether adjacent unknown characters are fused into one piece, as in the libraries.

    Raises:
        TypeError, ValueError: the vocabulary is invalid (`check_vocabulary`).

    >>> encoder = UnigramEncoder({"▁hug": -2.0, "▁": -3.0, "hu": -3.0, "g": -2.0, "s": -2.0})
    >>> encoder.encode("hugs hug??")
    ['▁hug', 's', '▁hug', '??']
    """

    def __init__(self, vocabulary: Vocabulary[AnyStr], unknown: float | None = None, fuse_unknown: bool = True) -> None:
        check_vocabulary(vocabulary)
        self.vocabulary: Vocabulary[AnyStr] = vocabulary
        self.unknown = unknown_log_probability(vocabulary) if unknown is None else unknown
        self.fuse_unknown = fuse_unknown
        self._empty: AnyStr = next(iter(vocabulary))[:0]
        self._has_bytes = isinstance(self._empty, bytes)
        # A character that starts a piece but is not one itself has a node, so it needs the unknown score there.
        first_characters = {piece[:1]: self.unknown for piece in vocabulary}
        self._trie = Trie({**first_characters, **vocabulary})
        self._cache = WordCache[Any](lambda word: self.encode_word(SPACE + word))  # type: ignore[arg-type]  # `encode` checks

    def encode(self: UnigramEncoder[str], text: str) -> list[str]:
        """Return the pieces of a text; each word starts with `▁` for the space before it.

        Raises:
            TypeError: the pieces are bytes; `ByteLevelEncoder` encodes a text with those.

        >>> UnigramEncoder({"▁a": -1.0}).encode("a a")
        ['▁a', '▁a']
        """
        if self._has_bytes:
            raise TypeError("the pieces of the vocabulary are bytes; give it to ByteLevelEncoder, which encodes texts")
        if not text:
            return []
        words = text.replace(SPACE, " ").removeprefix(" ").split(" ")
        return list(chain.from_iterable(map(self._cache.__getitem__, words)))

    def encode_word(self, word: AnyStr) -> tuple[AnyStr, ...]:
        """Return the pieces of a word, or of any string that is not split first; the time is linear in its length.

        >>> UnigramEncoder({"a": -1.0, "aa": -1.5}).encode_word("aaa")
        ('a', 'aa')
        """
        starts = best_piece_starts(word, self._trie, self.unknown)
        pieces = []
        end = len(word)
        while end:
            pieces.append(word[starts[end] : end])
            end = starts[end]
        pieces.reverse()
        return self._fuse_unknown(pieces) if self.fuse_unknown else tuple(pieces)

    def _fuse_unknown(self, pieces: list[AnyStr]) -> tuple[AnyStr, ...]:
        is_known = self.vocabulary.__contains__
        if all(map(is_known, pieces)):
            return tuple(pieces)
        fused: list[AnyStr] = []
        for known, run in groupby(pieces, key=is_known):
            found = list(run)
            fused += found if known else [self._empty.join(found)]
        return tuple(fused)


def best_piece_starts(word: Symbol, trie: Trie[float], unknown: float) -> list[int]:
    """Return the start of the last piece of the best path to each position. Scores may be infinite or NaN.

    >>> best_piece_starts("hug", Trie({"h": -2.0, "u": -2.0, "g": -2.0, "ug": -1.0}), unknown=-12.0)
    [0, 0, 1, 1]
    """
    size = len(word)
    root = trie.root[0]
    scores = [0.0] + [-inf] * size
    starts = [0] + [-1] * size  # -1 for a position that no path has reached, whatever its score
    for start in range(size):
        children, here, end = root, scores[start], start
        while end < size and (node := children.get(word[end])):
            end += 1
            children, log_prob = node
            # subtle: starts are visited from left to right, so > keeps the longest of equally good last pieces.
            if log_prob is not None and (here + log_prob > scores[end] or starts[end] < 0):
                scores[end], starts[end] = here + log_prob, start
        if end == start and (here + unknown > scores[end + 1] or starts[end + 1] < 0):
            scores[end + 1], starts[end + 1] = here + unknown, start
    return starts
