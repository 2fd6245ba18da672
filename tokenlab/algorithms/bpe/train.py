"""Train byte-pair encoding: repeatedly merge the most frequent pair of adjacent symbols.

Adds: the textbook loop, which recounts every pair before every merge and is therefore slow.
Still missing: speed; see `bpe.train_indexed`.
Source: Sennrich, Haddow and Birch 2016, "Neural Machine Translation of Rare Words with Subword Units", section 3.2.

>>> print(train.record({"hug": 10, "pug": 5, "pun": 12}, vocab_size=7))
1. p + u became pu: the pair occurred 17 times, more often than any other pair
2. pu + n became pun: the pair occurred 12 times, more often than any other pair
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Generator, Iterable, Mapping
from heapq import nlargest
from itertools import pairwise
from operator import itemgetter
from typing import Any, TypeAlias, TypedDict, TypeVar, Unpack

from tokenlab.algorithms.bpe.tie_break import Pair, Policy, choose, get_policy
from tokenlab.algorithms.text.count_words import Word, words_to_symbols
from tokenlab.printing.errors import as_list, check_integer, lookup
from tokenlab.printing.printable import Parts, Symbol, count_noun, merge_parts, printable, times, unit
from tokenlab.steps.recording import step, stepwise

K = TypeVar("K")
Merges: TypeAlias = list[Pair]
# A word is a tuple of symbols; a str means the tuple of its characters, bytes the tuple of its bytes.
WordCounts: TypeAlias = Mapping[Any, int]


class Options(TypedDict, total=False):
    """Training options besides words, size and tie-break."""

    end_of_word: str  # a marker, such as "</w>", appended to the last symbol of every word
    min_frequency: int  # a rarer pair is not merged
    max_token_length: int | None  # in characters or bytes, including the marker; longer tokens are not made
    initial_alphabet: Iterable[Symbol]  # symbols in the vocabulary even if no word contains them
    special_tokens: Iterable[str]  # entries that come first in the vocabulary and are never merged


@step
class Merged:
    """A pair was merged in all words; `ties` pairs, including this one, had the same count."""

    pair: Pair
    count: int
    ties: int

    def sentence(self) -> Parts:
        """Name the merge, and say why this pair was merged: the caption in a player, and the printed step."""
        made = merged_symbol(self.pair)
        why = "more often than any other pair"
        if self.ties > 1:
            why = f"as often as {count_noun(self.ties - 1, 'other pair')}, and the tie-break chose this one"
        return [*merge_parts(self.pair, made), f": the pair occurred {times(self.count)}, {why}"]

    def apply(self, progress: TrainingProgress) -> None:
        """Merge the pair in all words."""
        progress.merge(self.pair, merged_symbol(self.pair))


@step
class Stopped:
    """No pair is left that may be merged, and the vocabulary is smaller than requested."""

    size: int
    target_size: int

    def __str__(self) -> str:
        return f"training stops with {self.size} of {self.target_size} symbols: no pair is left to merge"

    def apply(self, progress: TrainingProgress) -> None:
        """Change nothing."""


@stepwise
def train(
    word_counts: WordCounts, vocab_size: int, tie_break: str | Policy = "first_seen", **options: Unpack[Options]
) -> Generator[Merged | Stopped, None, Merges]:
    """Learn merges until the vocabulary has `vocab_size` entries: special tokens, distinct symbols, and merges.

    Args:
        word_counts: the count of each word; a word is a tuple of symbols (or a str, or bytes).
        vocab_size: the requested vocabulary size.
        tie_break: decides which of equally frequent pairs is merged; a name in `tie_break.POLICIES`, or a function.
        options: `end_of_word`, `min_frequency`, `max_token_length`, `initial_alphabet`, `special_tokens`;
            see `Options`.

    Raises:
        ValueError: there are no words, vocab_size is smaller than the alphabet, or the policy is unknown.
        TypeError: an argument has the wrong type.

    >>> train({"hug": 10, "pug": 5, "pun": 12}, vocab_size=7)
    [('p', 'u'), ('pu', 'n')]
    """
    policy = get_policy(tie_break)
    check_options(options)
    start = TrainingState(word_counts, vocab_size, **options)
    splits = start.splits
    merges: Merges = []
    while start.size + len(merges) < vocab_size:
        counts = start.allowed(count_pairs(splits, word_counts))
        if not counts:
            yield Stopped(start.size + len(merges), vocab_size)
            break
        best = max(counts.values())
        tied = [pair for pair, count in counts.items() if count == best]
        pair = choose(tied, policy, vocabulary(start, merges), splits)
        splits = {word: merge(split, pair) for word, split in splits.items()}
        merges.append(pair)
        yield Merged(pair, best, len(tied))
    return merges


def count_pairs(splits: Mapping[K, Word], word_counts: Mapping[K, int]) -> Counter[Pair]:
    """Count the adjacent pairs, weighted by the counts of their words, in the order of first occurrence.

    >>> count_pairs({"hug": ("h", "u", "g")}, {"hug": 10})
    Counter({('h', 'u'): 10, ('u', 'g'): 10})
    """
    counts: Counter[Pair] = Counter()
    for word, split in splits.items():
        # subtle: overlapping pairs count: (a, a) occurs 3 times in "aaaa", although only two can be merged.
        for pair in zip(split, split[1:], strict=False):
            counts[pair] += word_counts[word]
    return counts


def merge(split: Word, pair: Pair) -> Word:
    """Merge each occurrence of the pair in a word, from the left.

    Raises:
        TypeError: split or pair is not a tuple of symbols.

    >>> merge(("a", "a", "a", "b"), ("a", "a"))
    ('aa', 'a', 'b')
    """
    if not (isinstance(split, tuple) and isinstance(pair, tuple)):
        raise TypeError(f"split={split!r:.60} and pair={pair!r:.60} should be tuples of symbols, such as ('p', 'u')")
    return replace_pair(split, pair, merged_symbol(pair))


def replace_pair(split: Word, pair: Pair, symbol: Symbol) -> Word:
    """Replace each occurrence of the pair in a word by one symbol, from the left.

    >>> replace_pair(("h", "##u", "##g"), ("h", "##u"), "hu")
    ('hu', '##g')
    """
    symbols: list[Symbol] = []
    position = 0
    while position < len(split):
        found = split[position : position + 2] == pair
        symbols.append(symbol if found else split[position])
        position += 2 if found else 1
    return tuple(symbols)


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


# The state before the first merge, and the checks of the arguments.
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
        _check_texts(end_of_word, special_tokens)
        self.min_frequency = check_integer("min_frequency", min_frequency, at_least=1)
        self.max_token_length = max_token_length
        if max_token_length is not None:
            check_integer("max_token_length", max_token_length, at_least=1)
        special, initial = as_list("special_tokens", special_tokens), as_list("initial_alphabet", initial_alphabet)
        _check_special_tokens(special)
        _check_words(word_counts)
        self.splits = words_to_symbols(word_counts, end_of_word)
        alphabet = {symbol for split in self.splits.values() for symbol in split} | {*initial}
        _check_symbols(alphabet)
        self.ids = {entry: id for id, entry in enumerate(dict.fromkeys([*special, *sorted(alphabet)]))}
        self.size = len(self.ids)
        self.vocab_size = check_vocab_size(vocab_size, alphabet, special)

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


def _check_texts(end_of_word: object, special_tokens: object) -> None:
    if not isinstance(end_of_word, str):
        raise TypeError(f'end_of_word={end_of_word!r} is a {type(end_of_word).__name__}; give a string, such as "</w>"')
    if isinstance(special_tokens, str):
        raise TypeError(f"special_tokens={special_tokens!r} is one string; give a list, such as [{special_tokens!r}]")


def _check_special_tokens(special: list[Any]) -> None:
    if not all(isinstance(token, str) for token in special):
        raise TypeError(f'special_tokens={special!r:.60} should be strings, such as ["<pad>"]')


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
    size, special = vocab_size if type(vocab_size) is int else check_integer("vocab_size", vocab_size), list(special)
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


class TrainingProgress:
    """What the steps are applied to: the symbols of each word, the counts of all symbols and pairs, and what changed.

    A merge changes only the words with its pair and their counts, whereas `train` recounts all pairs.
    `changed[n]` maps the words that merge n changed to their new symbols (n counts from 1; `changed[0]` has all words).
    `made` lists the symbols that the merges made.

    >>> progress = TrainingProgress.at_start({"word_counts": {"hug": 10, "hub": 2}, "vocab_size": 6})
    >>> progress.merge(("h", "u"), "hu")
    >>> progress.splits, progress.most_frequent(1)
    ({'hug': ('hu', 'g'), 'hub': ('hu', 'b')}, [(('hu', 'g'), 10)])
    """

    def __init__(self, start: TrainingState, word_counts: Mapping[Any, int]) -> None:
        self.start = start
        self.word_counts = word_counts
        self.splits: dict[Any, Word] = dict(start.splits)
        self.changed: list[dict[Any, Word]] = [start.splits]
        self.made: list[Symbol] = []
        self.symbols: Counter[Symbol] = Counter()
        self.pairs: Counter[Pair] = Counter()
        self._words_with: dict[Pair, dict[Any, None]] = defaultdict(dict)
        for word in self.splits:
            self._count(word, +1)

    @classmethod
    def at_start(cls, arguments: Mapping[str, Any]) -> TrainingProgress:
        """Return the progress before the first step of a recording of `train` with these arguments."""
        word_counts = arguments["word_counts"]
        start = TrainingState(word_counts, arguments["vocab_size"], **arguments.get("options", {}))
        return cls(start, word_counts)

    def merge(self, pair: Pair, symbol: Symbol) -> None:
        """Replace a pair by a symbol in all words."""
        changed = [word for word in self._words_with.pop(pair, ()) if pair in pairwise(self.splits[word])]
        for word in changed:
            self._count(word, -1)
            self.splits[word] = replace_pair(self.splits[word], pair, symbol)
            self._count(word, +1)
        self.changed.append({word: self.splits[word] for word in changed})
        self.made.append(symbol)

    def _count(self, word: Any, sign: int) -> None:
        split, times = self.splits[word], sign * self.word_counts[word]
        for symbol in split:
            self.symbols[symbol] += times
        for pair in pairwise(split):
            self.pairs[pair] += times
            if sign > 0:
                self._words_with[pair][word] = None
            elif not self.pairs[pair]:
                del self.pairs[pair]

    def most_frequent(self, num_pairs: int) -> list[tuple[Pair, int]]:
        """Return the most frequent pairs that may be merged, with their counts."""
        return nlargest(num_pairs, self.start.allowed(self.pairs).items(), key=itemgetter(1))

    def splits_after(self, merges: int) -> dict[Any, Word]:
        """Return the segmentation of each word after the given number of merges."""
        return {word: split for changed in self.changed[: merges + 1] for word, split in changed.items()}
