"""Describe the types of results in words, so that a wrong type is reported before a wrong value.

>>> type_mismatch(["12", "7"], [12, 7])
'The result should be a list of integers, not a list of strings.'
>>> type_mismatch((12, 7), [12, 7]), type_mismatch([], [12])
('', '')
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

Kind: TypeAlias = "str | tuple[str, ...] | None"  # None matches every kind: a mixed or empty collection

SINGULAR = {
    "bool": "True or False",
    "number": "a number",
    "int": "an integer",
    "float": "a float",
    "str": "a string",
    "bytes": "bytes",
    "list": "a list",
    "tuple": "a tuple",
    "set": "a set",
    "dict": "a dictionary",
    "NoneType": "None",
}
PLURAL = {
    "bool": "True and False",
    "int": "integers",
    "float": "floats",
    "str": "strings",
    "bytes": "bytes objects",
    "list": "lists",
    "tuple": "tuples",
    "set": "sets",
    "dict": "dictionaries",
}
ALIKE = {"float": "int", "tuple": "list", "frozenset": "set"}  # types whose values may be equal


def type_mismatch(mine: Any, wanted: Any) -> str:
    """Return a sentence on the types of two values if values of these types cannot be equal, or "".

    >>> type_mismatch({"a"}, ("a",)), type_mismatch(2, 2.5)
    ('The result should be a tuple, not a set.', '')
    """
    if _name(mine) != _name(wanted):
        return f"The result should be {_described(wanted)}, not {_described(mine)}."
    parts, others = _parts(mine), _parts(wanted)
    if all(one is None or other is None or one == other for one, other in zip(parts, others, strict=True)):
        return ""
    return f"The result should be {_described(wanted, True)}, not {_described(mine, True)}."


def _type(value: Any) -> str:
    if isinstance(value, Mapping):
        return "dict"
    return next((name.__name__ for name in (bool, int, float, str, bytes, list, tuple, set) if isinstance(value, name)),
                type(value).__name__)  # fmt: skip


def _name(value: Any) -> str:
    """The type of a value; types whose values may be equal have one name."""
    return ALIKE.get(_type(value), _type(value))


def _parts(value: Any) -> tuple[str | None, ...]:
    """The one type of the parts of a collection, or None if there is none; for a dictionary, of its keys and values."""
    if isinstance(value, Mapping):
        return _common(value.keys()), _common(value.values())
    return (_common(value),) if isinstance(value, list | tuple | set | frozenset) else ()


def _common(values: Iterable[Any]) -> str | None:
    names = {_name(value) for value in values}
    return names.pop() if len(names) == 1 else None


def _described(value: Any, with_parts: bool = False) -> str:
    name = _type(value)
    whole = SINGULAR.get(name, f"a {name}")
    if not with_parts:
        return whole
    kinds = [PLURAL.get(part, part) for part in _parts(value) if part is not None]
    return f"{whole} of {' and '.join(kinds)}" if kinds else whole
