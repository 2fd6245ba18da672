"""Padding and truncation of lists of ids to the length that a model needs.

Adds: the strategies that arguments select, and the two operations on lists.
Leaves out: the combined meaning of several arguments; see `padding_truncation_strategies`.

Source: transformers 4.26.1, tokenization_utils_base.py (`truncate_sequences`, `_pad`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tokenlab.libraries.transformers.utils.generic import ExplicitEnum
from tokenlab.libraries.transformers.utils.generic import PaddingStrategy as PaddingStrategy

Ids = list[int]


class TruncationStrategy(ExplicitEnum):
    """The values that an argument `truncation` may have."""

    ONLY_FIRST = "only_first"
    ONLY_SECOND = "only_second"
    LONGEST_FIRST = "longest_first"
    DO_NOT_TRUNCATE = "do_not_truncate"


def resolve_padding(padding: Any) -> PaddingStrategy:
    """Return the strategy that an argument `padding` selects.

    >>> resolve_padding(True).value, resolve_padding(False).value, resolve_padding("max_length").value
    ('longest', 'do_not_pad', 'max_length')
    """
    if isinstance(padding, bool):
        return PaddingStrategy.LONGEST if padding else PaddingStrategy.DO_NOT_PAD
    strategy: PaddingStrategy = _named("padding", padding, PaddingStrategy)
    return strategy


def resolve_truncation(truncation: Any) -> TruncationStrategy:
    """Return the strategy that an argument `truncation` selects.

    >>> resolve_truncation(True).value, resolve_truncation(None).value
    ('longest_first', 'do_not_truncate')
    """
    if truncation is None or isinstance(truncation, bool):
        return TruncationStrategy.LONGEST_FIRST if truncation else TruncationStrategy.DO_NOT_TRUNCATE
    strategy: TruncationStrategy = _named("truncation", truncation, TruncationStrategy)
    return strategy


def _named(argument: str, value: Any, known: type[Any]) -> Any:
    try:
        return known(value)
    except ValueError:
        names = ", ".join(strategy.value for strategy in known)
        raise ValueError(f"{argument}={value!r} is unknown; use True, False or one of {names}") from None


@dataclass(frozen=True)
class TruncationResult:
    """The truncated lists, the overflowing ids (removed, and `stride` kept ones), and why nothing was truncated."""

    ids: Ids
    pair_ids: Ids | None
    overflowing: Ids
    problem: str = ""


def truncate(
    ids: Ids, pair_ids: Ids | None, count: int, strategy: str, stride: int = 0, side: str = "right"
) -> TruncationResult:
    """Remove `count` ids.

    Args:
        ids: of the first text.
        pair_ids: of the second, or None.
        count: the number of ids to remove.
        strategy: the text to truncate; "longest_first" removes one id at a time from the longer text.
        stride: the number of kept ids that are included in the overflowing ids.
        side: the side from which ids are removed.

    >>> truncate([1, 2, 3], [4, 5], 2, "longest_first")
    TruncationResult(ids=[1, 2], pair_ids=[4], overflowing=[], problem='')
    """
    if count <= 0 or strategy == TruncationStrategy.DO_NOT_TRUNCATE:
        return TruncationResult(ids, pair_ids, [])
    if strategy == TruncationStrategy.LONGEST_FIRST and pair_ids is not None:
        first, second = longest_first_lengths(len(ids), len(pair_ids), count)
        return TruncationResult(_kept(ids, first, side), _kept(pair_ids, second, side), [])
    which, whole = ("second", pair_ids) if strategy == TruncationStrategy.ONLY_SECOND else ("first", ids)
    if whole is None:
        return TruncationResult(ids, pair_ids, [])
    if len(whole) <= count:
        problem = f"{count} ids should be removed, but the {which} text has only {len(whole)}; nothing was truncated"
        return TruncationResult(ids, pair_ids, [], problem)
    window = min(len(whole), stride + count)
    kept = _kept(whole, len(whole) - count, side)
    overflowing = whole[:window] if side == "left" else whole[-window:]
    return (
        TruncationResult(ids, kept, overflowing) if which == "second" else TruncationResult(kept, pair_ids, overflowing)
    )


def longest_first_lengths(first: int, second: int, count: int) -> tuple[int, int]:
    """Return the lengths of two texts after `count` times one id was removed from the longer.

    >>> longest_first_lengths(5, 3, 3)
    (3, 2)
    """
    for _ in range(count):
        if first > second:
            first -= 1
        else:  # subtle: if both have the same length, the second is shortened
            second = max(second - 1, 0)
    return first, second


def _kept(ids: Ids, length: int, side: str) -> Ids:
    """Return `length` ids, those at the side from which nothing is removed."""
    if side not in ("left", "right"):
        raise ValueError(f"truncation_side={side!r} should be 'right' or 'left'")
    return ids[len(ids) - length :] if side == "left" else ids[:length]


def round_up_to_multiple(length: int | None, multiple: int | None) -> int | None:
    """Round a length up to a multiple of a number.

    Raises:
        ZeroDivisionError, TypeError: as `check_multiple`.

    >>> round_up_to_multiple(9, 8), round_up_to_multiple(8, 8), round_up_to_multiple(9, None)
    (16, 8, 9)
    """
    check_multiple(multiple)
    return length if length is None or multiple is None else -(-length // multiple) * multiple


def check_multiple(pad_to_multiple_of: Any) -> None:
    """Raise an error for a number that no length is a multiple of.

    Raises:
        ZeroDivisionError: the number is 0.
        TypeError: the value is no number.

    >>> check_multiple(0)
    Traceback (most recent call last):
    ...
    ZeroDivisionError: pad_to_multiple_of=0 should be at least 1, or None for any length
    """
    if isinstance(pad_to_multiple_of, (str, list, tuple, dict)):
        raise TypeError(f"pad_to_multiple_of={pad_to_multiple_of!r:.60} should be a whole number, such as 8, or None")
    if pad_to_multiple_of == 0:
        raise ZeroDivisionError(f"pad_to_multiple_of={pad_to_multiple_of} should be at least 1, or None for any length")


def pad(rows: Sequence[Any], missing: Sequence[int], value: Any, side: str = "right") -> list[Any]:
    """Add a value to each list as often as it is missing there.

    Raises:
        ValueError: the side is neither "left" nor "right".

    >>> pad([[6, 1], [5]], [1, 2], 0, side="left")
    [[0, 6, 1], [0, 0, 5]]
    """
    if side not in ("left", "right"):
        raise ValueError(f"padding_side={side!r} should be 'right' or 'left'")
    if side == "left":
        return [[value] * count + row if count else row for row, count in zip(rows, missing, strict=True)]
    return [row + [value] * count if count else row for row, count in zip(rows, missing, strict=True)]
