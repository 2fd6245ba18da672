"""The initial state of BPE training: words as symbols, the initial vocabulary, and the checked options.

>>> start = TrainingState({"hug": 10, "pun": 12}, vocab_size=9, end_of_word="</w>")
>>> start.splits["pun"], start.size
(('p', 'u', 'n</w>'), 5)
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypeAlias, TypedDict

from tokenlab.algorithms.bpe.tie_break import Pair
from tokenlab.algorithms.text.count_words import Word, to_symbols
from tokenlab.printing.errors import as_list, check_integer, lookup
from tokenlab.printing.printable import Symbol, printable, unit

# A word is a tuple of symbols; a str means the tuple of its characters, bytes the tuple of its bytes.
WordCounts: TypeAlias = Mapping[Any, int]


class Options(TypedDict, total=False):
    """Training options besides words, size and tie-break."""

    end_of_word: str  # a marker, such as "</w>", appended to the last symbol of every word
    min_frequency: int  # a rarer pair is not merged
    max_token_length: int | None  # in characters or bytes, including the marker; longer tokens are not made
    initial_alphabet: Iterable[Symbol]  # symbols in the vocabulary even if no word contains them
    special_tokens: Iterable[str]  # entries that come first in the vocabulary and are never merged


class TrainingState:
    """The checked arguments of a training run and its state before the first merge.

    `splits` maps each word to its symbols. `ids` maps each vocabulary entry to its id, in order: special tokens, then
    the sorted alphabet.
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
        self.min_frequency = check_integer("min_frequency", min_frequency, at_least=1)
        self.max_token_length = max_token_length
        if max_token_length is not None:
            check_integer("max_token_length", max_token_length, at_least=1)
        special = _checked(end_of_word, special_tokens)
        _check_words(word_counts)
        self.splits = {word: _marked(to_symbols(word), end_of_word) for word in word_counts}
        alphabet = {symbol for split in self.splits.values() for symbol in split}
        alphabet.update(as_list("initial_alphabet", initial_alphabet))
        _check_symbols(alphabet)
        self.ids = {entry: id for id, entry in enumerate(dict.fromkeys([*special, *sorted(alphabet)]))}
        self.size = len(self.ids)
        check_vocab_size(vocab_size, alphabet, special)

    def allowed(self, counts: Mapping[Pair, int]) -> dict[Pair, int]:
        """Return the pairs that may be merged: frequent enough, and short enough when merged."""
        return {
            pair: count for pair, count in counts.items() if count >= self.min_frequency and self.short_enough(pair)
        }

    def short_enough(self, pair: Pair) -> bool:
        """Whether the merged pair is at most max_token_length long."""
        return not self.max_token_length or len(pair[0]) + len(pair[1]) <= self.max_token_length


def check_options(options: Mapping[str, Any]) -> None:
    """Check the names of the options.

    >>> check_options({"min_freq": 2})
    Traceback (most recent call last):
    ...
    TypeError: option='min_freq' is not known; did you mean 'min_frequency'? There are: 'end_of_word', ...
    """
    for name in options:
        try:
            lookup("option", name, Options.__annotations__)
        except ValueError as error:
            raise TypeError(str(error)) from None


def vocabulary(start: TrainingState, merges: Iterable[Pair]) -> list[Symbol]:
    """All vocabulary entries in id order: special tokens, the alphabet, and the merged symbols.

    >>> vocabulary(TrainingState({"hug": 10}, 4), [("h", "u")])
    ['g', 'h', 'u', 'hu']
    """
    return list(dict.fromkeys([*start.ids, *map(merged_symbol, merges)]))


def merged_symbol(pair: Pair) -> Symbol:
    """Concatenate the two symbols of a pair.

    >>> merged_symbol(("pu", "n"))
    'pun'
    """
    left, right = pair
    return left + right  # type: ignore[operator]  # both are str, or both are bytes


def _marked(split: Word, end_of_word: str) -> Word:
    if not split or not end_of_word:
        return split
    marker = end_of_word.encode() if isinstance(split[-1], bytes) else end_of_word
    return (*split[:-1], merged_symbol((split[-1], marker)))


def _checked(end_of_word: object, special_tokens: Iterable[str]) -> list[str]:
    if not isinstance(end_of_word, str):
        raise TypeError(f'end_of_word={end_of_word!r} is a {type(end_of_word).__name__}; give a string, such as "</w>"')
    if isinstance(special_tokens, str):
        raise TypeError(f"special_tokens={special_tokens!r} is one string; give a list, such as [{special_tokens!r}]")
    special = as_list("special_tokens", special_tokens)
    if not all(isinstance(token, str) for token in special):
        raise TypeError(f'special_tokens={special!r:.60} should be strings, such as ["<pad>"]')
    return special


def check_word_counts(word_counts: object) -> Mapping[Any, int]:
    """Return the word counts, which have to map words to positive integers.

    Raises:
        TypeError: not a mapping, or a count that is not an integer.
        ValueError: a count is below 1.

    >>> check_word_counts({"hug": 0.5})
    Traceback (most recent call last):
    ...
    TypeError: word_counts['hug']=0.5 is a float; give a whole number, such as 100
    """
    if not isinstance(word_counts, Mapping):
        raise TypeError(
            f"word_counts={word_counts!r:.60} is a {type(word_counts).__name__}; it should map words to counts, "
            'such as {"hug": 10, "pug": 5}; count_words(text) returns such a mapping'
        )
    for word, count in word_counts.items():
        if type(count) is not int or count < 1:  # the name of a word is formatted only for an error
            check_integer(f"word_counts[{word!r:.60}]", count, at_least=1)
    return word_counts


def _check_words(word_counts: Mapping[Any, int]) -> None:
    for word in check_word_counts(word_counts):
        if not isinstance(word, str | bytes | tuple):
            raise TypeError(f"the word {word!r:.60} in word_counts should be a str, bytes, or a tuple of symbols")
    if not any(word_counts):
        raise ValueError("word_counts has no words, so there is nothing to learn from; give a text that has words")


def _check_symbols(alphabet: set[Any]) -> None:
    kinds = {type(symbol) for symbol in alphabet}
    if not (kinds == {str} or kinds == {bytes}) or "" in alphabet or b"" in alphabet:
        raise TypeError(
            "the symbols of all words (and of initial_alphabet) should be either all str or all bytes, none empty; "
            f"these are of type {', '.join(sorted(kind.__name__ for kind in kinds))}"
        )


def check_vocab_size(vocab_size: int, alphabet: Collection[Any], special: Iterable[str] = ()) -> int:
    """Return the vocabulary size if the special tokens and the alphabet fit into it.

    Raises:
        ValueError, TypeError: they do not fit, or the size is not an integer.

    >>> check_vocab_size(2, {"a", "b", "\\n"})
    Traceback (most recent call last):
    ...
    ValueError: vocab_size=2 is smaller than the alphabet of your corpus (3 characters: ↵ a b); ask for at least 3
    """
    size, special = check_integer("vocab_size", vocab_size), list(special)
    least = len({*alphabet, *special})
    if size < least:
        units = f"{len(alphabet)} {unit(next(iter(alphabet), ''))}s"
        shown = " ".join(map(printable, sorted(alphabet)[:20])) + (" ..." if len(alphabet) > 20 else "")
        tokens = f" and {len(special)} special tokens" if special else ""
        raise ValueError(
            f"vocab_size={size} is smaller than the alphabet of your corpus ({units}: {shown}){tokens}; "
            f"ask for at least {least}"
        )
    return size
