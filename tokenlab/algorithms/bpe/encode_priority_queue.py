"""Encode as SentencePiece does: linked symbols and an agenda (a priority queue) of possible merges.

Adds: O(n log n) time. A heap returns the best merge; a merge changes only its two neighbors. Nothing is recursive, so a
megabyte without whitespace is encoded as well.
`token_ends` (`bpe.token_ends`) is the same algorithm without a step per merge, for the production encoders.
Leaves out: user-defined symbols and unused pieces, which only SentencePiece has (`tokenlab.libraries.sentencepiece`).
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from heapq import heapify, heappop, heappush
from random import Random
from typing import AnyStr

from tokenlab.algorithms.bpe.encode import PairMerged, check_dropout
from tokenlab.steps.recording import stepwise


@stepwise
def encode_with_priority_queue(
    piece: AnyStr, ranks: Mapping[AnyStr, int], dropout: float = 0.0, random: Random | None = None
) -> Generator[PairMerged, None, tuple[AnyStr, ...]]:
    """Tokens of a piece: the agenda holds every possible merge, best first.

    A symbol is identified by its start. `size[start]` is its length, 0 once it is part of the symbol to its left;
    `previous[start]` is the start of its left neighbor. Arguments as in `encode_by_rank`.

    Raises:
        ValueError: dropout is not between 0 and 1.

    Source: google/sentencepiece, src/bpe_model.cc, Model::SampleEncode.

    >>> encode_with_priority_queue("abc", {"bc": 0, "ab": 1})
    ('a', 'bc')
    """
    chance = check_dropout(dropout, random)
    length = len(piece)
    size = [1] * length
    previous = list(range(-1, length - 1))
    agenda = [(ranks[piece[i : i + 2]], i, 2) for i in range(length - 1) if piece[i : i + 2] in ranks]
    heapify(agenda)

    def propose(left: int, end: int) -> None:
        rank = ranks.get(piece[left:end])
        if rank is not None:
            heappush(agenda, (rank, left, end - left))

    while agenda:
        rank, left, together = heappop(agenda)
        right = left + size[left]
        # subtle: an entry is stale if one of its symbols was merged or has grown since the entry was pushed.
        if not size[left] or right >= length or size[left] + size[right] != together:
            continue
        if dropout and chance.random() < dropout:
            continue
        end = left + together
        size[left], size[right] = together, 0
        yield PairMerged(left, (piece[left:right], piece[right:end]), rank)
        if left:
            propose(previous[left], end)
        if end < length:
            previous[end] = left
            propose(left, end + size[end])
    return tuple(piece[start : start + size[start]] for start in range(length) if size[start])
