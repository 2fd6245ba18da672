"""The parts in which two steps differ, as lines for a person."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import islice
from typing import Any

PARTS = 6  # unequal parts that are listed
LONGEST_PART = 120  # characters
BEFORE = 40  # equal characters that are shown before the first unequal one of a long part


def unequal_lines(left: Any, right: Any) -> list[str]:
    """Return a line for each part of two steps that differs, the first ones if there are many.

    >>> unequal_lines(("a", 1), ("a", 2))
    ['[1]: left 1, right 2']
    """
    parts = list(islice(_unequal_parts(left, right), PARTS + 1))
    lines = []
    for path, one, two in parts[:PARTS]:
        shown, other = _shortened(repr(one), repr(two))
        lines.append(f"{path or 'the step'}: left {shown}, right {other}")
    return [*lines, *(["... and more fields"] if len(parts) > PARTS else [])]


def _shortened(one: str, two: str) -> tuple[str, str]:
    """Return two long texts around their first difference.

    >>> _shortened("x" * 200 + "a", "x" * 200 + "b") == ("…" + "x" * 40 + "a", "…" + "x" * 40 + "b")
    True
    """
    if max(len(one), len(two)) <= LONGEST_PART:
        return one, two
    places = zip(one, two, strict=False)
    equal = next((n for n, (mine, other) in enumerate(places) if mine != other), min(len(one), len(two)))
    start = max(0, equal - BEFORE)
    cut = [f"{'…' if start else ''}{text[start : start + LONGEST_PART]}" for text in (one, two)]
    more = ["…" if len(text) > start + LONGEST_PART else "" for text in (one, two)]
    return cut[0] + more[0], cut[1] + more[1]


def _unequal_parts(left: Any, right: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield the path (`beams[0].score`) and both values of each difference."""
    pairs: list[tuple[str, Any, Any]] = []
    if type(left) is type(right) and left != right:
        match left:
            case list() | tuple() if len(left) == len(right):
                pairs = [(f"{path}[{n}]", *both) for n, both in enumerate(zip(left, right, strict=True))]
            case dict() if left.keys() == right.keys():
                pairs = [(f"{path}[{key!r}]", left[key], right[key]) for key in left]
            case _ if is_dataclass(left):
                start = f"{path}." if path else ""
                pairs = [(f"{start}{f.name}", getattr(left, f.name), getattr(right, f.name)) for f in fields(left)]
    unequal = [(inner, one, two) for inner, one, two in pairs if one is not two and one != two]
    for inner, one, two in unequal:
        yield from _unequal_parts(one, two, inner)
    if not unequal:
        yield path, left, right
