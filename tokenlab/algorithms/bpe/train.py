"""Train byte-pair encoding: repeatedly merge the most frequent pair of adjacent symbols.

Adds: the textbook loop, which recounts every pair before every merge and is therefore slow.
Still missing: speed; see `bpe.train_indexed`.
Source: Sennrich, Haddow and Birch 2016, "Neural Machine Translation of Rare Words with Subword Units", section 3.2.

>>> print(train.record({"hug": 10, "pug": 5, "pun": 12}, vocab_size=7))
1. p + u became pu: the pair occurred 17 times, more often than any other pair
2. pu + n became pun: the pair occurred 12 times, more often than any other pair
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Mapping
from typing import TypeAlias, TypeVar, Unpack

from tokenlab.algorithms.bpe.tie_break import Pair, Policy, choose, get_policy
from tokenlab.algorithms.bpe.training_state import (
    Options,
    TrainingState,
    WordCounts,
    check_options,
    merged_symbol,
    vocabulary,
)
from tokenlab.algorithms.text.count_words import Word
from tokenlab.printing.printable import Symbol, printable
from tokenlab.steps.recording import step, stepwise

K = TypeVar("K")
Merges: TypeAlias = list[Pair]


@step
class Merged:
    """A pair was merged in all words; `ties` pairs, including this one, had the same count."""

    pair: Pair
    count: int
    ties: int

    def __str__(self) -> str:
        left, right = map(printable, self.pair)
        times = f"{self.count} time{'s' if self.count > 1 else ''}"
        why = "more often than any other pair" if self.ties == 1 else f"as often as {self.ties - 1} other"
        if self.ties > 1:
            why += f" pair{'s' if self.ties > 2 else ''}, and the tie-break chose this one"
        return f"{left} + {right} became {left}{right}: the pair occurred {times}, {why}"


@step
class Stopped:
    """No pair is left that may be merged, and the vocabulary is smaller than requested."""

    size: int
    target_size: int

    def __str__(self) -> str:
        return f"training stops with {self.size} of {self.target_size} symbols: no pair is left that may be merged"


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
            see `training_state.Options`.

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
