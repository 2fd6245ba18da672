"""Five beliefs about training BPE that are wrong, each as a program that somebody has written.

Each has the signature of the right function in `algorithms.bpe_train`, so that it can stand in its place.

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

from tokenlab.algorithms.bpe_start import Start, WordCounts
from tokenlab.algorithms.bpe_train import Merged, Merges, count_pairs, merge, train
from tokenlab.algorithms.tie_break import Pair, Tied, lexicographic_max
from tokenlab.algorithms.words import Word
from tokenlab.steps import stepwise

Splits = Mapping[Any, Word]


@dataclass(frozen=True)
class Misconception:
    """A belief, the rule that it breaks, and the programs that follow from it."""

    number: int
    belief: str
    rule: str
    programs: tuple[Callable[..., Any], ...]


# 1. The most frequent pair is unique, so nobody need say which of two is taken.


@stepwise
def tie_last_seen(word_counts: WordCounts, vocab_size: int) -> Generator[Any, None, Merges]:
    """Take, of pairs that tie, the one that was met last: what `>=` does in a search for the largest."""
    return (yield from train.steps(word_counts, vocab_size, _last_seen))


def _last_seen(tied: Tied) -> tuple[int, int]:
    return -tied.first[0], -tied.first[1]


@stepwise
def tie_lexicographic(word_counts: WordCounts, vocab_size: int) -> Generator[Any, None, Merges]:
    """Take, of pairs that tie, the one that a dictionary lists last: what `max((count, pair) ...)` does."""
    return (yield from train.steps(word_counts, vocab_size, lexicographic_max))


# 2. What is counted is what can be merged.


def nonoverlap_count(splits: Splits, word_counts: Mapping[Any, int]) -> Counter[Pair]:
    """Count pairs as `str.count` does: once an occurrence is counted, its symbols are used up.

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
    """Expect a merge to make one new symbol for each pair that was counted.

    >>> overlap_count(("a", "a", "a", "a"), ("a", "a")), merged_count(("a", "a", "a", "a"), ("a", "a"))
    (3, 2)
    """
    return sum(neighbours == pair for neighbours in pairwise(split))


def merged_count(split: Word, pair: Pair) -> int:
    """How many new symbols a merge really makes in a word: each shortens it by one."""
    return len(split) - len(merge(split, pair))


# 3. A merge replaces text.


def string_replace_merge(split: Word, pair: Pair) -> Word:
    """Merge by replacing in the text with blanks, which also glues the end of one symbol to the start of another."""
    if not all(isinstance(symbol, str) for symbol in split):
        return merge(split, pair)
    left, right = map(str, pair)
    return tuple(" ".join(map(str, split)).replace(f"{left} {right}", left + right).split(" "))


# 4. The counts stay as they are, so several pairs may be merged at once.


@stepwise
def batch_merge_stale_counts(
    word_counts: WordCounts, vocab_size: int, at_once: int = 2
) -> Generator[Merged, None, Merges]:
    """Count once, then merge the best few pairs by those counts, which the first of these merges has changed."""
    start = Start(word_counts, vocab_size)
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


# 5. There is always another pair.


@stepwise
def no_exhaustion_guard(word_counts: WordCounts, vocab_size: int) -> Generator[Merged, None, Merges]:
    """Take the largest count without asking whether there is any: `max()` of nothing is an error."""
    start = Start(word_counts, vocab_size)
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
        "Pairs often tie; a rule that is part of the algorithm decides, and another rule learns other merges.",
        (tie_last_seen, tie_lexicographic),
    ),
    Misconception(
        2,
        "what is counted is what can be merged",
        "Every pair of neighbours counts, also where two pairs share a symbol; a merge, from the left, cannot.",
        (nonoverlap_count, overlap_count),
    ),
    Misconception(
        3,
        "a merge replaces text",
        "A merge joins two whole symbols that are neighbours; parts of symbols stay as they are.",
        (string_replace_merge,),
    ),
    Misconception(
        4,
        "merging several pairs at once is the same",
        "Each merge changes the counts, so they are counted anew before the next pair is chosen.",
        (batch_merge_stale_counts,),
    ),
    Misconception(
        5,
        "any size of vocabulary can be reached",
        "When every word is one symbol no pair is left, and training stops with the vocabulary it has.",
        (no_exhaustion_guard,),
    ),
]


# What somebody who holds a belief would guess: the wrong answers of Predict.


@dataclass(frozen=True)
class Moment:
    """The words before and after a merge: all that a guess at the next one can be made from."""

    word_counts: Mapping[Any, int]
    before: Splits
    merged: Pair
    now: Splits
    allowed: Callable[[Mapping[Pair, int]], Mapping[Pair, int]] = dict  # of pairs with counts, those that may be merged

    @cached_property
    def counts_before(self) -> Counter[Pair]:
        """How often each pair occurred before the merge."""
        return count_pairs(self.before, self.word_counts)

    @cached_property
    def counts(self) -> Counter[Pair]:
        """How often each pair occurs now."""
        return count_pairs(self.now, self.word_counts)


def guess_stale_counts(moment: Moment, at_once: int = 3) -> list[Pair]:
    """The pairs that came behind the merged one in the counts before: what a batch would merge with it."""
    counts = Counter(moment.allowed(moment.counts_before))
    return [pair for pair, _ in counts.most_common(at_once) if pair != moment.merged]


def guess_nonoverlap(moment: Moment) -> Pair | None:
    """The best pair if overlapping pairs are counted once."""
    return _only_best(moment.allowed(nonoverlap_count(moment.now, moment.word_counts)))


def replaced(moment: Moment) -> Splits:
    """The words after the merge if it had replaced text."""
    return {word: string_replace_merge(split, moment.merged) for word, split in moment.before.items()}


def guess_string_replace(moment: Moment) -> Pair | None:
    """The best pair if the merge had replaced text."""
    return _only_best(moment.allowed(count_pairs(replaced(moment), moment.word_counts)))


def _only_best(counts: Mapping[Pair, int]) -> Pair | None:
    """The most frequent pair; None where pairs tie for that, so that nobody could say which comes first."""
    (pair, best), (_, second), *_ = [*Counter(counts).most_common(2), (None, 0), (None, 0)]
    return pair if best > second else None
