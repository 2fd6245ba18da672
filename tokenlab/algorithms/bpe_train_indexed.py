"""The same merges as `bpe_train.train`, hundreds of times sooner: look only where something changes.

Adds: an index from each pair to the words that have it, and a heap of the pairs by count. A merge then visits only
the words with that pair, and changes only the counts of its neighbours there.
Leaves out: nothing; options and steps are those of `bpe_train.train`.

>>> train_indexed({"hug": 10, "pug": 5, "pun": 12}, vocab_size=7)
[('p', 'u'), ('pu', 'n')]
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Generator
from heapq import heapify, heappop, heappush, heapreplace
from operator import add
from typing import Any, Unpack

from tokenlab.algorithms.bpe_start import Options, Start, WordCounts, join, known_options
from tokenlab.algorithms.bpe_train import Merged, Merges, Stopped
from tokenlab.algorithms.tie_break import POLICIES, Pair, Policy, Tied, checked, lowest_id, policy_of
from tokenlab.steps import stepwise
from tokenlab.visible import Symbol


@stepwise
def train_indexed(
    word_counts: WordCounts, vocab_size: int, tie_break: str | Policy = "first_seen", **options: Unpack[Options]
) -> Generator[Merged | Stopped, None, Merges]:
    """Learn the merges that `bpe_train.train` learns from the same arguments, from an index of pairs and a heap.

    Raises:
        ValueError, TypeError: as `bpe_train.train`.

    >>> train_indexed({"hug": 10, "pug": 5, "pun": 12}, vocab_size=6, tie_break="lowest_id")
    [('p', 'u')]
    """
    policy = policy_of(tie_break)
    known_options(options)
    start = Start(word_counts, vocab_size, **options)
    index = PairIndex(start, word_counts, policy)
    start.splits.clear()  # the index has the same words, in much less memory
    merges: Merges = []
    while start.size + len(merges) < vocab_size:
        pair, count, ties = index.best()
        if count < start.least:
            yield Stopped(start.size + len(merges), vocab_size)
            break
        merges.append(index.merge(pair))
        yield Merged(merges[-1], count, ties)
    return merges


class PairIndex:
    """The words, and for each pair of neighbours its count and the words where it stands.

    The idea that makes it quick in Python: the symbol with id `i` is written as the character `chr(i)`. So a word is a
    string, a pair is a string of two, and to merge a pair in a word is to split the word there and join it again.
    """

    def __init__(self, start: Start, word_counts: WordCounts, policy: Policy) -> None:
        """Count the pairs of the words as they are split at the start."""
        self.symbols = list(start.ids)
        self.ids = start.ids
        self.short_enough = start.short_enough
        self.any_length = start.longest is None
        # A key in a heap may only grow. Nobody knows that of a learner's own policy: it looks at each tie anew.
        self.own_policy = policy not in POLICIES.values()
        self.policy = checked(policy) if self.own_policy else policy
        letter = {symbol: chr(id) for symbol, id in start.ids.items()}
        self.words = ["".join(map(letter.__getitem__, split)) for split in start.splits.values()]
        self.frequencies = list(word_counts.values())
        self.counts: dict[str, int] = defaultdict(int)
        self.where: dict[str, list[int]] = defaultdict(list)
        for number, (word, frequency) in enumerate(zip(self.words, self.frequencies, strict=True)):
            for pair in map(add, word, word[1:]):
                self.counts[pair] += frequency
                self.where[pair].append(number)
        for pair in [pair for pair in self.counts if not self.short_enough(self._as_symbols(pair))]:
            del self.counts[pair], self.where[pair]
        # How many pairs have each count, so that the size of a tie is known without a search.
        self.pairs_with = Counter(self.counts.values())
        self.heap = [(-count, self._key(pair), pair) for pair, count in self.counts.items()]
        heapify(self.heap)

    def best(self) -> tuple[str, int, int]:
        """The pair to merge next, its count (0 if there is none), and how many pairs tie at that count."""
        while self.heap:
            entry = self.heap[0]
            pair = entry[2]
            if pair not in self.counts:
                heappop(self.heap)
                continue
            count = self.counts[pair]
            # subtle: a key may only grow, so while the count is out of date the old key is early enough.
            now = (-count, self._key(pair) if -count == entry[0] else entry[1], pair)
            if now == entry:
                ties = self.pairs_with[count]
                return (self._own_choice(count) if self.own_policy and ties > 1 else pair), count, ties
            # The heap is lazy: an entry whose pair has changed is put right only when it comes up.
            heapreplace(self.heap, now)
        return "", 0, 0

    def merge(self, pair: str) -> Pair:
        """Merge a pair everywhere, and give it back as symbols."""
        symbols = self._as_symbols(pair)
        symbol = self.joined(symbols)
        if symbol not in self.ids:
            self.ids[symbol] = len(self.symbols)
            self.symbols.append(symbol)
        new = chr(self.ids[symbol])
        before, after, doubled = self._merge_in_words(pair, new)
        left, right = pair[0], pair[1]
        for neighbour, numbers in before.items():
            self._replace(neighbour + left, neighbour + new, numbers)
        for neighbour, numbers in after.items():
            self._replace(right + neighbour, new + neighbour, numbers)
        if doubled:
            self._replace(right + left, new + new, doubled)
        self._count(pair, -self.counts.get(pair, 0))
        return symbols

    def joined(self, pair: Pair) -> Symbol:
        """The symbol that a pair becomes; WordPiece has another rule."""
        return join(pair)

    def _merge_in_words(self, pair: str, new: str) -> tuple[dict[str, list[int]], dict[str, list[int]], list[int]]:
        """Merge in the words, and list those with each neighbour before the pair, after it, and with the pair twice.

        A word is listed once for each time that it has the neighbour there.
        """
        before: dict[str, list[int]] = defaultdict(list)
        after: dict[str, list[int]] = defaultdict(list)
        doubled: list[int] = []
        for number in self.where.pop(pair):
            parts = self.words[number].split(pair)
            if len(parts) == 1:
                continue  # an earlier merge took the pair apart, or the word is listed twice
            self.words[number] = new.join(parts)
            if parts[0]:
                before[parts[0][-1]].append(number)
            for part in parts[1:-1]:
                # subtle: with nothing between them, the neighbour is the pair itself, which is merged as well.
                if part:
                    after[part[0]].append(number)
                    before[part[-1]].append(number)
                else:
                    doubled.append(number)
            if parts[-1]:
                after[parts[-1][0]].append(number)
        return before, after, doubled

    def _replace(self, lost: str, gained: str, numbers: list[int]) -> None:
        """Count that in these words one pair took the place of another."""
        times = sum(map(self.frequencies.__getitem__, numbers))
        self._count(lost, -times)
        if self.any_length or self.short_enough(self._as_symbols(gained)):
            self._count(gained, times)
            self.where[gained] += numbers
            heappush(self.heap, (-self.counts[gained], self._key(gained), gained))

    def _count(self, pair: str, change: int) -> None:
        old = self.counts.get(pair, 0)
        if old:
            self.pairs_with[old] -= 1
        if old + change > 0:
            self.counts[pair] = old + change
            self.pairs_with[old + change] += 1
        else:
            self.counts.pop(pair, None)
            self.where.pop(pair, None)

    def _key(self, pair: str) -> Any:
        """What orders pairs of the same count in the heap."""
        if self.policy is lowest_id:
            # subtle: characters stand for ids, so the pair, as a string, is its own key.
            return pair
        return 0 if self.own_policy else self.policy(self._tied(pair))

    def _own_choice(self, count: int) -> str:
        tied = [self._tied(pair) for pair, other in self.counts.items() if other == count]
        left, right = min(tied, key=lambda tied: (self.policy(tied), tied.first)).ids
        return chr(left) + chr(right)

    def _tied(self, pair: str) -> Tied:
        return Tied(self._as_symbols(pair), (ord(pair[0]), ord(pair[1])), self._first(pair))

    def _first(self, pair: str) -> tuple[int, int]:
        """Where the pair stands first: the index of the word, and the length of what stands before it there."""
        where = self.where[pair]
        where.sort()
        gone = next(i for i, number in enumerate(where) if pair in self.words[number])
        del where[:gone]
        word = self.words[where[0]]
        return where[0], sum(len(self.symbols[ord(letter)]) for letter in word[: word.index(pair)])

    def _as_symbols(self, pair: str) -> Pair:
        return self.symbols[ord(pair[0])], self.symbols[ord(pair[1])]
