"""Encoding with the merges that training learned: the two encoders that one would write first.

Adds: going through the merge list in order, and looking for the lowest rank again and again. On merges in the order of
training they agree; a property test holds them to it.
Still missing: speed on long pieces, which is `bpe_encode_parts` and `bpe_encode_agenda`.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from itertools import pairwise
from random import Random
from typing import TypeAlias

from tokenlab.algorithms.bpe_start import join
from tokenlab.algorithms.tie_break import Pair
from tokenlab.algorithms.words import Word
from tokenlab.steps import step, stepwise
from tokenlab.visible import Symbol, visible

Ranks: TypeAlias = Mapping[Symbol, int]


@step
class Joined:
    """Two neighbours became one token; `at` is how much of the piece, in characters or bytes, stands before them."""

    at: int
    pair: Pair
    rank: int

    def __str__(self) -> str:
        """Say what was joined, and its rank."""
        left, right = map(visible, self.pair)
        return f"{left} + {right} became {visible(join(self.pair))}, rank {self.rank}, at {self.at}"


def ranks_of(merges: Iterable[Pair], first: int = 0) -> dict[Symbol, int]:
    """The rank of each token that merges make: its place in the list, counted from `first`.

    >>> ranks_of([("p", "u"), ("pu", "n")])
    {'pu': 0, 'pun': 1}
    """
    ranks: dict[Symbol, int] = {}
    for rank, pair in enumerate(merges, start=first):
        ranks.setdefault(join(pair), rank)
    return ranks


@stepwise
def encode_in_order(piece: Word | str | bytes, merges: Iterable[Pair]) -> Generator[Joined, None, Word]:
    """The tokens of a piece: each merge is made once, wherever it can be, in the order of the list.

    Right only for a list in the order of training: a merge must not come before the one that makes its parts.

    >>> encode_in_order("hugs", [("p", "u"), ("h", "u"), ("hu", "g")])
    ('hug', 's')
    """
    split = symbols_of(piece)
    for rank, pair in enumerate(merges):
        place = at = 0
        while place < len(split) - 1:
            if split[place : place + 2] == pair:
                split = (*split[:place], join(pair), *split[place + 2 :])
                yield Joined(at, pair, rank)
            at += len(split[place])
            place += 1
    return split


@stepwise
def encode_by_rank(
    piece: Word | str | bytes,
    ranks: Ranks,
    dropout: float = 0.0,
    random: Random | None = None,
) -> Generator[Joined, None, Word]:
    """The tokens of a piece: join the neighbours whose token has the lowest rank, leftmost first, while any has one.

    Args:
        piece: what is encoded: characters, bytes, or any symbols.
        ranks: the rank of each token that a merge can make; lower is earlier.
        dropout: how likely a possible merge is left out, each time anew (BPE-dropout, Provilkov et al. 2020).
        random: where chance comes from.

    Raises:
        ValueError: dropout is not between 0 and 1.

    Source: tiktoken/_educational.py, bpe_encode.

    >>> encode_by_rank("abc", {"bc": 0, "ab": 1})
    ('a', 'bc')
    """
    chance = chance_to_drop(dropout, random)
    split = symbols_of(piece)
    while True:
        found = [
            (ranks[join(pair)], place)
            for place, pair in enumerate(pairwise(split))
            if join(pair) in ranks and not (dropout and chance.random() < dropout)
        ]
        if not found:
            return split
        rank, place = min(found)
        pair = (split[place], split[place + 1])
        yield Joined(sum(map(len, split[:place])), pair, rank)
        split = (*split[:place], join(pair), *split[place + 2 :])


def symbols_of(piece: Word | str | bytes) -> Word:
    """The characters of a str, the bytes of bytes, or the symbols themselves.

    >>> symbols_of(b"ab")
    (b'a', b'b')
    """
    if isinstance(piece, bytes):
        return tuple(piece[i : i + 1] for i in range(len(piece)))
    return tuple(piece)


def chance_to_drop(dropout: float, random: Random | None) -> Random:
    """Where chance comes from, once the probability has been checked."""
    if not 0 <= dropout <= 1:
        raise ValueError(f"dropout={dropout} is no probability; give 0 (every merge is made) to 1 (none is)")
    return random or Random()
