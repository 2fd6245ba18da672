"""The same vocabulary as `wordpiece_train.train`, hundreds of times sooner: count anew only what a merge changes.

Adds: the index of `bpe_train_indexed`, and the counts of all pairs and pieces as arrays, from which numpy makes all
scores at once. A heap, as BPE has it, would not do: a merge makes its two pieces rarer, and so raises the score of
every other pair that they are in.
Leaves out: nothing; arguments and steps are those of `wordpiece_train.train`.

>>> train_indexed({"hug": 10, "pug": 5, "pun": 12}, vocab_size=7)
['##g', '##n', '##u', 'h', 'p', 'hu', 'hug']
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from tokenlab.algorithms.bpe_start import WordCounts
from tokenlab.algorithms.bpe_train import Stopped
from tokenlab.algorithms.tie_break import Pair, Policy, policy_of
from tokenlab.algorithms.wordpiece_pieces import PREFIX, Start, join
from tokenlab.algorithms.wordpiece_train import Merged, Vocabulary
from tokenlab.algorithms.wordpiece_train_by_count import PieceIndex
from tokenlab.algorithms.words import Word
from tokenlab.steps import stepwise

ROUNDING = 1e-12  # far more than the rounding of a quotient; what is that near to the best is compared exactly


@stepwise
def train_indexed(
    word_counts: WordCounts,
    vocab_size: int,
    tie_break: str | Policy = "first_seen",
    prefix: str = PREFIX,
    min_frequency: int = 1,
    special_tokens: Iterable[str] = (),
) -> Generator[Merged | Stopped, None, Vocabulary]:
    """Learn the vocabulary that `wordpiece_train.train` learns from the same arguments, from an index of pairs.

    Raises:
        ValueError, TypeError: as `wordpiece_train.train`.

    >>> train_indexed({"hug": 10, "pug": 5, "pun": 12}, vocab_size=6, tie_break="lexicographic_max")[-1]
    'pu'
    """
    policy = policy_of(tie_break)
    start = Start(word_counts, vocab_size, prefix, min_frequency, special_tokens)
    index = ScoreIndex(start, start.counts, policy, prefix)
    while len(index.symbols) < vocab_size:
        letters, count, ties = index.best()
        if not count:
            yield Stopped(len(index.symbols), vocab_size)
            break
        alone = index.alone(letters)
        pair = index.merge(letters)
        yield Merged(pair, join(pair, prefix), count, alone, ties)
    return list(map(str, index.symbols))


class ScoreIndex(PieceIndex):
    """The index of pairs with the counts of pairs and pieces as arrays.

    Each pair has a slot: `together[slot]` is its count, `left[slot]` and `right[slot]` are the ids of its pieces, and
    `pieces[id]` is the count of a piece. The slot of a pair that is gone has the count 0, and is used again.
    """

    def __init__(self, start: Start, counts: Mapping[Word, int], policy: Policy, prefix: str) -> None:
        """Count the pairs and pieces of the words as they are split at the start."""
        super().__init__(start, counts, policy, prefix)
        self.heap.clear()
        self.least = start.least
        self.pieces = np.zeros(len(self.symbols), np.int64)
        for word, frequency in zip(self.words, self.frequencies, strict=True):
            for letter in word:
                self.pieces[ord(letter)] += frequency
        self.slots: dict[str, int] = {}
        self.pair_in: list[str] = []
        self.free: list[int] = []
        self.together, self.left, self.right = np.zeros((3, 1), np.int64)
        for pair in self.counts:
            self._note(pair)

    def best(self) -> tuple[str, int, int]:
        """The pair to merge next, its count (0 if there is none), and how many pairs tie at that score."""
        products = np.maximum(self.pieces[self.left] * self.pieces[self.right], 1)
        scores = np.where(self.together >= self.least, self.together / products, 0)
        highest = scores.max()
        if not highest:
            return "", 0, 0
        near = np.flatnonzero(scores >= highest * (1 - ROUNDING))
        tied = near if len(near) == 1 else near[_largest(self.together[near], products[near])]
        pair = self._choice([self.pair_in[slot] for slot in tied.tolist()])
        return pair, self.counts[pair], len(tied)

    def alone(self, pair: str) -> tuple[int, int]:
        """How often each of the two pieces occurs."""
        return int(self.pieces[ord(pair[0])]), int(self.pieces[ord(pair[1])])

    def merge(self, pair: str) -> Pair:
        """Merge a pair everywhere, and give it back as symbols."""
        # As str.count counts, from the left and without overlaps, so a merge is made.
        made = sum(self.frequencies[number] * self.words[number].count(pair) for number in set(self.where[pair]))
        symbols = super().merge(pair)
        new = self.ids[self.joined(symbols)]
        self.pieces = _with_room(self.pieces, new)
        for letter in pair:
            self.pieces[ord(letter)] -= made
        self.pieces[new] += made
        return symbols

    def _choice(self, tied: list[str]) -> str:
        if len(tied) == 1:
            return tied[0]
        described = map(self._tied, tied)
        left, right = min(described, key=lambda one: (self.policy(one), one.first)).ids
        return chr(left) + chr(right)

    def _replace(self, lost: str, gained: str, numbers: list[int]) -> None:
        times = sum(map(self.frequencies.__getitem__, numbers))
        self._count(lost, -times)
        self._count(gained, times)
        self.where[gained] += numbers

    def _count(self, pair: str, change: int) -> None:
        super()._count(pair, change)
        self._note(pair)

    def _note(self, pair: str) -> None:
        """Write the count of a pair into its slot."""
        count = self.counts.get(pair, 0)
        if pair not in self.slots:
            if not count:
                return
            self.slots[pair] = self._new_slot(pair)
        self.together[self.slots[pair]] = count
        if not count:
            self.free.append(self.slots.pop(pair))

    def _new_slot(self, pair: str) -> int:
        if self.free:
            slot = self.free.pop()
            self.pair_in[slot] = pair
        else:
            slot = len(self.pair_in)
            self.pair_in.append(pair)
            self.together, self.left, self.right = (
                _with_room(array, slot) for array in (self.together, self.left, self.right)
            )
        self.left[slot], self.right[slot] = map(ord, pair)
        return slot


def _with_room(array: npt.NDArray[np.int64], index: int) -> npt.NDArray[np.int64]:
    """The array, twice as long with zeros behind, if it has no place with that index yet."""
    return array if index < len(array) else np.concatenate([array, np.zeros_like(array)])


def _largest(numerators: npt.NDArray[np.int64], denominators: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Which of some fractions are the largest, exactly.

    >>> _largest(np.array([1, 2, 3]), np.array([3, 4, 6]))
    array([False,  True,  True])
    """
    divisors = np.gcd(numerators, denominators)
    numerators, denominators = numerators // divisors, denominators // divisors
    different = set(zip(numerators.tolist(), denominators.tolist(), strict=True))
    best = max(Fraction(*fraction) for fraction in different)
    mask: npt.NDArray[np.bool_] = (numerators == best.numerator) & (denominators == best.denominator)
    return mask
