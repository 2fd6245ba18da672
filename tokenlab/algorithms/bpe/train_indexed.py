"""Learn the same merges as `train.train`, hundreds of times faster, by updating only the counts that a merge changes.

Adds: an index from each pair to the words that contain it, and a heap of pairs by count. A merge visits only the words
with that pair, and updates only the counts of its neighboring pairs there.
Leaves out: nothing; options and steps are those of `train.train`.

>>> train_indexed({"hug": 10, "pug": 5, "pun": 12}, vocab_size=7)
[('p', 'u'), ('pu', 'n')]
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Generator, Iterable
from heapq import heapify, heappop, heappush, heapreplace
from operator import add
from typing import Any, Unpack

from tokenlab.algorithms.bpe.tie_break import (
    POLICIES,
    Pair,
    Policy,
    Tied,
    checked_policy,
    first_seen,
    get_policy,
    lowest_id,
)
from tokenlab.algorithms.bpe.train import (
    Merged,
    Merges,
    Options,
    Stopped,
    TrainingState,
    WordCounts,
    check_options,
    merged_symbol,
)
from tokenlab.printing.printable import Symbol
from tokenlab.steps.recording import stepwise


@stepwise
def train_indexed(
    word_counts: WordCounts, vocab_size: int, tie_break: str | Policy = "first_seen", **options: Unpack[Options]
) -> Generator[Merged | Stopped, None, Merges]:
    """Learn the merges that `train.train` learns from the same arguments, with an index of pairs and a heap.

    Raises:
        ValueError, TypeError: as `train.train`.

    >>> train_indexed({"hug": 10, "pug": 5, "pun": 12}, vocab_size=6, tie_break="lowest_id")
    [('p', 'u')]
    """
    policy = get_policy(tie_break)
    check_options(options)
    start = TrainingState(word_counts, vocab_size, **options)
    index = PairIndex(start, word_counts, policy)
    start.splits.clear()  # the index holds the same words in much less memory
    merges: Merges = []
    while start.size + len(merges) < vocab_size:
        pair, count, ties = index.best()
        if count < start.min_frequency:
            yield Stopped(start.size + len(merges), vocab_size)
            break
        merges.append(index.merge(pair))
        yield Merged(merges[-1], count, ties)
    return merges


class PairIndex:
    """The words, with the count of each adjacent pair and the words that contain it.

    For speed in Python, the symbol with id `i` is stored as the character `chr(i)`. A word is a string, a pair is a
    string of two characters, and merging a pair in a word is `str.split` and `str.join`.
    """

    def __init__(self, start: TrainingState, word_counts: WordCounts, policy: Policy) -> None:
        self.start = start
        self.symbols = list(start.ids)
        self.ids = start.ids
        self.short_enough = start.short_enough
        self.any_length = start.max_token_length is None
        # The heap needs keys that never decrease, which a custom policy may not ensure: evaluate it at each tie.
        self.custom_policy = policy not in POLICIES.values()
        self.policy = checked_policy(policy) if self.custom_policy else policy
        letter = {symbol: chr(id) for symbol, id in start.ids.items()}
        self.words = ["".join(map(letter.__getitem__, split)) for split in start.splits.values()]
        self.frequencies = list(word_counts.values())
        self.where: dict[str, list[int]] = defaultdict(list)
        for number, word in enumerate(self.words):
            for pair in map(add, word, word[1:]):
                self.where[pair].append(number)
        self.counts = {pair: self._times(numbers) for pair, numbers in self.where.items()}
        if not self.any_length:
            for pair in [pair for pair in self.counts if not self.short_enough(self._as_symbols(pair))]:
                del self.counts[pair], self.where[pair]
        self.heap: list[tuple[int, Any, str]] = []
        # The number of pairs with each count: the size of a tie is known without a search.
        self.pairs_with: Counter[int] = Counter()
        self.least = max(self.counts.values(), default=0) + 1  # the heap and `pairs_with` omit pairs with lower counts

    def best(self) -> tuple[str, int, int]:
        """Return the pair to merge next, its count (0 if no pair is left), and the number of pairs with that count."""
        while self.heap or self.least > 1:
            if not self.heap:
                self._fill_heap(max(1, self.least // 2))
                continue
            entry = self.heap[0]
            pair = entry[2]
            count = self.counts.get(pair, 0)
            if count < self.least:
                heappop(self.heap)
                continue
            # subtle: a key never decreases, so while the count is outdated the old key is not too late.
            now = (-count, self._exact_key(pair) if -count == entry[0] else entry[1], pair)
            if now == entry:
                ties = self.pairs_with[count]
                return (self._custom_choice(count) if self.custom_policy and ties > 1 else pair), count, ties
            # The heap is lazy: an outdated entry is corrected only when it reaches the top.
            heapreplace(self.heap, now)
        return "", 0, 0

    def _fill_heap(self, least: int) -> None:
        """Fill the heap with the pairs of at least this count: most pairs are rare, and need no key until then."""
        self.least = least
        self.heap = [(-count, self._key(pair), pair) for pair, count in self.counts.items() if count >= least]
        self.pairs_with = Counter(-minus_count for minus_count, _, _ in self.heap)
        heapify(self.heap)

    def merge(self, pair: str) -> Pair:
        """Merge a pair in all words; return it as symbols."""
        symbols = self._as_symbols(pair)
        symbol = self.joined(symbols)
        if symbol not in self.ids:
            self.ids[symbol] = len(self.symbols)
            self.symbols.append(symbol)
        new = chr(self.ids[symbol])
        before, after, doubled = merge_in_words(self.words, self.where.pop(pair), pair, new)
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
        """Return the merged symbol of a pair; WordPiece overrides this rule."""
        return merged_symbol(pair)

    def _replace(self, lost: str, gained: str, numbers: list[int]) -> None:
        """Update the counts: in these words one pair replaced another."""
        times = self._times(numbers)
        self._count(lost, -times)
        if self.any_length or self.short_enough(self._as_symbols(gained)):
            self._count(gained, times)
            self.where[gained] += numbers
            if self.counts[gained] >= self.least:
                heappush(self.heap, (-self.counts[gained], self._key(gained), gained))

    def _times(self, numbers: list[int]) -> int:
        """Return the count of a pair that occurs in the words with these numbers."""
        return sum(map(self.frequencies.__getitem__, numbers))

    def _count(self, pair: str, change: int) -> None:
        old = self.counts.get(pair, 0)
        new = old + change
        if old >= self.least:
            self.pairs_with[old] -= 1
        if new >= self.least:
            self.pairs_with[new] += 1
        if new > 0:
            self.counts[pair] = new
        else:
            self.counts.pop(pair, None)
            self.where.pop(pair, None)

    def _key(self, pair: str) -> Any:
        """Return a heap key that is not after the exact key; computing that of every new pair would take longer."""
        # subtle: characters encode ids, so for `lowest_id` the pair, as a string, is already the key.
        return pair if self.policy is lowest_id else ()

    def _exact_key(self, pair: str) -> Any:
        """Return the heap key that orders pairs of the same count."""
        if self.policy is first_seen:
            return self._first(pair)
        return self._key(pair) if self.custom_policy or self.policy is lowest_id else self.policy(self._tied(pair))

    def _custom_choice(self, count: int) -> str:
        tied = [self._tied(pair) for pair, other in self.counts.items() if other == count]
        left, right = min(tied, key=lambda tied: (self.policy(tied), tied.first)).ids
        return chr(left) + chr(right)

    def _tied(self, pair: str) -> Tied:
        return Tied(self._as_symbols(pair), (ord(pair[0]), ord(pair[1])), self._first(pair))

    def _first(self, pair: str) -> tuple[int, int]:
        """First occurrence of a pair: the index of the word, and the offset in the word."""
        where = self.where[pair]
        where.sort()
        gone = 0
        while pair not in self.words[where[gone]]:
            gone += 1
        del where[:gone]
        word = self.words[where[0]]
        return where[0], sum(map(len, map(self.symbols.__getitem__, map(ord, word[: word.index(pair)]))))

    def _as_symbols(self, pair: str) -> Pair:
        return self.symbols[ord(pair[0])], self.symbols[ord(pair[1])]


def merge_in_words(
    words: list[str], numbers: Iterable[int], pair: str, new: str
) -> tuple[dict[str, list[int]], dict[str, list[int]], list[int]]:
    """Merge a pair in the words with these numbers; list the words by left neighbor, by right neighbor, and doubled.

    A word is listed once per occurrence; doubled are the words in which the pair follows itself.

    >>> words = ["xab", "abab"]
    >>> merge_in_words(words, [0, 1], "ab", "c"), words
    (({'x': [0]}, {}, [1]), ['xc', 'cc'])
    """
    before: dict[str, list[int]] = {}
    after: dict[str, list[int]] = {}
    doubled: list[int] = []
    for number in numbers:
        parts = words[number].split(pair)
        if len(parts) == 1:
            continue  # an earlier merge removed the pair, or the word is listed twice
        words[number] = new.join(parts)
        if parts[0]:
            before.setdefault(parts[0][-1], []).append(number)
        for part in parts[1:-1]:
            # subtle: with nothing between two pairs, the neighbor is the pair itself, which is merged as well.
            if part:
                after.setdefault(part[0], []).append(number)
                before.setdefault(part[-1], []).append(number)
            else:
                doubled.append(number)
        if parts[-1]:
            after.setdefault(parts[-1][0], []).append(number)
    return before, after, doubled
