"""The same vocabulary as `wordpiece_train.train`, hundreds of times sooner: count anew only what a merge changes.

Adds: the index of `bpe_train_indexed`, and the counts of all pairs and pieces as arrays, from which numpy makes all
scores at once. A heap, as BPE has it, would not do: a merge makes its two pieces rarer, and so raises the score of
every other pair that they are in.
Leaves out: nothing; arguments and steps are those of `wordpiece_train.train`.

>>> train_indexed({"hug": 10, "pug": 5, "pun": 12}, vocab_size=7)
['##g', '##n', '##u', 'h', 'p', 'hu', 'hug']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Mapping
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from tokenlab.algorithms.bpe_start import WordCounts
from tokenlab.algorithms.bpe_train import Stopped
from tokenlab.algorithms.tie_break import Pair, Policy, policy_of
from tokenlab.algorithms.wordpiece_pieces import PREFIX, Start, join
from tokenlab.algorithms.wordpiece_train import Merged, Vocabulary, score
from tokenlab.algorithms.wordpiece_train_by_count import PieceIndex
from tokenlab.algorithms.words import Word
from tokenlab.steps import stepwise

T = TypeVar("T", bound=Any)
Floats: TypeAlias = npt.NDArray[np.float64]
Ids: TypeAlias = npt.NDArray[np.intp]
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
    """The index of pairs, with arrays from which all scores are made at once.

    Each pair has a slot: `together[slot]` is its count, `left[slot]` and `right[slot]` are the ids of its pieces, and
    `rarity[id]` is one divided by the count of a piece. The slot of a pair that is gone has the count 0, and is used
    again.
    """

    def __init__(self, start: Start, counts: Mapping[Word, int], policy: Policy, prefix: str) -> None:
        """Count the pairs and pieces of the words as they are split at the start."""
        super().__init__(start, counts, policy, prefix)
        self.heap.clear()
        self.least = start.least
        self.pieces: list[int] = []
        self.rarity: Floats = np.zeros(1)
        for letter, count in _count_letters(self.words, self.frequencies).items():
            self._count_piece(ord(letter), count)
        self.slots: dict[str, int] = {}
        self.pair_in: list[str] = []
        self.free: list[int] = []
        self.together: Floats = np.zeros(1)
        self.left: Ids = np.zeros(1, np.intp)
        self.right: Ids = np.zeros(1, np.intp)
        for pair in self.counts:
            self._note(pair)

    def best(self) -> tuple[str, int, int]:
        """The pair to merge next, its count (0 if there is none), and how many pairs tie at that score."""
        scores = self.together * self.rarity.take(self.left) * self.rarity.take(self.right)
        highest = scores.max()
        if not highest:
            return "", 0, 0
        near = [self.pair_in[slot] for slot in np.flatnonzero(scores > highest * (1 - ROUNDING)).tolist()]
        tied = near if len(near) == 1 else self._highest(near)
        pair = tied[0] if len(tied) == 1 else self._choice(tied)
        return pair, self.counts[pair], len(tied)

    def alone(self, pair: str) -> tuple[int, int]:
        """How often each of the two pieces occurs."""
        return self.pieces[ord(pair[0])], self.pieces[ord(pair[1])]

    def merge(self, pair: str) -> Pair:
        """Merge a pair everywhere, and give it back as symbols."""
        # As str.count counts, from the left and without overlaps, so a merge is made.
        made = sum(self.frequencies[number] * self.words[number].count(pair) for number in set(self.where[pair]))
        symbols = super().merge(pair)
        self._count_piece(ord(pair[0]), -made)
        self._count_piece(ord(pair[1]), -made)
        self._count_piece(self.ids[self.joined(symbols)], made)
        return symbols

    def _highest(self, pairs: list[str]) -> list[str]:
        """Those of some pairs that have the highest score, exactly."""
        scores = [score(self.counts[pair], *self.alone(pair)) for pair in pairs]
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
        self._note(pair)

    def _count_piece(self, id: int, change: int) -> None:
        self.pieces += [0] * (id + 1 - len(self.pieces))
        self.rarity = _with_room(self.rarity, id)
        self.pieces[id] += change
        self.rarity[id] = 1 / self.pieces[id] if self.pieces[id] else 0

    def _note(self, pair: str) -> None:
        """Write the count of a pair into its slot; one that is too rare has none."""
        count = self.counts.get(pair, 0)
        if count >= self.least:
            if pair not in self.slots:
                self.slots[pair] = self._new_slot(pair)
            self.together[self.slots[pair]] = count
        elif pair in self.slots:
            slot = self.slots.pop(pair)
            self.together[slot] = 0
            self.free.append(slot)

    def _new_slot(self, pair: str) -> int:
        if self.free:
            slot = self.free.pop()
            self.pair_in[slot] = pair
        else:
            slot = len(self.pair_in)
            self.pair_in.append(pair)
            self.together = _with_room(self.together, slot)
            self.left, self.right = _with_room(self.left, slot), _with_room(self.right, slot)
        self.left[slot], self.right[slot] = map(ord, pair)
        return slot


def _count_letters(words: Iterable[str], frequencies: Iterable[int]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for word, frequency in zip(words, frequencies, strict=True):
        for letter in word:
            counts[letter] += frequency
    return counts


def _with_room(array: npt.NDArray[T], index: int) -> npt.NDArray[T]:
    """The array, longer and with zeros behind if it has no place with that index yet."""
    missing = index + 1 - len(array)
    return array if missing <= 0 else np.concatenate([array, np.zeros(missing + len(array), array.dtype)])
