"""Padding: the common length of the encodings of a batch, and the padding of one sequence.

Adds: `padded_length`, for a fixed length, the longest of a batch, and multiples; `pad`, for one list.
Leaves out: the columns of an `Encoding`, of which each has its own padding value.

Source: tokenizers, src/utils/padding.rs and src/tokenizer/encoding.rs (`pad`).

>>> padded_length([3, 5], multiple=4)
8
>>> pad([7, 8, 9], 5, 0, direction="left")
[0, 0, 7, 8, 9]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


def padded_length(lengths: Iterable[int], fixed: int | None = None, multiple: int | None = None) -> int:
    """Return the length to which the encodings of a batch are padded.

    Args:
        lengths: numbers of tokens of the encodings.
        fixed: a fixed length, or None for the longest of the batch. A longer encoding is not shortened.
        multiple: round up to a multiple of this number; None and 0 do not round.

    >>> padded_length([3, 5]), padded_length([3, 5], fixed=4), padded_length([3, 5], fixed=4, multiple=3)
    (5, 4, 6)
    """
    length = max(lengths, default=0) if fixed is None else fixed
    return length + -length % multiple if multiple else length


def pad(values: Sequence[T], length: int, padding: T, direction: str = "right") -> list[T]:
    """Return at least `length` values: the given ones, with padding at the end ("right") or at the start ("left").

    >>> pad("ab", 3, "_"), pad("ab", 1, "_")
    (['a', 'b', '_'], ['a', 'b'])
    """
    missing = [padding] * (length - len(values))
    return [*missing, *values] if direction == "left" else [*values, *missing]
