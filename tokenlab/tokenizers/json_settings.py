"""Reading a field of a setting in tokenizer.json, with errors that name it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from tokenlab.errors import lookup
from tokenlab.tokenizers.arguments import UNSIGNED_64

T = TypeVar("T")


def require_fields(owner: str, fields: Any, names: Sequence[str]) -> None:
    """Raise a ValueError if `fields` is not a JSON object with these names.

    >>> require_fields("padding", {"strategy": "BatchLongest"}, ["strategy", "pad_id"])
    Traceback (most recent call last):
    ...
    ValueError: missing field `pad_id` in padding; it should have: strategy, pad_id
    """
    if not isinstance(fields, dict):
        raise ValueError(f"{owner} is {fields!r:.60}; it should be a JSON object with: {', '.join(names)}")
    for name in names:
        if name not in fields:
            raise ValueError(f"missing field `{name}` in {owner}; it should have: {', '.join(names)}")


def read_unsigned(owner: str, fields: Mapping[str, Any], name: str, largest: int = UNSIGNED_64) -> int:
    """Return an integer from 0 to `largest`; otherwise raise a ValueError."""
    value = fields[name]
    if type(value) is not int or not 0 <= value <= largest:
        raise ValueError(f"{name} of {owner} is {value!r:.60}; it should be an integer from 0 to {largest}")
    return value


def read_text(owner: str, fields: Mapping[str, Any], name: str) -> str:
    """Return a text; otherwise raise a ValueError."""
    value = fields[name]
    if not isinstance(value, str):
        raise ValueError(f"{name} of {owner} is {value!r:.60}; it should be a string")
    return value


def read_bool(owner: str, fields: Mapping[str, Any], name: str) -> bool:
    """Return a bool; otherwise raise a ValueError."""
    value = fields[name]
    if not isinstance(value, bool):
        raise ValueError(f"{name} of {owner} is {value!r:.60}; it should be true or false")
    return value


def from_variant(name: str, value: Any, variants: Mapping[str, T]) -> T:
    """Return the setting that the file calls `value`: a name, or an object with this name and null.

    >>> from_variant("direction", "Left", {"Left": "left", "Right": "right"})
    'left'
    """
    if isinstance(value, dict) and list(value.values()) == [None]:
        (value,) = value
    return lookup(name, value if isinstance(value, str) else repr(value), variants)
