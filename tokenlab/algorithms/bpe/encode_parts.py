"""Encode as tiktoken's Rust core encodes short pieces: with one shrinking array of parts.

Adds: no token is built while merging. A part holds the start of a token and the rank of merging it with the next token;
a merge removes one part and looks up only two ranks.
Still missing: every merge searches the whole array; for long pieces see `bpe.encode_priority_queue`.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import AnyStr

from tokenlab.algorithms.bpe.encode import PairMerged
from tokenlab.steps.recording import stepwise

NONE = 2**32 - 1  # Rank::MAX: this pair cannot be merged


@stepwise
def encode_with_parts(piece: AnyStr, ranks: Mapping[AnyStr, int]) -> Generator[PairMerged, None, tuple[AnyStr, ...]]:
    """Tokens of a piece, computed on an array of parts `[start, rank]`.

    `parts[i]` holds the start of token i and the rank of merging it with token i + 1. The last token and the end of the
    piece have parts without a rank, so no bounds check is needed. Each merge looks at all parts, so time is O(n²).

    Source: openai/tiktoken, src/lib.rs, _byte_pair_merge.

    >>> encode_with_parts(b"abc", {b"bc": 0, b"ab": 1})
    (b'a', b'bc')
    """
    length = len(piece)
    parts = [[start, ranks.get(piece[start : start + 2], NONE)] for start in range(length - 1)]
    parts += [[start, NONE] for start in range(max(0, length - 1), length + 1)]

    def rank_after_merge(i: int) -> int:
        # subtle: token i + 1 is still in the array, so the merge of token i ends where token i + 3 starts.
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
        yield PairMerged(start, (piece[start:middle], piece[middle:end]), rank)
    starts = [start for start, _ in parts]
    return tuple(piece[start:end] for start, end in zip(starts, starts[1:], strict=False))
