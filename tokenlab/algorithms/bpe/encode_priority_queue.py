"""Encode as SentencePiece does: linked symbols and an agenda (a priority queue) of possible merges.

Adds: O(n log n) time. A heap returns the best merge; a merge changes only its two neighbors. Nothing is recursive, so a
megabyte without whitespace is encoded as well.
`token_ends` is the inner loop of the production encoders: the same algorithm without a step per merge and with integers
as queue entries, two to four times as fast on pieces of every length. `tokenlab.tiktoken` runs it on bytes,
`tokenlab.sentencepiece` on characters. Property tests compare it with the stepwise encoders, on bytes
(tests/unit/test_tiktoken.py, "merging") and on characters (tests/unit/test_sentencepiece.py).
Leaves out: user-defined symbols and unused pieces, which are specific to SentencePiece (`tokenlab.sentencepiece`).
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from heapq import heapify, heappop, heappush
from random import Random
from typing import AnyStr

from tokenlab.algorithms.bpe.encode import PairMerged, check_dropout
from tokenlab.steps import stepwise


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


def token_ends(piece: AnyStr, ranks: Mapping[AnyStr, int]) -> list[int]:
    """End of each token, indexed by its start: the pair with the lowest rank is merged first, the leftmost of equals.

    For a token that starts at `start`, `end[start]` is its end, `previous[start]` the start of its left neighbor, and
    `pair_rank[start]` the rank of merging it with its right neighbor. An agenda entry is `rank * length + start`.

    Source: openai/tiktoken, src/lib.rs, _byte_pair_merge_large; google/sentencepiece, src/bpe_model.cc.

    >>> token_ends("abc", {"bc": 3, "ab": 4})[0]
    1
    """
    length = len(piece)
    rank_of = ranks.get
    end = list(range(1, length + 1))
    previous = list(range(-1, length - 1))
    pair_rank = [rank_of(piece[start : start + 2]) for start in range(length - 1)] + [None]
    agenda = [rank * length + start for start, rank in enumerate(pair_rank) if rank is not None]
    heapify(agenda)
    while agenda:
        rank, start = divmod(heappop(agenda), length)
        # subtle: an entry is stale if its token was merged, or has another right neighbor now.
        if pair_rank[start] != rank:
            continue
        middle = end[start]
        stop = end[start] = end[middle]
        pair_rank[start] = pair_rank[middle] = None
        if stop < length:
            previous[stop] = start
            pair_rank[start] = next_rank = rank_of(piece[start : end[stop]])
            if next_rank is not None:
                heappush(agenda, next_rank * length + start)
        if start:
            left = previous[start]
            pair_rank[left] = next_rank = rank_of(piece[left:stop])
            if next_rank is not None:
                heappush(agenda, next_rank * length + left)
    return end
