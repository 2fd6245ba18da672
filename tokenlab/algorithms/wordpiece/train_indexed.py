"""Learn the same vocabulary as `wordpiece.train.train`, hundreds of times faster: update only the changed counts.

Adds: the index of `bpe.train_indexed`, and an array with the scores of all pairs, in which numpy finds the highest. A
merge makes its two symbols rarer, which raises the score of every other pair that contains them; only these scores, and
those of the new symbol, are computed again. A heap, as in BPE, expects scores that never rise.
Leaves out: nothing; arguments and steps are those of `wordpiece.train.train`.

>>> train_indexed({"hug": 10, "pug": 5, "pun": 12}, vocab_size=7)
['##g', '##n', '##u', 'h', 'p', 'hu', 'hug']
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterable, Mapping
from typing import Any, TypeAlias, TypeVar, Unpack

import numpy as np
import numpy.typing as npt

from tokenlab.algorithms.bpe.tie_break import Pair, Policy, get_policy
from tokenlab.algorithms.bpe.train import Stopped, WordCounts
from tokenlab.algorithms.text.count_words import Word
from tokenlab.algorithms.wordpiece.pieces import Options, TrainingState, join
from tokenlab.algorithms.wordpiece.train import Merged, Vocabulary, score
from tokenlab.algorithms.wordpiece.train_by_frequency import PieceIndex
from tokenlab.steps.recording import stepwise

T = TypeVar("T", bound=Any)
Floats: TypeAlias = npt.NDArray[np.float64]
Ids: TypeAlias = npt.NDArray[np.intp]
ROUNDING = 1e-12  # far above the rounding error of a quotient; scores this close to the best are compared exactly


@stepwise
def train_indexed(
    word_counts: WordCounts, vocab_size: int, tie_break: str | Policy = "first_seen", **options: Unpack[Options]
) -> Generator[Merged | Stopped, None, Vocabulary]:
    """Learn the vocabulary that `wordpiece.train.train` learns from the same arguments, with an index of pairs.

    Raises:
        ValueError, TypeError: as `wordpiece.train.train`.

    >>> train_indexed({"hug": 10, "pug": 5, "pun": 12}, vocab_size=6, tie_break="lexicographic_max")[-1]
    'pu'
    """
    policy = get_policy(tie_break)
    start = TrainingState(word_counts, vocab_size, **options)
    index = ScoreIndex(start, start.counts, policy)
    while len(index.symbols) < vocab_size:
        key, count, ties = index.best()
        if not count:
            yield Stopped(len(index.symbols), vocab_size)
            break
        symbol_counts = index.counts_of_symbols(key)
        pair = index.merge(key)
        yield Merged(pair, join(pair, start.prefix), count, symbol_counts, ties)
    return list(map(str, index.symbols))


class ScoreIndex(PieceIndex):
    """An index of pairs, with arrays that contain all scores.

    Each pair has a slot: `pair_counts[slot]` is its count, `scores[slot]` its score, `left[slot]` and `right[slot]` are
    the ids of its symbols. `slots_with[id]` are the slots of the pairs that contain a symbol, and `symbol_counts[id]`
    is its count. The slot of a removed pair has the score 0 and is reused.
    """

    def __init__(self, start: TrainingState, counts: Mapping[Word, int], policy: Policy) -> None:
        super().__init__(start, counts, policy)
        self.min_frequency = start.min_frequency
        self.count_of: dict[int, int] = defaultdict(int)
        for pair, count in self.counts.items():
            self.count_of[ord(pair[0])] += count
        for word, frequency in zip(self.words, self.frequencies, strict=True):
            for last in word[-1:]:  # the only symbol that begins no pair
                self.count_of[ord(last)] += frequency
        self.symbol_counts: Floats = np.array([self.count_of[id] for id in range(len(self.symbols))], np.float64)
        self.slots: dict[str, int] = {}
        self.pair_in: list[str] = []
        self.free: list[int] = []
        self.slots_with: dict[int, set[int]] = defaultdict(set)
        size = len(self.counts)
        self.pair_counts: Floats = np.zeros(size)
        self.scores: Floats = np.zeros(size)
        self.left: Ids = np.zeros(size, np.intp)
        self.right: Ids = np.zeros(size, np.intp)
        for pair in self.counts:
            self._update_slot(pair)
        self._update_scores(self.count_of)

    def best(self) -> tuple[str, int, int]:
        """Return the pair to merge next, its count (0 if no pair is left), and the number of pairs with its score."""
        highest = self.scores.max(initial=0)
        if not highest:
            return "", 0, 0
        near = [self.pair_in[slot] for slot in np.flatnonzero(self.scores > highest * (1 - ROUNDING)).tolist()]
        tied = near if len(near) == 1 else self._highest(near)
        pair = tied[0] if len(tied) == 1 else self._choice(tied)
        return pair, self.counts[pair], len(tied)

    def counts_of_symbols(self, pair: str) -> tuple[int, int]:
        """Counts of the two symbols of a pair."""
        return self.count_of[ord(pair[0])], self.count_of[ord(pair[1])]

    def merge(self, pair: str) -> Pair:
        """Merge a pair in all words; return it as symbols."""
        # str.count counts from the left without overlaps, exactly as a merge applies.
        made = sum(self.frequencies[number] * self.words[number].count(pair) for number in set(self.where[pair]))
        symbols = super().merge(pair)
        left, right, new = (self.ids[symbol] for symbol in (*symbols, self.joined(symbols)))
        self._count_symbol(left, -made)
        self._count_symbol(right, -made)
        self._count_symbol(new, made)
        self._update_scores((left, right, new))
        return symbols

    def _highest(self, pairs: list[str]) -> list[str]:
        """Return the pairs with the highest score, compared exactly."""
        scores = [score(self.counts[pair], *self.counts_of_symbols(pair)) for pair in pairs]
        highest = max(scores)
        return [pair for pair, its in zip(pairs, scores, strict=True) if its == highest]

    def _choice(self, tied: list[str]) -> str:
        left, right = min(map(self._tied, tied), key=lambda one: (self.policy(one), one.first)).ids
        return chr(left) + chr(right)

    def _replace(self, lost: str, gained: str, numbers: list[int]) -> None:
        times = self._times(numbers)
        self._count(lost, -times)
        self._count(gained, times)
        self.where[gained] += numbers

    def _count(self, pair: str, change: int) -> None:
        super()._count(pair, change)
        self._update_slot(pair)

    def _count_symbol(self, id: int, change: int) -> None:
        self.count_of[id] += change
        self.symbol_counts = _with_room(self.symbol_counts, id)
        self.symbol_counts[id] = self.count_of[id]

    def _update_slot(self, pair: str) -> None:
        """Write the count of a pair into its slot; a pair that is too rare has no slot."""
        count = self.counts.get(pair, 0)
        if count >= self.min_frequency:
            if pair not in self.slots:
                self._take_slot(pair)
            self.pair_counts[self.slots[pair]] = count
        elif pair in self.slots:
            self._free_slot(pair)

    def _take_slot(self, pair: str) -> None:
        slot = self.slots[pair] = self.free.pop() if self.free else len(self.pair_in)
        self.pair_in[slot : slot + 1] = [pair]
        if slot == len(self.scores):
            self.pair_counts, self.scores = _with_room(self.pair_counts, slot), _with_room(self.scores, slot)
            self.left, self.right = _with_room(self.left, slot), _with_room(self.right, slot)
        left, right = map(ord, pair)
        self.left[slot], self.right[slot] = left, right
        self.slots_with[left].add(slot)
        self.slots_with[right].add(slot)

    def _free_slot(self, pair: str) -> None:
        slot = self.slots.pop(pair)
        for symbol in pair:
            self.slots_with[ord(symbol)].discard(slot)
        self.scores[slot] = 0
        self.free.append(slot)

    def _update_scores(self, ids: Iterable[int]) -> None:
        """Compute the scores of the pairs that contain symbols with these ids again."""
        slots = np.array([slot for id in ids for slot in self.slots_with[id]], np.intp)
        left, right = self.symbol_counts[self.left[slots]], self.symbol_counts[self.right[slots]]
        self.scores[slots] = self.pair_counts[slots] / (left * right)


def _with_room(array: npt.NDArray[T], index: int) -> npt.NDArray[T]:
    """Return the array, extended with zeros if the index is beyond its end."""
    missing = index + 1 - len(array)
    return array if missing <= 0 else np.concatenate([array, np.zeros(missing + len(array), array.dtype)])
