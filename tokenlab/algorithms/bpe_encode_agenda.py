"""Encoding as SentencePiece does it: linked symbols, and an agenda of the merges that are possible.

Adds: n log n. A heap hands out the best merge; a merge changes only its two neighbours. Nothing is recursive, so a
megabyte without a blank ends as well.
Leaves out: user-defined symbols and unused pieces, which are SentencePiece's own (`tokenlab.sentencepiece`).
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from heapq import heapify, heappop, heappush
from random import Random
from typing import AnyStr

from tokenlab.algorithms.bpe_encode import Joined, chance_to_drop
from tokenlab.steps import stepwise


@stepwise
def encode_with_agenda(
    piece: AnyStr, ranks: Mapping[AnyStr, int], dropout: float = 0.0, random: Random | None = None
) -> Generator[Joined, None, tuple[AnyStr, ...]]:
    """The tokens of a piece: the agenda lists every merge that is possible, the best first.

    A symbol is named by where it starts. `size` says how long it is, 0 once it is part of the symbol to its left;
    `before` where its left neighbour starts. Arguments as in `encode_by_rank`; a merge that drops out is skipped.

    Raises:
        ValueError: dropout is not between 0 and 1.

    Source: google/sentencepiece, src/bpe_model.cc, Model::SampleEncode.

    >>> encode_with_agenda("abc", {"bc": 0, "ab": 1})
    ('a', 'bc')
    """
    chance = chance_to_drop(dropout, random)
    length = len(piece)
    size = [1] * length
    before = list(range(-1, length - 1))
    agenda = [(ranks[piece[i : i + 2]], i, 2) for i in range(length - 1) if piece[i : i + 2] in ranks]
    heapify(agenda)

    def propose(left: int, end: int) -> None:
        rank = ranks.get(piece[left:end])
        if rank is not None:
            heappush(agenda, (rank, left, end - left))

    while agenda:
        rank, left, together = heappop(agenda)
        right = left + size[left]
        # subtle: an entry is stale if one of its symbols has been swallowed, or has grown, since it was made.
        if not size[left] or right >= length or size[left] + size[right] != together:
            continue
        if dropout and chance.random() < dropout:
            continue
        end = left + together
        size[left], size[right] = together, 0
        yield Joined(left, (piece[left:right], piece[right:end]), rank)
        if left:
            propose(before[left], end)
        if end < length:
            before[end] = left
            propose(left, end + size[end])
    return tuple(piece[start : start + size[start]] for start in range(length) if size[start])
