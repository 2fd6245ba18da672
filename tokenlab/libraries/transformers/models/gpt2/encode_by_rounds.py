"""Encode as GPT-2's first encoder does: in each round, one pair is merged everywhere.

Adds: rounds. The pair with the lowest rank is chosen once and merged at all its positions, from the left, before the
next pair is chosen. `encode_by_pairs` merges one position at a time. Both return the same for merges in training order;
they differ for a merge that has a lower rank than the merges that make its parts.
Leaves out: speed. A round looks at the whole piece.

>>> print(encode_by_rounds.record("banana", {("a", "n"): 0, ("an", "a"): 1}))
1. a + n became an, rank 0, wherever it occurs: b an an a
2. an + a became ana, rank 1, wherever it occurs: b an ana
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from itertools import pairwise
from math import inf

from tokenlab.algorithms.bpe.tie_break import Pair
from tokenlab.algorithms.bpe.train import merged_symbol, replace_pair
from tokenlab.algorithms.text.count_words import Word, to_symbols
from tokenlab.printing.printable import Parts, merge_parts, symbol_parts
from tokenlab.steps.recording import step, stepwise


@step
class PairMergedEverywhere:
    """All occurrences of a pair were merged; `symbols` is the piece afterwards."""

    pair: Pair
    rank: int
    symbols: Word

    def sentence(self) -> Parts:
        """Name the merge, its rank, and all symbols after it."""
        merge = merge_parts(self.pair, merged_symbol(self.pair))
        return [*merge, f", rank {self.rank}, wherever it occurs: ", *symbol_parts(self.symbols)]


@stepwise
def encode_by_rounds(
    piece: Word | str | bytes, ranks: Mapping[Pair, int]
) -> Generator[PairMergedEverywhere, None, Word]:
    """Tokens of a piece: merge the pair with the lowest rank everywhere, until no pair has a rank.

    Each round looks at the whole piece, and a longer piece can need more rounds, so time is O(n²).

    Args:
        piece: the pre-token to encode: a str, bytes, or a tuple of symbols.
        ranks: the rank of each pair; lower ranks merge first.

    Source: openai/gpt-2, src/encoder.py, Encoder.bpe.

    >>> encode_by_rounds("aaaa", {("aa", "a"): 0, ("a", "a"): 1})
    ('aa', 'aa')
    """
    split = to_symbols(piece)
    while len(split) > 1:
        pair = min(pairwise(split), key=lambda pair: ranks.get(pair, inf))
        if pair not in ranks:
            break
        split = replace_pair(split, pair, merged_symbol(pair))
        yield PairMergedEverywhere(pair, ranks[pair], split)
    return split
