"""Training byte pair encoding: merge the most frequent pair of neighbours, again and again.

Adds: the textbook loop, which counts every pair anew before every merge, and is as slow as that sounds.
Still missing: speed, which is `bpe_train_indexed`.
Source: Sennrich, Haddow and Birch 2016, "Neural Machine Translation of Rare Words with Subword Units", section 3.2.

>>> print(train.record({"hug": 10, "pug": 5, "pun": 12}, vocab_size=7))
1. p + u became pu: they stood side by side 17 times, more often than any other pair
2. pu + n became pun: they stood side by side 12 times, more often than any other pair
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Mapping
from typing import TypeAlias, TypeVar, Unpack

from tokenlab.algorithms.bpe_start import Options, Start, WordCounts, join, known_options, vocabulary
from tokenlab.algorithms.tie_break import Pair, Policy, choose, policy_of
from tokenlab.algorithms.words import Word
from tokenlab.steps import step, stepwise
from tokenlab.visible import Symbol, visible

K = TypeVar("K")
Merges: TypeAlias = list[Pair]


@step
class Merged:
    """Everywhere in the words a pair became one symbol; `ties` pairs, this one among them, were as frequent."""

    pair: Pair
    count: int
    ties: int

    def __str__(self) -> str:
        """Say what was merged and why."""
        left, right = map(visible, self.pair)
        times = f"{self.count} time{'s' if self.count > 1 else ''}"
        why = "more often than any other pair" if self.ties == 1 else f"as often as {self.ties - 1} other"
        if self.ties > 1:
            why += f" pair{'s' if self.ties > 2 else ''}, and the tie-break chose this one"
        return f"{left} + {right} became {left}{right}: they stood side by side {times}, {why}"


@step
class Stopped:
    """No pair is left that may be merged, although the vocabulary is smaller than what was asked for."""

    size: int
    wanted: int

    def __str__(self) -> str:
        """Say that training ends here."""
        return f"training stops with {self.size} of {self.wanted} symbols: no pair is left that may be merged"


@stepwise
def train(
    word_counts: WordCounts,
    vocab_size: int,
    tie_break: str | Policy = "first_seen",
    **options: Unpack[Options],
) -> Generator[Merged | Stopped, None, Merges]:
    """Learn merges until the vocabulary has `vocab_size` entries: special tokens, distinct symbols, and merges.

    Args:
        word_counts: how often each word occurs; a word is a tuple of symbols (or a str, or bytes).
        vocab_size: the size of the vocabulary that is wanted.
        tie_break: which of equally frequent pairs is merged; a name in `tie_break.POLICIES`, or a function.
        options: `end_of_word`, `min_frequency`, `max_token_length`, `initial_alphabet`, `special_tokens`, which
            `bpe_start.Options` explains.

    Raises:
        ValueError: no words, a size that does not hold the alphabet, a policy that is not known.
        TypeError: an argument of another type.

    >>> train({"hug": 10, "pug": 5, "pun": 12}, vocab_size=7)
    [('p', 'u'), ('pu', 'n')]
    """
    policy = policy_of(tie_break)
    known_options(options)
    start = Start(word_counts, vocab_size, **options)
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
    """How often each pair of neighbours occurs, weighted by the words' counts, in the order of first occurrence.

    >>> count_pairs({"hug": ("h", "u", "g")}, {"hug": 10})
    Counter({('h', 'u'): 10, ('u', 'g'): 10})
    """
    counts: Counter[Pair] = Counter()
    for word, split in splits.items():
        # subtle: overlapping pairs count too, three times (a, a) in "aaaa", though only two can be merged.
        for pair in zip(split, split[1:], strict=False):
            counts[pair] += word_counts[word]
    return counts


def merge(split: Word, pair: Pair) -> Word:
    """The symbols of a word with each occurrence of the pair, from the left, made one symbol.

    Raises:
        TypeError: a str or a list where a tuple of symbols is meant.

    >>> merge(("a", "a", "a", "b"), ("a", "a"))
    ('aa', 'a', 'b')
    """
    if not (isinstance(split, tuple) and isinstance(pair, tuple)):
        raise TypeError(f"split={split!r:.60} and pair={pair!r:.60} should be tuples of symbols, such as ('p', 'u')")
    merged: list[Symbol] = []
    position = 0
    while position < len(split):
        if split[position : position + 2] == pair:
            merged.append(join(pair))
            position += 2
        else:
            merged.append(split[position])
            position += 1
    return tuple(merged)
