"""Values as JSON and back, without pickle: what JSON lacks is written with a tag.

>>> to_plain((b"\\xff", float("inf")))
{'$tuple': [{'$bytes': 'ff'}, {'$float': 'inf'}]}
>>> from_plain(to_plain((b"\\xff", float("inf"))))
(b'\\xff', inf)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from math import isfinite
from typing import Any, TypeVar

C = TypeVar("C")

_registered: dict[str, type[Any]] = {}


class UnknownError(ValueError):
    """A recording has something that is not known here; the message says what, and what to do."""


def register(cls: type[C]) -> type[C]:
    """Let values of this dataclass be written and brought back: by this registry, never by an import path."""
    _registered[_name(cls)] = cls
    return cls


def _name(cls: type[Any]) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def to_plain(value: Any) -> Any:
    """The value as something that `json.dumps` writes; of what has no form here, the `repr`, or a function's name."""
    match value:
        case None | bool() | int():
            return value
        case float():
            return value if isfinite(value) else {"$float": repr(float(value))}
        case str():
            return {"$str": [ord(c) for c in value]} if _has_surrogate(value) else value
        case bytes():
            return {"$bytes": value.hex()}
        case list():
            return [to_plain(item) for item in value]
        case tuple():
            return {"$tuple": [to_plain(item) for item in value]}
        case set() | frozenset():
            tag = "$set" if isinstance(value, set) else "$frozenset"
            return {tag: [to_plain(item) for item in sorted(value, key=repr)]}
        case Mapping():
            return {"$dict": [[to_plain(key), to_plain(item)] for key, item in value.items()]}
    if _registered.get(_name(type(value))) is type(value):
        values = [to_plain(getattr(value, field.name)) for field in fields(value)]
        return {"$step": [_name(type(value)), *values]}
    if callable(value) and hasattr(value, "__qualname__"):
        return f"{value.__module__}.{value.__qualname__}"
    return to_plain(repr(value))


def _has_surrogate(text: str) -> bool:
    # subtle: JSON would write a high and a low surrogate, side by side, as one character.
    return any("\ud800" <= character <= "\udfff" for character in text) if not text.isascii() else False


def from_plain(value: Any) -> Any:
    """The value that `to_plain` wrote.

    Raises:
        UnknownError: a tag or a step that is not known.
        ValueError, TypeError, OverflowError: something else stands under a tag than `to_plain` writes there.
    """
    match value:
        case list():
            return [from_plain(item) for item in value]
        case dict():
            [(tag, content)] = value.items() if len(value) == 1 else [("", value)]
            if tag not in _readers:
                raise UnknownError(f"unknown tag {tag!r} in a recording; was it written by a later version?")
            return _readers[tag](content)
    return value


def _step(content: list[Any]) -> Any:
    name, *values = content
    if name not in _registered:
        raise UnknownError(
            f"the recording has steps of the kind {name!r}, which nothing imported so far defines; "
            "import the module that defines it, then load again"
        )
    expected = [field.name for field in fields(_registered[name])]
    if len(values) != len(expected):
        raise UnknownError(
            f"a step {name!r} in the recording has {len(values)} values, but has the fields {', '.join(expected)} "
            "here; it was written by another version, so record it anew"
        )
    return _registered[name](*map(from_plain, values))


_readers: dict[str, Callable[[Any], Any]] = {
    "$float": float,
    "$str": lambda codes: "".join(map(chr, codes)),
    "$bytes": bytes.fromhex,
    "$tuple": lambda items: tuple(map(from_plain, items)),
    "$set": lambda items: set(map(from_plain, items)),
    "$frozenset": lambda items: frozenset(map(from_plain, items)),
    "$dict": lambda items: {from_plain(key): from_plain(item) for key, item in items},
    "$step": _step,
}


def copy(value: Any) -> Any:
    """A copy that later changes to the value do not reach."""
    return from_plain(to_plain(value))
