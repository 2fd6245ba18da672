"""Pieces, as WordPiece writes them: what stands inside a word bears a prefix, so that `u` and `##u` are two pieces.

Adds: a word as pieces, the piece that a pair becomes, and where training starts.

>>> pieces_of("hugs"), join(("h", "##u")), join(("##g", "##s"))
(('h', '##u', '##g', '##s'), 'hu', '##gs')
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from typing import Any

from tokenlab.algorithms import bpe_start
from tokenlab.algorithms.bpe_start import WordCounts
from tokenlab.algorithms.tie_break import Pair
from tokenlab.algorithms.words import Word
from tokenlab.visible import Symbol

PREFIX = "##"


def pieces_of(word: Any, prefix: str = PREFIX) -> Word:
    """The characters of a word, those after the first with the prefix.

    Raises:
        TypeError: the word is neither a string nor a tuple of strings.

    >>> pieces_of("日本", prefix="@")
    ('日', '@本')
    """
    if not isinstance(word, str | tuple) or not all(isinstance(character, str) for character in word):
        raise TypeError(
            f"the word {word!r:.60} should be a string, or a tuple of characters; "
            'count words with symbols="characters", for WordPiece knows no bytes'
        )
    return tuple(prefix + character if place else character for place, character in enumerate(word))


def join(pair: Pair, prefix: str = PREFIX) -> str:
    """The piece that a pair becomes: the left one keeps its prefix if it has one, the right one loses it.

    >>> join(("##g", "##s")), join(("h", "##u"))
    ('##gs', 'hu')
    """
    left, right = map(str, pair)
    return left + right.removeprefix(prefix)


def merge(split: Word, pair: Pair, prefix: str = PREFIX) -> Word:
    """The pieces of a word with each occurrence of the pair, from the left, made one piece.

    >>> merge(("h", "##u", "##g"), ("h", "##u"))
    ('hu', '##g')
    """
    merged: list[Symbol] = []
    position = 0
    while position < len(split):
        found = split[position : position + 2] == pair
        merged.append(join(pair, prefix) if found else split[position])
        position += 2 if found else 1
    return tuple(merged)


class Start(bpe_start.Start):
    """The checked arguments of a training run, and its state before the first merge.

    `splits` maps each word, as pieces, to its pieces, `counts` to how often it occurs; `ids` is the vocabulary: special
    tokens, then the characters of the words as pieces, sorted.

    >>> list(Start({"hug": 10, "pun": 12}, 10).ids)
    ['##g', '##n', '##u', 'h', 'p']
    """

    def __init__(
        self,
        word_counts: WordCounts,
        vocab_size: int,
        prefix: str = PREFIX,
        min_frequency: int = 1,
        special_tokens: Iterable[str] = (),
    ) -> None:
        """Check what `wordpiece_train.train` is given.

        Raises:
            ValueError, TypeError: as `wordpiece_train.train`.
        """
        self.counts = counts_of_pieces(word_counts, prefix)
        super().__init__(self.counts, vocab_size, min_frequency=min_frequency, special_tokens=special_tokens)


def counts_of_pieces(word_counts: WordCounts, prefix: str) -> Counter[Word]:
    """The words as pieces, with their counts.

    >>> counts_of_pieces({"hug": 10, ("h", "u", "g"): 1}, "##")
    Counter({('h', '##u', '##g'): 11})
    """
    check_prefix(prefix)
    splits = bpe_start.Start(word_counts, sys.maxsize).splits  # which checks words and counts
    characters = tuple({character for split in splits.values() for character in split})
    # One string for all ##a of a corpus: it saves time and memory.
    inside = dict(zip(characters, pieces_of(("", *characters), prefix)[1:], strict=True))
    counts: Counter[Word] = Counter()
    for word, split in splits.items():
        counts[(*split[:1], *map(inside.__getitem__, split[1:]))] += word_counts[word]
    return counts


def check_prefix(prefix: object) -> None:
    """Refuse a prefix that marks nothing."""
    if not isinstance(prefix, str):
        raise TypeError(f"prefix={prefix!r:.60} is a {type(prefix).__name__}; give a string, such as '##'")
    if not prefix:
        raise ValueError(
            "prefix='' marks nothing, so that u and u inside a word were one piece; give one, such as '##'"
        )
