"""WordPiece's symbols: a symbol inside a word has the prefix `##`, so `u` and `##u` are two different symbols.

Adds: the initial symbols of a word, the merged symbol of a pair, and the initial state of training.

>>> characters_with_prefix("hugs"), join(("h", "##u")), join(("##g", "##s"))
(('h', '##u', '##g', '##s'), 'hu', '##gs')
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from typing import Any, TypedDict

from tokenlab.algorithms.bpe import train as bpe_training_state
from tokenlab.algorithms.bpe.tie_break import Pair
from tokenlab.algorithms.bpe.train import WordCounts
from tokenlab.algorithms.text.count_words import Word

PREFIX = "##"


def characters_with_prefix(word: Any, prefix: str = PREFIX) -> Word:
    """Split a word into characters, with the prefix before each character but the first.

    Raises:
        TypeError: the word is neither a string nor a tuple of strings.

    >>> characters_with_prefix("日本", prefix="@")
    ('日', '@本')
    """
    if not isinstance(word, str | tuple) or not all(isinstance(character, str) for character in word):
        raise TypeError(
            f"the word {word!r:.60} should be a string, or a tuple of characters; "
            'count words with symbols="characters", because WordPiece does not use bytes'
        )
    return tuple(prefix + character if place else character for place, character in enumerate(word))


def join(pair: Pair, prefix: str = PREFIX) -> str:
    """Join the two symbols of a pair: the left one keeps its prefix, if it has one; the right one loses it.

    >>> join(("##g", "##s")), join(("h", "##u"))
    ('##gs', 'hu')
    """
    left, right = map(str, pair)
    return left + right.removeprefix(prefix)


class Options(TypedDict, total=False):
    """Training options besides words, size and tie-break."""

    prefix: str  # the prefix of a symbol that does not begin a word
    min_frequency: int  # a rarer pair is not merged
    special_tokens: Iterable[str]  # entries that come first in the vocabulary and are never merged


class TrainingState(bpe_training_state.TrainingState):
    """The checked arguments of a training run and its state before the first merge.

    Words are tuples of symbols. `splits` maps each word to its current symbols, `counts` to its count. `ids` maps each
    vocabulary entry to its id: special tokens, then the sorted initial symbols.

    >>> list(TrainingState({"hug": 10, "pun": 12}, 10).ids)
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
        self.prefix = prefix
        self.counts = count_split_words(word_counts, prefix)
        super().__init__(self.counts, vocab_size, min_frequency=min_frequency, special_tokens=special_tokens)


def count_split_words(word_counts: WordCounts, prefix: str) -> Counter[Word]:
    """Count the words, as tuples of symbols.

    Raises:
        ValueError, TypeError: as `train.train`.

    >>> count_split_words({"hug": 10, ("h", "u", "g"): 1}, "##")
    Counter({('h', '##u', '##g'): 11})
    """
    check_prefix(prefix)
    splits = bpe_training_state.TrainingState(word_counts, sys.maxsize).splits  # checks words and counts
    characters = tuple({character for split in splits.values() for character in split})
    # One string object for all ##a of a corpus saves time and memory.
    inside = dict(zip(characters, characters_with_prefix(("", *characters), prefix)[1:], strict=True))
    counts: Counter[Word] = Counter()
    for word, split in splits.items():
        counts[(*split[:1], *map(inside.__getitem__, split[1:]))] += word_counts[word]
    return counts


def check_prefix(prefix: object) -> None:
    """Reject an empty prefix."""
    if not isinstance(prefix, str):
        raise TypeError(f"prefix={prefix!r:.60} is a {type(prefix).__name__}; give a string, such as '##'")
    if not prefix:
        raise ValueError(
            "prefix='' does not distinguish a symbol inside a word from one at its start; give a prefix, such as '##'"
        )
