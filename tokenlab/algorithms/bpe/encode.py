"""Encode with learned merges: the two simplest BPE encoders.

Adds: one encoder that applies the merge list in order, and one that repeatedly merges the pair with the lowest rank. On
merges in training order they agree; a property test checks it.
Still missing: speed on long pieces; see `bpe.encode_parts` and `bpe.encode_priority_queue`.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from itertools import accumulate, pairwise
from random import Random
from typing import TypeAlias

from tokenlab.algorithms.bpe.tie_break import Pair
from tokenlab.algorithms.bpe.train import merged_symbol
from tokenlab.algorithms.text.count_words import Word, to_symbols
from tokenlab.printing.printable import Parts, Symbol, merge_parts
from tokenlab.steps.recording import step, stepwise

Ranks: TypeAlias = Mapping[Symbol, int]


@step
class PairMerged:
    """Two adjacent symbols were merged; `at` is the offset of the left one in the piece, in characters or bytes."""

    at: int
    pair: Pair
    rank: int

    def sentence(self) -> Parts:
        """Name the merge, its rank and its place."""
        return [*merge_parts(self.pair, merged_symbol(self.pair)), ", rank ", self.rank, ", at ", self.at]

    def apply(self, symbols: Word) -> Word:
        """Return the symbols of the piece after the merge.

        >>> PairMerged(at=2, pair=("b", "c"), rank=0).apply(("aa", "b", "c"))
        ('aa', 'bc')
        """
        place = list(accumulate(map(len, symbols), initial=0)).index(self.at)
        return (*symbols[:place], merged_symbol(self.pair), *symbols[place + 2 :])


def merge_ranks(merges: Iterable[Pair], first: int = 0) -> dict[Symbol, int]:
    """Map each token that a merge makes to its rank: the index of the merge in the list, plus `first`.

    Like tiktoken's format, the result ranks tokens and no longer says which pair makes a token. For merges that
    training produced this makes no difference. On other lists, `encode_by_rank` may merge a pair that is not in the
    list; `encode_in_order` and `tokenizers`, which look up pairs, do not. No text trains the second list below: once
    `b c` is merged everywhere, no `ab` is followed by `c`.

    >>> merge_ranks([("p", "u"), ("pu", "n")])
    {'pu': 0, 'pun': 1}
    >>> merges = [("b", "c"), ("a", "b"), ("ab", "c")]
    >>> encode_by_rank("abc", merge_ranks(merges)), encode_in_order("abc", merges)
    (('abc',), ('a', 'bc'))
    """
    ranks: dict[Symbol, int] = {}
    for rank, pair in enumerate(merges, start=first):
        ranks.setdefault(merged_symbol(pair), rank)
    return ranks


@stepwise
def encode_in_order(piece: Word | str | bytes, merges: Iterable[Pair]) -> Generator[PairMerged, None, Word]:
    """Tokens of a piece: apply each merge once, at every possible position, in list order.

    Correct only for a list in training order: a merge must come after the merges that make its parts.

    >>> encode_in_order("hugs", [("p", "u"), ("h", "u"), ("hu", "g")])
    ('hug', 's')
    """
    split = to_symbols(piece)
    for rank, pair in enumerate(merges):
        place = at = 0
        while place < len(split) - 1:
            if split[place : place + 2] == pair:
                split = (*split[:place], merged_symbol(pair), *split[place + 2 :])
                yield PairMerged(at, pair, rank)
            at += len(split[place])
            place += 1
    return split


@stepwise
def encode_by_rank(
    piece: Word | str | bytes, ranks: Ranks, dropout: float = 0.0, random: Random | None = None
) -> Generator[PairMerged, None, Word]:
    """Tokens of a piece: merge the pair whose token has the lowest rank, leftmost first, until no pair has a rank.

    As in tiktoken, the merged token is looked up, not the pair; `merge_ranks` says when this makes a difference. Each
    merge looks at all pairs, so time is O(n²).

    Args:
        piece: the pre-token to encode: a str, bytes, or a tuple of symbols.
        ranks: the rank of each token that a merge can make; lower ranks merge first.
        dropout: the probability of skipping a possible merge, drawn at every step (BPE-dropout, Provilkov et al. 2020).
        random: the random number generator.

    Raises:
        ValueError: dropout is not between 0 and 1.

    Source: tiktoken/_educational.py, bpe_encode.

    >>> encode_by_rank("abc", {"bc": 0, "ab": 1})
    ('a', 'bc')
    """
    chance = check_dropout(dropout, random)
    split = to_symbols(piece)
    while True:
        found = [
            (ranks[merged_symbol(pair)], place)
            for place, pair in enumerate(pairwise(split))
            if merged_symbol(pair) in ranks and not (dropout and chance.random() < dropout)
        ]
        if not found:
            return split
        rank, place = min(found)
        pair = (split[place], split[place + 1])
        yield PairMerged(sum(map(len, split[:place])), pair, rank)
        split = (*split[:place], merged_symbol(pair), *split[place + 2 :])


def check_dropout(dropout: float, random: Random | None) -> Random:
    """Check the dropout probability; return the random number generator."""
    if not 0 <= dropout <= 1:
        raise ValueError(f"dropout={dropout} is not a probability; give 0 (make every merge) to 1 (make none)")
    return random or Random()
