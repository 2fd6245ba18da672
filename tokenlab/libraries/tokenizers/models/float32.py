"""Numbers of 32 bits, as which the library stores the dropout probability of BPE."""

from __future__ import annotations

from struct import pack, unpack


def to_float32(value: float) -> float:
    """Return the nearest 32-bit number.

    >>> to_float32(0.1)
    0.10000000149011612
    """
    try:
        return float(unpack("f", pack("f", value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def shortest_float32(value: float) -> float:
    """Return the number with the fewest decimal digits that rounds to a 32-bit number.

    >>> shortest_float32(0.10000000149011612)
    0.1
    """
    candidates = (float(f"{value:.{digits}g}") for digits in range(1, 10))
    return next((short for short in candidates if to_float32(short) == value), value)
