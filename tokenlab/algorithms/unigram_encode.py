"""Encoding a text with a Unigram vocabulary, fast: Viterbi without a lattice, and each word only once.

Adds: scores that are pushed forward while the trie is walked, so that no edge is ever made; a cache of words.
Leaves out: the steps, which are `viterbi`'s; a property test holds both to the same pieces. And what sentencepiece does
to a text before this (`normalize`).
Source: sentencepiece's unigram_model.cc, Model::EncodeOptimized; tokenizers' pre_tokenizers/metaspace.rs.
"""

from __future__ import annotations

from itertools import chain, groupby
from math import inf

from tokenlab.algorithms.trie import Trie
from tokenlab.algorithms.unigram_vocabulary import Vocabulary, check_vocabulary, unknown_log_probability

BLANK = "▁"  # what sentencepiece writes for a blank


class UnigramEncoder:
    """The most probable pieces of words and of texts.

    Args:
        vocabulary: the log probability of each piece.
        unknown: the log probability of a character that is no piece; None for the libraries' choice.
        join_unknown: whether neighbours that no piece covers become one, as in the libraries.

    Raises:
        TypeError, ValueError: the vocabulary is none.

    >>> encoder = UnigramEncoder({"▁hug": -2.0, "▁": -3.0, "hu": -3.0, "g": -2.0, "s": -2.0})
    >>> encoder.encode("hugs hug??")
    ['▁hug', 's', '▁hug', '??']
    """

    def __init__(self, vocabulary: Vocabulary, unknown: float | None = None, join_unknown: bool = True) -> None:
        check_vocabulary(vocabulary)
        self.vocabulary = vocabulary
        self.unknown = unknown_log_probability(vocabulary) if unknown is None else unknown
        self.join_unknown = join_unknown
        # Characters that begin pieces and are none are met on the way; all others have no node.
        beginnings = {piece[0]: self.unknown for piece in vocabulary}
        self._trie = Trie({**beginnings, **vocabulary})
        self._cache = _Cache(self)

    def encode(self, text: str) -> list[str]:
        """The pieces of a text, of which each word starts with a mark for the blank before it.

        >>> UnigramEncoder({"▁a": -1.0}).encode("a a")
        ['▁a', '▁a']
        """
        if not text:
            return []
        words = text.replace(BLANK, " ").removeprefix(" ").split(" ")
        return list(chain.from_iterable(map(self._cache.__getitem__, words)))

    def encode_word(self, word: str) -> tuple[str, ...]:
        """The pieces of a word, or of anything that is not to be split before; in time linear in its length.

        >>> UnigramEncoder({"a": -1.0, "aa": -1.5}).encode_word("aaa")
        ('a', 'aa')
        """
        starts = best_starts(word, self._trie, self.unknown)
        pieces = []
        end = len(word)
        while end:
            pieces.append(word[starts[end] : end])
            end = starts[end]
        pieces.reverse()
        return self._joined(pieces) if self.join_unknown else tuple(pieces)

    def _joined(self, pieces: list[str]) -> tuple[str, ...]:
        known = list(map(self.vocabulary.__contains__, pieces))
        if all(known):
            return tuple(pieces)
        runs = groupby(zip(pieces, known, strict=True), key=lambda pair: pair[1])
        return tuple(chain.from_iterable(_run(known, [piece for piece, _ in run]) for known, run in runs))


def _run(known: bool, pieces: list[str]) -> list[str]:
    return pieces if known else ["".join(pieces)]


def best_starts(word: str, trie: Trie[float], unknown: float) -> list[int]:
    """Where the last piece of the best way to each position starts.

    >>> best_starts("hug", Trie({"h": -2.0, "u": -2.0, "g": -2.0, "ug": -1.0}), unknown=-12.0)
    [0, 0, 1, 1]
    """
    size = len(word)
    first = trie.root[0]
    scores = [0.0] + [-inf] * size
    starts = [0] * (size + 1)
    for start in range(size):
        following, here, end = first, scores[start], start
        while end < size and (node := following.get(word[end])):
            end += 1
            following, log_prob = node
            # subtle: starts come from left to right, so that > keeps the longest of equally good last pieces.
            if log_prob is not None and here + log_prob > scores[end]:
                scores[end], starts[end] = here + log_prob, start
        if end == start and here + unknown > scores[end + 1]:
            scores[end + 1], starts[end + 1] = here + unknown, start
    return starts


class _Cache(dict[str, tuple[str, ...]]):
    """The pieces of each word that was met; bounded, and without the long ones, which hardly come again."""

    MOST = 100_000  # words
    LONGEST = 100  # characters

    def __init__(self, encoder: UnigramEncoder) -> None:
        super().__init__()
        self.encoder = encoder

    def __missing__(self, word: str) -> tuple[str, ...]:
        pieces = self.encoder.encode_word(BLANK + word)
        if len(word) <= self.LONGEST:
            if len(self) >= self.MOST:
                self.clear()
            self[word] = pieces
        return pieces
