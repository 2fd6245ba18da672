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
from collections.abc import Generator, Iterable, Mapping
from typing import TypeAlias, TypeVar

from tokenlab.algorithms.bpe_start import Start, WordCounts, join
from tokenlab.algorithms.tie_break import Pair, Policy, Tied, policy
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
    best: int  # how often the most frequent pair occurs that may be merged; 0 where there is none

    def __str__(self) -> str:
        """Say why training ends here."""
        why = "no pair is left to merge" if self.best == 0 else f"the best pair left occurs only {self.best} times"
        return f"training stops with {self.size} of {self.wanted} symbols: {why}"


@stepwise
def train(
    word_counts: WordCounts,
    vocab_size: int,
    tie_break: str | Policy = "first_seen",
    *,
    end_of_word: str = "",
    min_frequency: int = 1,
    max_token_length: int | None = None,
    initial_alphabet: Iterable[Symbol] = (),
    special_tokens: Iterable[str] = (),
) -> Generator[Merged | Stopped, None, Merges]:
    """Learn merges until the vocabulary has `vocab_size` entries: special tokens, distinct symbols, and merges.

    Args:
        word_counts: how often each word occurs; a word is a tuple of symbols (or a str, or bytes).
        vocab_size: the size of the vocabulary that is wanted.
        tie_break: which of equally frequent pairs is merged; a name in `tie_break.POLICIES`, or a function.
        end_of_word: a marker, such as "</w>", that is put behind the last symbol of every word.
        min_frequency: a pair that occurs less often is not merged.
        max_token_length: a merge is not made if its result is longer (in characters or bytes, the marker too).
        initial_alphabet: symbols that belong to the vocabulary even if no word has them.
        special_tokens: entries that come first in the vocabulary and are never merged.

    Raises:
        ValueError: no words, a size that does not hold the alphabet, a policy that is not known.
        TypeError: an argument of another type.

    >>> train({"hug": 10, "pug": 5, "pun": 12}, vocab_size=7)
    [('p', 'u'), ('pu', 'n')]
    """
    start = Start(
        word_counts, vocab_size, end_of_word, min_frequency, max_token_length, initial_alphabet, special_tokens
    )
    key = policy(tie_break)
    splits, ids, size = start.splits, start.ids, start.size
    merges: Merges = []
    while size < vocab_size:
        counts = count_pairs(splits, word_counts)
        best = max((count for pair, count in counts.items() if start.allows(pair)), default=0)
        if best < min_frequency:
            yield Stopped(size, vocab_size, best)
            break
        tied = [pair for pair, count in counts.items() if count == best and start.allows(pair)]
        pair = min(_looked_at(tied, ids, splits), key=key).pair if len(tied) > 1 else tied[0]
        splits = {word: merge(split, pair) for word, split in splits.items()}
        ids.setdefault(join(pair), len(ids))
        merges.append(pair)
        size += 1
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

    >>> merge(("a", "a", "a", "b"), ("a", "a"))
    ('aa', 'a', 'b')
    """
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


def _looked_at(tied: list[Pair], ids: Mapping[Symbol, int], splits: Mapping[K, Word]) -> list[Tied]:
    first: dict[Pair, tuple[int, int]] = {}
    for index, split in enumerate(splits.values()):
        before = 0
        for pair in zip(split, split[1:], strict=False):
            first.setdefault(pair, (index, before))
            before += len(pair[0])
    return [Tied(pair, (ids[pair[0]], ids[pair[1]]), first[pair]) for pair in tied]
