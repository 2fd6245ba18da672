"""Check a table of byte-level ranks: it must contain every byte, and each rank from 0 on exactly once.

>>> check_ranks({bytes([byte]): byte for byte in range(256)} | {b"ab": 256})
"""

from __future__ import annotations

from collections.abc import Mapping

from tokenlab.printing.printable import printable


def check_ranks(ranks: Mapping[bytes, int]) -> None:
    """Check a table of ranks before encoding with it; `Encoding` itself accepts what tiktoken accepts.

    Raises:
        ValueError: two tokens share a rank, a rank is left out, or a single byte has none.

    >>> check_ranks({b"a": 0, b"b": 0})
    Traceback (most recent call last):
    ...
    ValueError: ranks: the tokens a and b both have rank 0; give each token a different rank
    """
    owner: dict[int, bytes] = {}
    for token, rank in ranks.items():
        if rank in owner:
            both = f"{printable(owner[rank])} and {printable(token)}"
            raise ValueError(f"ranks: the tokens {both} both have rank {rank}; give each token a different rank")
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
