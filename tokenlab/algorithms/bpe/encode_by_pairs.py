"""Encode as Hugging Face tokenizers does: look up pairs of symbols in a merge table, with a priority queue.

Adds: a merge is a pair, not a concatenated text, so symbols may be strings or token ids, and `ab + c` can be a merge
where `a + bc`, which makes the same token, is not one. Time is O(n log n).
`merge_ids` is the same without steps and dropout, twice as fast; a property test compares both.
Leaves out: the initial symbols; see `tokenlab.libraries.tokenizers.models.BPE`.

>>> print(encode_by_pairs.record("hugs", {("u", "g"): (0, "ug"), ("h", "ug"): (1, "hug")}))
1. u + g became ug, rank 0, at symbol 1
2. h + ug became hug, rank 1, at symbol 0
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise
from random import Random
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from tokenlab.printing.printable import Parts, Symbol, merge_parts
from tokenlab.steps.recording import step, stepwise

S = TypeVar("S")  # a symbol: a str, or the id of one
MergeTable: TypeAlias = Mapping[tuple[S, S], tuple[int, S]]  # the pair -> its rank, and the symbol that it makes


@step
class PairReplaced(Generic[S]):
    """Two adjacent symbols became one; `at` is the index of the left one among the initial symbols."""

    at: int
    left: S
    right: S
    made: S
    rank: int

    def sentence(self) -> Parts:
        """Name the merge, its rank and its place."""
        merged = merge_parts(map(shown, (self.left, self.right)), shown(self.made))
        return [*merged, ", rank ", self.rank, ", at symbol ", self.at]

    def apply(self, symbols: Mapping[int, S]) -> dict[int, S]:
        """Return the symbols after the merge, by the index of their first initial symbol.

        >>> PairReplaced(at=1, left="b", right="c", made="bc", rank=0).apply({0: "a", 1: "b", 2: "c"})
        {0: 'a', 1: 'bc'}
        """
        right = min(at for at in symbols if at > self.at)
        return {at: self.made if at == self.at else symbol for at, symbol in symbols.items() if at != right}


def shown(symbol: Any) -> Symbol:
    """Return a symbol as it is shown: an id becomes its digits.

    >>> shown("a"), shown(7)
    ('a', '7')
    """
    return symbol if isinstance(symbol, str | bytes) else str(symbol)


class MergedSymbols(NamedTuple):
    """The symbols after all merges, and the number of initial symbols in each of them."""

    symbols: list[Any]
    sizes: list[int]


@stepwise
def encode_by_pairs(
    symbols: Sequence[S], merges: MergeTable[S], dropout: float | None = None, random: Random | None = None
) -> Generator[PairReplaced[S], None, MergedSymbols]:
    """Merge the pair with the lowest rank, the leftmost of several, until no pair is in the table.

    Args:
        symbols: the initial symbols: the characters of a pre-token, or their ids.
        merges: the rank of each pair, and the symbol that replaces it.
        dropout: the probability of skipping a possible merge (BPE-dropout, Provilkov et al. 2020).
        random: the random number generator.

    Source: huggingface/tokenizers, models/bpe/word.rs, Word::merge_all.

    >>> encode_by_pairs("aaab", {("a", "a"): (0, "aa"), ("aa", "b"): (1, "aab")})
    MergedSymbols(symbols=['aa', 'a', 'b'], sizes=[2, 1, 1])
    """
    at = list(symbols)
    length = len(at)
    size = [1] * length  # 0 for a symbol that is now part of the one to its left
    previous = list(range(-1, length - 1))
    entry_of = merges.get
    agenda: list[tuple[int, int, S]] = []
    for place, pair in enumerate(pairwise(at)):
        if (merge := entry_of(pair)) is not None:
            agenda.append((merge[0], place, merge[1]))
    heapify(agenda)
    skipped: list[tuple[int, int, S]] = []
    chance = (random or Random()).random if dropout else float
    while agenda:
        entry = heappop(agenda)
        if dropout and chance() < dropout:
            skipped.append(entry)
            continue
        # subtle: a skipped merge gets another chance after each merge that is not skipped.
        while skipped:
            heappush(agenda, skipped.pop())
        rank, left, made = entry
        right = left + size[left]
        if not size[left] or right >= length:
            continue
        pair = (at[left], at[right])
        current = entry_of(pair)
        # subtle: the symbol that the merge makes is compared, not the rank. An entry for another pair that makes the
        # same symbol at the same place is still valid.
        if current is None or current[1] != made:
            continue
        at[left] = made
        size[left] += size[right]
        size[right] = 0
        yield PairReplaced(left, *pair, made, rank)
        if left:
            before = previous[left]
            if (merge := entry_of((at[before], made))) is not None:
                heappush(agenda, (merge[0], before, merge[1]))
        after = left + size[left]
        if after < length:
            previous[after] = left
            if (merge := entry_of((made, at[after]))) is not None:
                heappush(agenda, (merge[0], left, merge[1]))
    kept = [place for place in range(length) if size[place]]
    return MergedSymbols([at[place] for place in kept], [size[place] for place in kept])


def merge_ids(ids: list[int], merges: MergeTable[int]) -> MergedSymbols:
    """Return what `encode_by_pairs` returns for ids, without steps and dropout.

    >>> merge_ids([7, 7, 7], {(7, 7): (0, 8)})
    MergedSymbols(symbols=[8, 7], sizes=[2, 1])
    """
    length = len(ids)
    size = [1] * length
    entry_of = merges.get
    agenda = [(merge[0], place, merge[1]) for place, pair in enumerate(pairwise(ids)) if (merge := entry_of(pair))]
    if not agenda:
        return MergedSymbols(ids, size)
    heapify(agenda)
    at = ids.copy()
    previous = list(range(-1, length - 1))
    while agenda:
        _, left, made = heappop(agenda)
        right = left + size[left]
        if not size[left] or right >= length:
            continue
        current = entry_of((at[left], at[right]))
        if current is None or current[1] != made:
            continue
        at[left] = made
        size[left] += size[right]
        size[right] = 0
        after = left + size[left]
        if after < length:
            previous[after] = left
            if merge := entry_of((made, at[after])):
                heappush(agenda, (merge[0], left, merge[1]))
        if left:
            before = previous[left]
            if merge := entry_of((at[before], made)):
                heappush(agenda, (merge[0], before, merge[1]))
    kept = [place for place, count in enumerate(size) if count]
    return MergedSymbols([at[place] for place in kept], [size[place] for place in kept])
