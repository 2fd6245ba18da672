"""Padding and truncation: making lists of ids as long as a model wants them.

Adds: which strategy a call means, and the two that act on lists.
Leaves out: the old arguments `pad_to_max_length` and `truncation_strategy`.

Source: transformers 4.26.1, tokenization_utils_base.py (`truncate_sequences`, `_pad`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

PADDINGS = ("longest", "max_length", "do_not_pad")
TRUNCATIONS = ("only_first", "only_second", "longest_first", "do_not_truncate")
Ids = list[int]


def padding_named(padding: Any) -> str:
    """The strategy that an argument `padding` means.

    >>> padding_named(True), padding_named(False), padding_named("max_length")
    ('longest', 'do_not_pad', 'max_length')
    """
    return _named("padding", {True: "longest", False: "do_not_pad"}.get(padding, padding), PADDINGS)


def truncation_named(truncation: Any) -> str:
    """The strategy that an argument `truncation` means.

    >>> truncation_named(True), truncation_named(None)
    ('longest_first', 'do_not_truncate')
    """
    meant = {True: "longest_first", False: "do_not_truncate", None: "do_not_truncate"}
    return _named("truncation", meant.get(truncation, truncation), TRUNCATIONS)


def _named(argument: str, value: Any, known: tuple[str, ...]) -> str:
    if value in known:
        return str(value)
    raise ValueError(f"{argument}={value!r} is not known; take True, False or one of {', '.join(known)}")


@dataclass(frozen=True)
class Truncated:
    """Two lists that are short enough; what was cut off; and why nothing was, if so."""

    ids: Ids
    pair_ids: Ids | None
    overflowing: Ids
    problem: str = ""


def truncate(
    ids: Ids, pair_ids: Ids | None, count: int, strategy: str, stride: int = 0, side: str = "right"
) -> Truncated:
    """Take `count` ids away.

    Args:
        ids: of the first text.
        pair_ids: of the second, or None.
        count: how many to take away.
        strategy: from which of the two; "longest_first" takes one at a time from the longer.
        stride: how many ids that stay are told beside those that go.
        side: where to take them away.

    >>> truncate([1, 2, 3], [4, 5], 2, "longest_first")
    Truncated(ids=[1, 2], pair_ids=[4], overflowing=[], problem='')
    """
    if count <= 0 or strategy == "do_not_truncate":
        return Truncated(ids, pair_ids, [])
    if strategy == "only_first" or (strategy == "longest_first" and pair_ids is None):
        kept, gone, problem = _shortened(ids, count, stride, side, "first")
        return Truncated(kept, pair_ids, gone, problem)
    if strategy == "longest_first" and pair_ids is not None:
        return _longest_first(ids, pair_ids, count, side)
    if strategy == "only_second" and pair_ids is not None:
        kept, gone, problem = _shortened(pair_ids, count, stride, side, "second")
        return Truncated(ids, kept, gone, problem)
    return Truncated(ids, pair_ids, [])


def _shortened(ids: Ids, count: int, stride: int, side: str, which: str) -> tuple[Ids, Ids, str]:
    """What stays of a list, what is told of the rest, and what hinders."""
    if len(ids) <= count:
        return ids, [], f"{count} ids should go, but the {which} text has only {len(ids)}; nothing was truncated"
    window = min(len(ids), stride + count)
    if side == "left":
        return ids[count:], ids[:window], ""
    return ids[:-count], ids[-window:], ""


def _longest_first(ids: Ids, pair_ids: Ids, count: int, side: str) -> Truncated:
    part = slice(1, None) if side == "left" else slice(None, -1)
    for _ in range(count):
        if len(ids) > len(pair_ids):
            ids = ids[part]
        else:  # subtle: of two that are equally long the second loses
            pair_ids = pair_ids[part]
    return Truncated(ids, pair_ids, [])


def rounded_up(length: int | None, multiple: int | None) -> int | None:
    """The next multiple of a number.

    >>> rounded_up(9, 8), rounded_up(8, 8), rounded_up(9, None)
    (16, 8, 9)
    """
    return length if length is None or multiple is None else -(-length // multiple) * multiple


def pad(encoded: dict[str, Any], length: int, fill: dict[str, Any], side: str = "right") -> dict[str, Any]:
    """Fill lists up to a length, each with its own value.

    >>> pad({"input_ids": [6, 1]}, 4, {"input_ids": 0}, side="left")
    {'input_ids': [0, 0, 6, 1]}
    """
    missing = length - len(encoded["input_ids"])
    padded = dict(encoded)
    for name, value in fill.items():
        if name in encoded:
            padded[name] = [value] * missing + encoded[name] if side == "left" else encoded[name] + [value] * missing
    return padded
