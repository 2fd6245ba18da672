"""Learn the same vocabulary as `wordpiece.train.train`, hundreds of times faster: update only the changed counts.

Adds: the index of `bpe.train_indexed`, and the counts of all pairs and symbols as arrays, from which numpy computes all
scores at once. A heap, as in BPE, does not work: a merge makes its two symbols rarer, which raises the score of every
other pair that contains them.
Leaves out: nothing; arguments and steps are those of `wordpiece.train.train`.

>>> train_indexed({"hug": 10, "pug": 5, "pun": 12}, vocab_size=7)
['##g', '##n', '##u', 'h', 'p', 'hu', 'hug']
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, TypeAlias, TypeVar, Unpack

import numpy as np
import numpy.typing as npt

from tokenlab.algorithms.bpe.tie_break import Pair, Policy, get_policy
from tokenlab.algorithms.bpe.train import Stopped
from tokenlab.algorithms.bpe.training_state import WordCounts
from tokenlab.algorithms.text.count_words import Word
from tokenlab.algorithms.wordpiece.pieces import Options, TrainingState, join
from tokenlab.algorithms.wordpiece.train import Merged, Vocabulary, count_symbols, score
from tokenlab.algorithms.wordpiece.train_by_frequency import PieceIndex
from tokenlab.steps import stepwise

T = TypeVar("T", bound=Any)
Floats: TypeAlias = npt.NDArray[np.float64]
Ids: TypeAlias = npt.NDArray[np.intp]
ROUNDING = 1e-12  # far above the rounding error of a quotient; scores this close to the best are compared exactly


@stepwise
def train_indexed(
    word_counts: WordCounts, vocab_size: int, tie_break: str | Policy = "first_seen", **options: Unpack[Options]
) -> Generator[Merged | Stopped, None, Vocabulary]:
    """Learn the vocabulary that `wordpiece.train.train` learns from the same arguments, with an index of pairs.

    It raises the errors of `wordpiece.train.train`.

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
        symbol_counts = index.symbol_counts(key)
        pair = index.merge(key)
        yield Merged(pair, join(pair, start.prefix), count, symbol_counts, ties)
    return list(map(str, index.symbols))


class ScoreIndex(PieceIndex):
    """An index of pairs, with arrays from which all scores are computed at once.

    Each pair has a slot: `pair_counts[slot]` is its count, `left[slot]` and `right[slot]` are the ids of its symbols.
    `inverse_counts[id]` is 1 divided by the count of a symbol. The slot of a removed pair has the count 0 and is
    reused.
    """

    def __init__(self, start: TrainingState, counts: Mapping[Word, int], policy: Policy) -> None:
        super().__init__(start, counts, policy)
        self.heap.clear()
        self.min_frequency = start.min_frequency
        self.counts_by_id: list[int] = []
        self.inverse_counts: Floats = np.zeros(1)
        for symbol, count in count_symbols(start.splits, start.counts).items():
            self._count_symbol(self.ids[symbol], count)
        self.slots: dict[str, int] = {}
        self.pair_in: list[str] = []
        self.free: list[int] = []
        self.pair_counts: Floats = np.zeros(1)
        self.left: Ids = np.zeros(1, np.intp)
        self.right: Ids = np.zeros(1, np.intp)
        for pair in self.counts:
            self._update_slot(pair)

    def best(self) -> tuple[str, int, int]:
        """Return the pair to merge next, its count (0 if no pair is left), and the number of pairs with its score."""
        scores = self.pair_counts * self.inverse_counts.take(self.left) * self.inverse_counts.take(self.right)
        highest = scores.max()
        if not highest:
            return "", 0, 0
        near = [self.pair_in[slot] for slot in np.flatnonzero(scores > highest * (1 - ROUNDING)).tolist()]
        tied = near if len(near) == 1 else self._highest(near)
        pair = tied[0] if len(tied) == 1 else self._choice(tied)
        return pair, self.counts[pair], len(tied)

    def symbol_counts(self, pair: str) -> tuple[int, int]:
        """Counts of the two symbols of a pair."""
        return self.counts_by_id[ord(pair[0])], self.counts_by_id[ord(pair[1])]

    def merge(self, pair: str) -> Pair:
        """Merge a pair in all words; return it as symbols."""
        # str.count counts from the left without overlaps, exactly as a merge applies.
        made = sum(self.frequencies[number] * self.words[number].count(pair) for number in set(self.where[pair]))
        symbols = super().merge(pair)
        self._count_symbol(ord(pair[0]), -made)
        self._count_symbol(ord(pair[1]), -made)
        self._count_symbol(self.ids[self.joined(symbols)], made)
        return symbols

    def _highest(self, pairs: list[str]) -> list[str]:
        """Return the pairs with the highest score, compared exactly."""
        scores = [score(self.counts[pair], *self.symbol_counts(pair)) for pair in pairs]
        highest = max(scores)
        return [pair for pair, its in zip(pairs, scores, strict=True) if its == highest]

    def _choice(self, tied: list[str]) -> str:
        left, right = min(map(self._tied, tied), key=lambda one: (self.policy(one), one.first)).ids
        return chr(left) + chr(right)

    def _replace(self, lost: str, gained: str, numbers: list[int]) -> None:
        times = sum(map(self.frequencies.__getitem__, numbers))
        self._count(lost, -times)
        self._count(gained, times)
        self.where[gained] += numbers

    def _count(self, pair: str, change: int) -> None:
        super()._count(pair, change)
        self._update_slot(pair)

    def _count_symbol(self, id: int, change: int) -> None:
        self.counts_by_id += [0] * (id + 1 - len(self.counts_by_id))
        self.inverse_counts = _with_room(self.inverse_counts, id)
        self.counts_by_id[id] += change
        self.inverse_counts[id] = 1 / self.counts_by_id[id] if self.counts_by_id[id] else 0

    def _update_slot(self, pair: str) -> None:
        """Write the count of a pair into its slot; a pair that is too rare has no slot."""
        count = self.counts.get(pair, 0)
        if count >= self.min_frequency:
            if pair not in self.slots:
                self.slots[pair] = self._new_slot(pair)
            self.pair_counts[self.slots[pair]] = count
        elif pair in self.slots:
            slot = self.slots.pop(pair)
            self.pair_counts[slot] = 0
            self.free.append(slot)

    def _new_slot(self, pair: str) -> int:
        if self.free:
            slot = self.free.pop()
            self.pair_in[slot] = pair
        else:
            slot = len(self.pair_in)
            self.pair_in.append(pair)
            self.pair_counts = _with_room(self.pair_counts, slot)
            self.left, self.right = _with_room(self.left, slot), _with_room(self.right, slot)
        self.left[slot], self.right[slot] = map(ord, pair)
        return slot


def _with_room(array: npt.NDArray[T], index: int) -> npt.NDArray[T]:
    """Return the array, extended with zeros if the index is beyond its end."""
    missing = index + 1 - len(array)
    return array if missing <= 0 else np.concatenate([array, np.zeros(missing + len(array), array.dtype)])
