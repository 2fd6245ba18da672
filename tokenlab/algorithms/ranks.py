"""What a table of byte-level ranks has to be: every byte in it, and every rank from 0 on given once.

>>> check_ranks({bytes([byte]): byte for byte in range(256)} | {b"ab": 256})
"""

from __future__ import annotations

from collections.abc import Mapping

from tokenlab.visible import visible


def check_ranks(ranks: Mapping[bytes, int]) -> None:
    """Check a table before it is encoded with; `Encoding` itself takes what tiktoken takes.

    Raises:
        ValueError: two tokens share a rank, a rank is left out, or a single byte has none.

    >>> check_ranks({b"a": 0, b"b": 0})
    Traceback (most recent call last):
    ...
    ValueError: ranks: the tokens a and b both have rank 0; each needs one of its own
    """
    owner: dict[int, bytes] = {}
    for token, rank in ranks.items():
        if rank in owner:
            both = f"{visible(owner[rank])} and {visible(token)}"
            raise ValueError(f"ranks: the tokens {both} both have rank {rank}; each needs one of its own")
        owner[rank] = token
    if gap := [rank for rank in range(len(ranks)) if rank not in owner]:
        raise ValueError(
            f"ranks: no token has rank {gap[0]}, but ranks go up to {max(owner)}; count them from 0 without a gap"
        )
    if absent := [byte for byte in range(256) if bytes([byte]) not in ranks]:
        raise ValueError(
            f"ranks: {len(absent)} of the 256 bytes have no rank, first {absent[0]:#04x}; "
            "without them not every text can be encoded, so give each byte a rank"
        )
