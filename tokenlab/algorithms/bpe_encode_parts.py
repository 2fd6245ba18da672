"""Encoding as tiktoken's Rust core does it for short pieces: one array of parts that shrinks.

Adds: no token is built while merging. A part is where a token starts, and the rank that it and the next would have
together; a merge removes one part, and only two ranks are looked up anew.
Still missing: every merge still searches the whole array; a long piece wants `bpe_encode_agenda`.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import AnyStr

from tokenlab.algorithms.bpe_encode import Joined
from tokenlab.steps import stepwise

NONE = 2**32 - 1  # Rank::MAX: these two cannot be merged


@stepwise
def encode_with_parts(piece: AnyStr, ranks: Mapping[AnyStr, int]) -> Generator[Joined, None, tuple[AnyStr, ...]]:
    """The tokens of a piece, from an array of parts `[start, rank]`.

    `parts[i]` says where token i starts, and the rank of what it and token i + 1 would become. The last token and the
    end have parts without a rank, so that nobody need ask where the array ends.

    Source: openai/tiktoken, src/lib.rs, _byte_pair_merge.

    >>> encode_with_parts(b"abc", {b"bc": 0, b"ab": 1})
    (b'a', b'bc')
    """
    length = len(piece)
    parts = [[start, ranks.get(piece[start : start + 2], NONE)] for start in range(length - 1)]
    parts += [[start, NONE] for start in range(max(0, length - 1), length + 1)]

    def rank_after_merge(i: int) -> int:
        # subtle: token i + 1 is still in the array, so what token i can become ends where token i + 3 starts.
        if i + 3 >= len(parts):
            return NONE
        return ranks.get(piece[parts[i][0] : parts[i + 3][0]], NONE)

    while True:
        rank, i = min((rank, i) for i, (_, rank) in enumerate(parts))
        if rank == NONE:
            break
        start, middle, end = (parts[j][0] for j in range(i, i + 3))
        if i > 0:
            parts[i - 1][1] = rank_after_merge(i - 1)
        parts[i][1] = rank_after_merge(i)
        del parts[i + 1]
        yield Joined(start, (piece[start:middle], piece[middle:end]), rank)
    starts = [start for start, _ in parts]
    return tuple(piece[start:end] for start, end in zip(starts, starts[1:], strict=False))
