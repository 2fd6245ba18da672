"""Five misconceptions about training BPE, each as a wrong program.

Each program has the signature of the right function in `algorithms.bpe.train`, so it can replace that function.

>>> string_replace_merge(("xa", "b"), ("a", "b"))
('xab',)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from tokenlab.algorithms.bpe.tie_break import Pair, Tied, lexicographic_max
from tokenlab.algorithms.bpe.train import Merged, Merges, TrainingState, WordCounts, count_pairs, merge, train
from tokenlab.algorithms.text.count_words import Word
from tokenlab.misconceptions.misconception import Misconception
from tokenlab.steps.recording import stepwise

Splits = Mapping[Any, Word]


@stepwise
def tie_last_seen(word_counts: WordCounts, vocab_size: int) -> Generator[Any, None, Merges]:
    """Break ties in favor of the pair seen last, as `>=` does in a search for the maximum."""
    return (yield from train.steps(word_counts, vocab_size, _last_seen))


def _last_seen(tied: Tied) -> tuple[int, int]:
    return -tied.first[0], -tied.first[1]


@stepwise
def tie_lexicographic(word_counts: WordCounts, vocab_size: int) -> Generator[Any, None, Merges]:
    """Break ties in favor of the lexicographically largest pair, as `max((count, pair) ...)` does."""
    return (yield from train.steps(word_counts, vocab_size, lexicographic_max))


def nonoverlap_count(splits: Splits, word_counts: Mapping[Any, int]) -> Counter[Pair]:
    """Count pairs as `str.count` does, without overlaps.

    >>> nonoverlap_count({"aaaa": ("a",) * 4}, {"aaaa": 1})
    Counter({('a', 'a'): 2})
    """
    counts: Counter[Pair] = Counter()
    for word, split in splits.items():
        last: dict[Pair, int] = {}
        for position, pair in enumerate(pairwise(split)):
            if last.get(pair) != position - 1:
                counts[pair] += word_counts[word]
                last[pair] = position
    return counts


def overlap_count(split: Word, pair: Pair) -> int:
    """Count the occurrences of a pair, overlaps included: the expected number of new symbols.

    >>> overlap_count(("a", "a", "a", "a"), ("a", "a")), merged_count(("a", "a", "a", "a"), ("a", "a"))
    (3, 2)
    """
    return sum(neighbours == pair for neighbours in pairwise(split))


def merged_count(split: Word, pair: Pair) -> int:
    """Count the new symbols that a merge makes in a word: each one shortens the word by 1."""
    return len(split) - len(merge(split, pair))


def string_replace_merge(split: Word, pair: Pair) -> Word:
    """Merge by replacing text in the space-separated word; this can also join parts of two symbols."""
    if not all(isinstance(symbol, str) for symbol in split):
        return merge(split, pair)
    left, right = map(str, pair)
    return tuple(" ".join(map(str, split)).replace(f"{left} {right}", left + right).split(" "))


@stepwise
def batch_merge_stale_counts(
    word_counts: WordCounts, vocab_size: int, at_once: int = 2
) -> Generator[Merged, None, Merges]:
    """Count once, then merge the best few pairs by these counts, which are stale after the first merge."""
    start = TrainingState(word_counts, vocab_size)
    splits, merges = start.splits, Merges()
    while len(merges) < vocab_size - start.size:
        best = count_pairs(splits, word_counts).most_common(min(at_once, vocab_size - start.size - len(merges)))
        if not best:
            break
        for pair, count in best:
            splits = {word: merge(split, pair) for word, split in splits.items()}
            merges.append(pair)
            yield Merged(pair, count, 1)
    return merges


@stepwise
def no_exhaustion_guard(word_counts: WordCounts, vocab_size: int) -> Generator[Merged, None, Merges]:
    """Take the largest count without checking that a pair is left: `max()` of an empty sequence is an error."""
    start = TrainingState(word_counts, vocab_size)
    splits, merges = start.splits, Merges()
    while len(merges) < vocab_size - start.size:
        counts = count_pairs(splits, word_counts)
        pair = max(counts, key=counts.__getitem__)
        splits = {word: merge(split, pair) for word, split in splits.items()}
        merges.append(pair)
        yield Merged(pair, counts[pair], 1)
    return merges


MISCONCEPTIONS = [
    Misconception(
        1,
        "the most frequent pair is unique",
        "Several pairs are often tied. The tie-break is part of the algorithm. Another tie-break learns other merges.",
        (tie_last_seen, tie_lexicographic),
    ),
    Misconception(
        2,
        "the count of a pair is the number of merges",
        "Every adjacent pair counts, even if two pairs share a symbol. A merge, from the left, uses each symbol once.",
        (nonoverlap_count, overlap_count),
    ),
    Misconception(
        3,
        "a merge replaces text",
        "A merge joins two whole symbols that are adjacent. It never joins parts of symbols.",
        (string_replace_merge,),
    ),
    Misconception(
        4,
        "merging several pairs at once is the same",
        "Each merge changes the counts. So the pairs are counted again before the next pair is chosen.",
        (batch_merge_stale_counts,),
    ),
    Misconception(
        5,
        "any vocabulary size can be reached",
        "When every word is one symbol, no pair is left. Then training stops with a smaller vocabulary than requested.",
        (no_exhaustion_guard,),
    ),
]


# The guesses that follow from a misconception: the wrong answers of Predict.


@dataclass(frozen=True)
class MergeState:
    """The words before and after a merge, from which the guesses at the next merge are made."""

    word_counts: Mapping[Any, int]
    splits_before: Splits
    merged: Pair
    splits_after: Splits
    allowed: Callable[[Mapping[Pair, int]], Mapping[Pair, int]] = dict  # keeps the pairs that may be merged

    @cached_property
    def counts_before(self) -> Counter[Pair]:
        """Counts of all pairs before the merge."""
        return count_pairs(self.splits_before, self.word_counts)

    @cached_property
    def counts(self) -> Counter[Pair]:
        """Counts of all pairs after the merge."""
        return count_pairs(self.splits_after, self.word_counts)


def guess_stale_counts(state: MergeState, at_once: int = 3) -> list[Pair]:
    """Next most frequent pairs before the merge, which a batch would merge with it."""
    counts = Counter(state.allowed(state.counts_before))
    return [pair for pair, _ in counts.most_common(at_once) if pair != state.merged]


def guess_nonoverlap(state: MergeState) -> Pair | None:
    """Return the most frequent pair if overlapping pairs are counted once."""
    return _only_best(state.allowed(nonoverlap_count(state.splits_after, state.word_counts)))


def replaced(state: MergeState) -> Splits:
    """Return the words after the merge if it had replaced text."""
    return {word: string_replace_merge(split, state.merged) for word, split in state.splits_before.items()}


def guess_string_replace(state: MergeState) -> Pair | None:
    """Return the most frequent pair if the merge had replaced text."""
    return _only_best(state.allowed(count_pairs(replaced(state), state.word_counts)))


def _only_best(counts: Mapping[Pair, int]) -> Pair | None:
    """Return the most frequent pair; None if several pairs tie."""
    (pair, best), (_, second), *_ = [*Counter(counts).most_common(2), (None, 0), (None, 0)]
    return pair if best > second else None
