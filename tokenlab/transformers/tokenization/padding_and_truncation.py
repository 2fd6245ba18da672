"""Padding and truncation of lists of ids to the length that a model needs.

Adds: the strategies that arguments select, and the two operations on lists.
Leaves out: the old arguments `pad_to_max_length` and `truncation_strategy`.

Source: transformers 4.26.1, tokenization_utils_base.py (`truncate_sequences`, `_pad`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

Ids = list[int]


class PaddingStrategy(str, Enum):  # noqa: UP042  (prints as the library's, not as a plain string)
    """The values that an argument `padding` may have."""

    LONGEST = "longest"
    MAX_LENGTH = "max_length"
    DO_NOT_PAD = "do_not_pad"


class TruncationStrategy(str, Enum):  # noqa: UP042  (prints as the library's, not as a plain string)
    """The values that an argument `truncation` may have."""

    ONLY_FIRST = "only_first"
    ONLY_SECOND = "only_second"
    LONGEST_FIRST = "longest_first"
    DO_NOT_TRUNCATE = "do_not_truncate"


PADDINGS = tuple(strategy.value for strategy in PaddingStrategy)
TRUNCATIONS = tuple(strategy.value for strategy in TruncationStrategy)


def resolve_padding(padding: Any) -> str:
    """Return the strategy that an argument `padding` selects.

    >>> resolve_padding(True), resolve_padding(False), resolve_padding("max_length")
    ('longest', 'do_not_pad', 'max_length')
    """
    return _named("padding", {True: "longest", False: "do_not_pad"}.get(padding, padding), PADDINGS)


def resolve_truncation(truncation: Any) -> str:
    """Return the strategy that an argument `truncation` selects.

    >>> resolve_truncation(True), resolve_truncation(None)
    ('longest_first', 'do_not_truncate')
    """
    meant = {True: "longest_first", False: "do_not_truncate", None: "do_not_truncate"}
    return _named("truncation", meant.get(truncation, truncation), TRUNCATIONS)


def _named(argument: str, value: Any, known: tuple[str, ...]) -> str:
    if value in known:
        return known[known.index(value)]
    raise ValueError(f"{argument}={value!r} is unknown; use True, False or one of {', '.join(known)}")


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
    if strategy == "longest_first" and pair_ids is not None:
        part = slice(1, None) if side == "left" else slice(None, -1)
        for _ in range(count):
            if len(ids) > len(pair_ids):
                ids = ids[part]
            else:  # subtle: if both have the same length, the second is shortened
                pair_ids = pair_ids[part]
        return TruncationResult(ids, pair_ids, [])
    which, whole = ("second", pair_ids) if strategy == "only_second" else ("first", ids)
    if count <= 0 or strategy == "do_not_truncate" or whole is None:
        return TruncationResult(ids, pair_ids, [])
    if len(whole) <= count:
        problem = f"{count} ids should be removed, but the {which} text has only {len(whole)}; nothing was truncated"
        return TruncationResult(ids, pair_ids, [], problem)
    window = min(len(whole), stride + count)
    kept, overflowing = (whole[count:], whole[:window]) if side == "left" else (whole[:-count], whole[-window:])
    return (
        TruncationResult(ids, kept, overflowing) if which == "second" else TruncationResult(kept, pair_ids, overflowing)
    )


def round_up_to_multiple(length: int | None, multiple: int | None) -> int | None:
    """Round a length up to a multiple of a number.

    >>> round_up_to_multiple(9, 8), round_up_to_multiple(8, 8), round_up_to_multiple(9, None)
    (16, 8, 9)
    """
    return length if length is None or multiple is None else -(-length // multiple) * multiple


def pad(encoded: dict[str, Any], length: int, fill: dict[str, Any], side: str = "right") -> dict[str, Any]:
    """Pad lists to a length, each with its own value.

    >>> pad({"input_ids": [6, 1]}, 4, {"input_ids": 0}, side="left")
    {'input_ids': [0, 0, 6, 1]}
    """
    missing = length - len(encoded["input_ids"])
    padded = dict(encoded)
    for name, value in fill.items():
        if name in encoded:
            padded[name] = [value] * missing + encoded[name] if side == "left" else encoded[name] + [value] * missing
    return padded
