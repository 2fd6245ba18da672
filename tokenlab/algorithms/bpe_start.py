"""Where BPE training starts: words as symbols, the vocabulary before the first merge, and what was asked for.

>>> start = Start({"hug": 10, "pun": 12}, vocab_size=9, end_of_word="</w>")
>>> start.splits["pun"], start.size
(('p', 'u', 'n</w>'), 5)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias, TypedDict

from tokenlab.algorithms.tie_break import Pair
from tokenlab.algorithms.words import Word, characters
from tokenlab.errors import by_name, many, whole_number
from tokenlab.visible import Symbol, visible

# A word is a tuple of symbols; a str stands for the tuple of its characters, bytes for that of its bytes.
WordCounts: TypeAlias = Mapping[Any, int]


class Options(TypedDict, total=False):
    """What training can be asked for besides words, size and tie-break."""

    end_of_word: str  # a marker, such as "</w>", that is put behind the last symbol of every word
    min_frequency: int  # a pair that occurs less often is not merged
    max_token_length: int | None  # nor one whose result is longer, in characters or bytes, the marker too
    initial_alphabet: Iterable[Symbol]  # symbols that belong to the vocabulary even if no word has them
    special_tokens: Iterable[str]  # entries that come first in the vocabulary and are never merged


class Start:
    """The checked arguments of a training run, and its state before the first merge.

    `splits` maps each word to its symbols, `ids` each entry of the vocabulary to its id, in order: special tokens,
    then the alphabet, sorted.
    """

    def __init__(
        self,
        word_counts: WordCounts,
        vocab_size: int,
        end_of_word: str = "",
        min_frequency: int = 1,
        max_token_length: int | None = None,
        initial_alphabet: Iterable[Symbol] = (),
        special_tokens: Iterable[str] = (),
    ) -> None:
        """Check what `bpe_train.train` is given.

        Raises:
            ValueError, TypeError: as `bpe_train.train`.
        """
        whole_number("vocab_size", vocab_size)
        self.least = whole_number("min_frequency", min_frequency, at_least=1)
        self.longest = max_token_length
        if max_token_length is not None:
            whole_number("max_token_length", max_token_length, at_least=1)
        special = _checked(end_of_word, special_tokens)
        _check_words(word_counts)
        self.splits = {word: _marked(_symbols(word), end_of_word) for word in word_counts}
        alphabet = {symbol for split in self.splits.values() for symbol in split}
        alphabet.update(many("initial_alphabet", initial_alphabet))
        _check_symbols(alphabet)
        self.ids = {entry: id for id, entry in enumerate(dict.fromkeys([*special, *sorted(alphabet)]))}
        self.size = len(self.ids)
        if vocab_size < self.size:
            raise ValueError(_too_small(vocab_size, alphabet, special))

    def allowed(self, counts: Mapping[Pair, int]) -> dict[Pair, int]:
        """The pairs that may be merged: frequent enough, and short enough together."""
        return {pair: count for pair, count in counts.items() if count >= self.least and self.short_enough(pair)}

    def short_enough(self, pair: Pair) -> bool:
        """Whether the merge of this pair is no longer than a token may be."""
        return not self.longest or len(pair[0]) + len(pair[1]) <= self.longest


def known_options(options: Mapping[str, Any]) -> None:
    """Check the names of options.

    >>> known_options({"min_freq": 2})
    Traceback (most recent call last):
    ...
    TypeError: option='min_freq' is not known; did you mean 'min_frequency'? There are: 'end_of_word', ...
    """
    for name in options:
        try:
            by_name("option", name, Options.__annotations__)
        except ValueError as error:
            raise TypeError(str(error)) from None


def vocabulary(start: Start, merges: Iterable[Pair]) -> list[Symbol]:
    """All entries in the order of their ids: special tokens, the alphabet, and what the merges made.

    >>> vocabulary(Start({"hug": 10}, 4), [("h", "u")])
    ['g', 'h', 'u', 'hu']
    """
    return list(dict.fromkeys([*start.ids, *map(join, merges)]))


def join(pair: Pair) -> Symbol:
    """The symbol that a pair becomes.

    >>> join(("pu", "n"))
    'pun'
    """
    left, right = pair
    return left + right  # type: ignore[operator]  # both are str, or both are bytes


def _symbols(word: Any) -> Word:
    if isinstance(word, bytes):
        return tuple(word[i : i + 1] for i in range(len(word)))
    return characters(word) if isinstance(word, str) else tuple(word)


def _marked(split: Word, end_of_word: str) -> Word:
    if not split or not end_of_word:
        return split
    marker = end_of_word.encode() if isinstance(split[-1], bytes) else end_of_word
    return (*split[:-1], join((split[-1], marker)))


def _checked(end_of_word: object, special_tokens: Iterable[str]) -> list[str]:
    if not isinstance(end_of_word, str):
        raise TypeError(f'end_of_word={end_of_word!r} is a {type(end_of_word).__name__}; give a string, such as "</w>"')
    if isinstance(special_tokens, str):
        raise TypeError(f"special_tokens={special_tokens!r} is one string; give a list, such as [{special_tokens!r}]")
    special = many("special_tokens", special_tokens)
    if not all(isinstance(token, str) for token in special):
        raise TypeError(f'special_tokens={special!r:.60} should be strings, such as ["<pad>"]')
    return special


def _check_words(word_counts: object) -> None:
    if not isinstance(word_counts, Mapping):
        raise TypeError(
            f"word_counts={word_counts!r:.60} is a {type(word_counts).__name__}; it should map words to counts, "
            'such as {"hug": 10, "pug": 5}; count_words(text) makes them from a text'
        )
    for word, count in word_counts.items():
        if not isinstance(word, str | bytes | tuple):
            raise TypeError(f"the word {word!r:.60} in word_counts should be a str, bytes, or a tuple of symbols")
        whole_number(f"word_counts[{word!r:.60}]", count, at_least=1)
    if not any(word_counts):
        raise ValueError("word_counts has no word, so there is nothing to learn from; give a text with words in it")


def _check_symbols(alphabet: set[Any]) -> None:
    kinds = {type(symbol) for symbol in alphabet}
    if not (kinds == {str} or kinds == {bytes}) or "" in alphabet or b"" in alphabet:
        raise TypeError(
            "the symbols of all words (and of initial_alphabet) should be either all str or all bytes, none empty; "
            f"these are of type {', '.join(sorted(kind.__name__ for kind in kinds))}"
        )


def _too_small(vocab_size: int, alphabet: set[Symbol], special: list[str]) -> str:
    kind = "characters" if isinstance(next(iter(alphabet)), str) else "bytes"
    shown = " ".join(map(visible, sorted(alphabet)[:20])) + (" ..." if len(alphabet) > 20 else "")
    tokens = f" and {len(special)} special tokens" if special else ""
    least = len(alphabet.union(special))
    return (
        f"vocab_size={vocab_size} is smaller than the alphabet of your corpus ({len(alphabet)} {kind}: {shown})"
        f"{tokens}; ask for at least {least}"
    )
