"""Convert values to JSON and back, without pickle: types that JSON lacks are written with a tag.

>>> to_json_value((b"\\xff", float("inf")))
{'$tuple': [{'$bytes': 'ff'}, {'$float': 'inf'}]}
>>> from_json_value(to_json_value((b"\\xff", float("inf"))))
(b'\\xff', inf)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from math import isfinite
from typing import Any, TypeVar

C = TypeVar("C")

_registered: dict[str, type[Any]] = {}


class UnknownTypeError(ValueError):
    """A recording contains an unknown tag or step class, or a field of another type; the message gives a fix."""


def register_step_type(cls: type[C]) -> type[C]:
    """Register a dataclass for serialization; values are restored with this registry, never by importing a path."""
    _registered[_name(cls)] = cls
    return cls


def _name(cls: type[Any]) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def to_json_value(value: Any) -> Any:
    """Return a value that `json.dumps` accepts; a function becomes its name, any other unsupported value its `repr`."""
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
            return [to_json_value(item) for item in value]
        case tuple():
            return {"$tuple": [to_json_value(item) for item in value]}
        case range():
            return {"$range": [value.start, value.stop, value.step]}
        case set() | frozenset():
            tag = "$set" if isinstance(value, set) else "$frozenset"
            return {tag: [to_json_value(item) for item in sorted(value, key=repr)]}
        case Mapping():
            return {"$dict": [[to_json_value(key), to_json_value(item)] for key, item in value.items()]}
    if _registered.get(_name(type(value))) is type(value):
        values = [to_json_value(getattr(value, field.name)) for field in fields(value)]
        return {"$step": [_name(type(value)), *values]}
    if callable(value) and hasattr(value, "__qualname__"):
        return f"{value.__module__}.{value.__qualname__}"
    return to_json_value(repr(value))


def _has_surrogate(text: str) -> bool:
    # subtle: JSON would combine a high surrogate and a following low surrogate into one character.
    return any("\ud800" <= character <= "\udfff" for character in text) if not text.isascii() else False


def from_json_value(value: Any) -> Any:
    """Return the value that `to_json_value` converted.

    Raises:
        UnknownTypeError: a tag or a step class is not known.
        ValueError, TypeError, OverflowError: the content of a tag is not what `to_json_value` writes.
    """
    match value:
        case list():
            return [from_json_value(item) for item in value]
        case dict():
            [(tag, content)] = value.items() if len(value) == 1 else [("", value)]
            if tag not in _readers:
                raise UnknownTypeError(f"unknown tag {tag!r} in a recording; was it written by a later version?")
            return _readers[tag](content)
    return value


def _step(content: list[Any]) -> Any:
    name, *values = content
    if name not in _registered:
        raise UnknownTypeError(
            f"the recording has steps of the class {name!r}, which no imported module defines; "
            "import the module that defines it, then load the recording again"
        )
    expected = [field.name for field in fields(_registered[name])]
    if len(values) != len(expected):
        raise UnknownTypeError(
            f"a step {name!r} in the recording has {len(values)} values, but its class has the fields "
            f"{', '.join(expected)}; the recording was written by another version, so record the function again"
        )
    return _registered[name](*map(from_json_value, values))


_readers: dict[str, Callable[[Any], Any]] = {
    "$float": float,
    "$str": lambda codes: "".join(map(chr, codes)),
    "$bytes": bytes.fromhex,
    "$tuple": lambda items: tuple(map(from_json_value, items)),
    "$range": lambda ends: range(*ends),
    "$set": lambda items: set(map(from_json_value, items)),
    "$frozenset": lambda items: frozenset(map(from_json_value, items)),
    "$dict": lambda items: {from_json_value(key): from_json_value(item) for key, item in items},
    "$step": _step,
}


def deep_copy(value: Any) -> Any:
    """Return a copy that does not change with the original."""
    return from_json_value(to_json_value(value))
