"""The ids of one piece: the merges are `algorithms.bpe_merge`, which sentencepiece's encoder runs as well.

Rust's core has an array of parts for the shortest pieces; here the agenda is faster on pieces of every length.
"""

from __future__ import annotations

from collections.abc import Mapping

from tokenlab.algorithms.bpe_merge import merged_ends


def merge(piece: bytes, ranks: Mapping[bytes, int]) -> list[int]:
    """The ids of a piece: the neighbours with the lowest rank become one, leftmost first, while any have a rank.

    Raises:
        ValueError: a byte that has no rank.

    Source: openai/tiktoken, src/lib.rs, _byte_pair_merge_large.

    >>> merge(b"abc", {b"a": 0, b"b": 1, b"c": 2, b"bc": 3, b"ab": 4})
    [0, 3]
    """
    return _ids(piece, merged_ends(piece, ranks), ranks)


def _ids(piece: bytes, end: list[int], ranks: Mapping[bytes, int]) -> list[int]:
    ids, start = [], 0
    try:
        while start < len(piece):
            ids.append(ranks[piece[start : end[start]]])
            start = end[start]
    except KeyError:
        raise ValueError(
            f"the byte {piece[start]:#04x} has no rank, so the piece {piece!r:.60} cannot be encoded; "
            "mergeable_ranks should have all 256 bytes"
        ) from None
    return ids
