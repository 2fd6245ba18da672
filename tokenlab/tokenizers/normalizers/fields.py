"""Reading a field of tokenizer.json, with errors that name it."""

from __future__ import annotations

from typing import Any, TypeVar

T = TypeVar("T")


def read_field(fields: dict[str, Any], name: str, kind: type[T]) -> T:
    """Return a field that should have this type.

    Raises:
        ValueError: it is missing or has another type.

    >>> read_field({"type": "Prepend", "prepend": 5}, "prepend", str)
    Traceback (most recent call last):
    ...
    ValueError: the field "prepend" of Prepend is 5; it should be of type str
    """
    owner = fields.get("type", "a normalizer")
    if name not in fields:
        raise ValueError(f"missing field `{name}` in {owner}, which has: {', '.join(fields) or 'nothing'}")
    value = fields[name]
    if not isinstance(value, kind):
        raise ValueError(f'the field "{name}" of {owner} is {value!r:.60}; it should be of type {kind.__name__}')
    return value
