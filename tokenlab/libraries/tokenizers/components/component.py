"""Replaceable parts of the pipeline: how each is saved in tokenizer.json, pickled and printed.

Adds: `Component`, the base of normalizers, pre-tokenizers, models, post-processors, decoders and trainers;
`representation`, the text that `repr` shows; `Choice`, a value that it shows without quotes.
Leaves out: the file of a whole tokenizer (`serialization`).

Source: tokenizers, bindings/python/src/utils/serde_pyo3.rs.

>>> representation({"type": "Strip", "strip_left": True, "strip_right": False})
'Strip(strip_left=True, strip_right=False)'
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from decimal import Decimal
from inspect import getattr_static
from math import isfinite
from typing import Any, ClassVar, Self

from tokenlab.libraries.tokenizers.components.json_text import read_float
from tokenlab.libraries.tokenizers.components.settings import Setting

PACKAGE = "tokenlab.libraries.tokenizers."

# The library's `repr` and `str` shorten lists and dictionaries from this number of items on; `str` also shortens texts.
REPR_ITEMS, STR_ITEMS, STR_LENGTH = 100, 6, 100


class Choice(str):
    """A value of a fixed set, such as "always": a str in tokenizer.json, which `repr` shows without quotes."""

    __slots__ = ()


class Component:
    """A part of the pipeline. A change of an attribute is noticed by the tokenizers that contain it.

    `to_json` and `from_json` are the only statement of the saved fields: tokenizer.json, `pickle` and `repr` use them.
    By default they are the type and the settings, in the order of their definition.
    """

    changes: ClassVar[int] = 0  # of all components; a tokenizer compares it with the number at its last compilation
    _type: ClassVar[str]  # in tokenizer.json
    _advice: ClassVar[str]  # for those who call a base class: what to use instead
    _closed: ClassVar[bool] = False  # whether only the attributes that the class defines can be set

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls._is_ours():  # a user's subclass is saved as its base is
            cls._type = cls.__name__

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Refuse to create an instance of a base class with a TypeError."""
        if "_advice" in vars(cls):
            raise TypeError(f"cannot create {cls.__name__}: {cls.__name__} is the base class; use {cls._advice}")
        return super().__new__(cls)

    def __setattr__(self, name: str, value: Any) -> None:
        if self._closed and self._is_ours() and not (name.startswith("_") or _can_be_set(type(self), name)):
            known = ", ".join(one.name for one in self._settings() if not one.name.startswith("_"))
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}; it has {known or 'no settings'}")
        object.__setattr__(self, name, value)
        Component.changes += 1

    @classmethod
    def _is_ours(cls) -> bool:
        """Whether all methods are this package's; a subclass of a user's may override them."""
        return cls.__module__.startswith(PACKAGE)

    @classmethod
    def _settings(cls) -> list[Setting[Any]]:
        """Return the settings of the class and of its bases, in the order of their definition."""
        attributes = {name: value for base in reversed(cls.__mro__) for name, value in vars(base).items()}
        return [value for value in attributes.values() if isinstance(value, Setting)]

    def to_json(self) -> dict[str, Any]:
        """Return the fields of tokenizer.json in the library's order, "type" first."""
        return {"type": self._type} | {setting.field: setting.saved(self) for setting in self._settings()}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """Return the component with these fields of tokenizer.json.

        Raises:
            ValueError: a field is missing, or has a wrong type or value; the message names it.
        """
        component = object.__new__(cls)
        vars(component).update({setting.key: setting.loaded(fields) for setting in cls._settings()})
        return component

    def _shown(self) -> dict[str, Any]:
        """Return the fields for `repr`: those of `to_json`, with tuples where the library has them."""
        values = {setting.field: vars(self)[setting.key] for setting in self._settings()}
        return self.to_json() | {field: value for field, value in values.items() if isinstance(value, tuple)}

    def __repr__(self) -> str:
        return representation(self._shown())

    def __str__(self) -> str:
        return representation(self._shown(), items=STR_ITEMS, length=STR_LENGTH)

    def __getstate__(self) -> bytes:
        """Return the fields as JSON, which `pickle` stores."""
        return json.dumps(self.to_json(), ensure_ascii=False, separators=(",", ":")).encode()

    def __setstate__(self, state: bytes) -> None:
        vars(self).update(vars(type(self).from_json(json.loads(state, parse_float=read_float))))
        Component.changes += 1


def _can_be_set(owner: type, name: str) -> bool:
    return hasattr(getattr_static(owner, name, None), "__set__")


def representation(value: Any, items: int = REPR_ITEMS, length: int | None = None) -> str:
    """Return a JSON value as the library writes it in `repr`; an object with a "type" is written as a call.

    Args:
        value: a JSON value; it may contain tuples.
        items: from this number of items on, a list or an object is shortened.
        length: the bytes of a text that are shown, or None for all.

    >>> representation({"type": "Sequence", "normalizers": [{"type": "NFC"}], "dropout": None})
    'Sequence(normalizers=[NFC()], dropout=None)'
    >>> representation([("a", -1.0), 2, 3], items=3)
    '[("a", -1), 2, ...]'
    >>> representation({"type": "Split", "pattern": {"String": "-"}, "behavior": Choice("Removed")})
    'Split(pattern=String("-"), behavior=Removed)'
    """

    def shown(item: Any) -> str:
        return representation(item, items, length)

    match value:
        case None | bool() | int():
            return repr(value)
        case float():
            return _decimal(value)
        case Choice():
            return str(value)
        case str():
            start = value.encode()[:length].decode(errors="ignore")
            return f'"{value}"' if length is None or len(value.encode()) <= length else f'"{start}..."'
        case list() | tuple():
            inside = _shortened(map(shown, value[: items - 1]), len(value), items)
            return f"[{inside}]" if isinstance(value, list) else f"({inside})"
        case {"type": str(name), **fields}:
            return f"{name}({', '.join(f'{field}={shown(item)}' for field, item in fields.items())})"
        case {"String": str(text)} | {"Regex": str(text)} if len(value) == 1:  # the pattern of Split and Replace
            return f"{next(iter(value))}({shown(text)})"
        case dict():
            pairs = (f"{shown(key)}:{shown(item)}" for key, item in list(value.items())[: items - 1])
            return "{" + _shortened(pairs, len(value), items) + "}"
    return str(value)


def _shortened(shown: Iterable[str], count: int, items: int) -> str:
    return ", ".join([*shown, "..."] if count >= items else shown)


def _decimal(value: float) -> str:
    """Return a float as Rust writes it: without an exponent, and without .0.

    >>> _decimal(1e-05), _decimal(1e16), _decimal(-2.0)
    ('0.00001', '10000000000000000', '-2')
    """
    if not isfinite(value):
        return repr(value).replace("nan", "NaN")
    return format(Decimal(repr(value)), "f").removesuffix(".0")
