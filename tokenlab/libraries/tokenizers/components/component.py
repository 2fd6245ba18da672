"""Replaceable parts of the pipeline: how each is saved in tokenizer.json, loaded, pickled and printed.

Adds: `Component`, the base of normalizers, pre-tokenizers, models, post-processors, decoders and trainers; `Custom`,
the base of those that run an object of the user; `load_component`, which finds the class of saved fields;
`representation`, the text that `repr` shows; `snapshot`, a copy that later changes do not reach; numbers in JSON.
Leaves out: the classes of each kind (its package), and the file of a whole tokenizer (`serialization`).

The library reads a number with many digits to within a rounding error: 0.9429238899806145 becomes 0.9429238899806144.
The scores of a Unigram model have many digits, and a rounding error decides between equally good segmentations, so
`read_float` makes the same errors.

Source: tokenizers 0.23.3, bindings/python/src/utils/serde_pyo3.rs and bindings/python/src/{normalizers,decoders}.rs;
serde_json, src/de.rs, without its feature float_roundtrip.

>>> representation({"type": "Strip", "strip_left": True, "strip_right": False})
'Strip(strip_left=True, strip_right=False)'
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from inspect import getattr_static
from math import copysign, inf, isfinite
from typing import Any, ClassVar, NoReturn, Self, TypeAlias, TypeVar, cast

from tokenlab.libraries.tokenizers.components.arguments import UNSIGNED_64, Setting
from tokenlab.printing.errors import lookup

T = TypeVar("T")
PACKAGE = "tokenlab.libraries.tokenizers."

# The library's `repr` and `str` shorten lists and dictionaries from this number of items on; `str` also shortens texts.
REPR_ITEMS, STR_ITEMS, STR_LENGTH = 100, 6, 100


class Choice(str):
    """A value of a fixed set, such as "always": a str in tokenizer.json, which `repr` shows without quotes."""

    __slots__ = ()


class Component:
    """A part of the pipeline. A change of an attribute is noticed by the tokenizers that contain it.

    A setting of a wrong type or value raises a TypeError, ValueError or OverflowError, in the constructor and later.

    `to_json` and `from_json` are the only statement of the saved fields: tokenizer.json, `pickle` and `repr` use them.
    By default they are the type and the settings, in the order of their definition.
    """

    changes: ClassVar[int] = 0  # of all components; a tokenizer compares it with the number at its last compilation
    _type: ClassVar[str]  # in tokenizer.json
    _advice: ClassVar[str]  # for those who call a base class: what to use instead
    _closed: ClassVar[bool] = False  # whether only the attributes that the class defines can be set
    _caches: ClassVar[frozenset[str]] = frozenset()  # attributes with derived data, which copies do not share

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
        can_be_set = name.startswith("_") or hasattr(getattr_static(type(self), name, None), "__set__")
        if self._closed and not can_be_set and self._is_ours():
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

    def _clear_cache(self) -> None:
        """Forget derived data."""

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
        return json_text(self.to_json()).encode()

    def __setstate__(self, state: bytes) -> None:
        vars(self).update(vars(type(self).from_json(json.loads(state, parse_float=read_float))))
        self._clear_cache()
        Component.changes += 1


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

    If two shortest decimals are equally close, Rust takes the larger one, and Python the one with an even last digit.

    >>> _decimal(1e-05), _decimal(1e16), _decimal(-2.0), _decimal(0.93231964111328125)
    ('0.00001', '10000000000000000', '-2', '0.9323196411132813')
    """
    if not isfinite(value):
        return repr(value).replace("nan", "NaN")
    shortest, exact = Decimal(repr(abs(value))), Decimal(abs(value))
    other = (2 * exact - shortest).normalize()  # as close, on the other side
    if other > shortest and len(other.as_tuple().digits) <= len(shortest.as_tuple().digits):
        shortest = other
    return ("-" if copysign(1, value) < 0 else "") + format(shortest, "f").removesuffix(".0")


# --- copies -------------------------------------------------------------------------------------------

# A component replaces its lists and dictionaries when it changes, and never changes one in place; so a copy can share
# them. A 50,000-word model is copied in microseconds.


def snapshot(value: T) -> T:
    """Return a copy of a component and of the components in it; return any other value unchanged.

    >>> from tokenlab.libraries.tokenizers.models import WordLevel
    >>> model = WordLevel({"a": 0}, unk_token="a"); copy = snapshot(model)
    >>> model.unk_token = "b"; copy.unk_token
    'a'
    """
    if isinstance(value, Component):
        copy = object.__new__(type(value))
        vars(copy).update({name: snapshot(part) for name, part in vars(value).items()})
        copy._clear_cache()  # the caches of the original call the original
        return copy
    if _holds_components(value):
        copies: Any = type(value)
        return copies(map(snapshot, cast("Iterable[Any]", value)))  # type: ignore[no-any-return]
    return value


def is_unchanged(component: Any, copy: Any) -> bool:
    """Whether no attribute of the component was assigned since the copy was made."""
    if isinstance(component, Component):
        if type(component) is not type(copy):
            return False
        then = vars(copy)
        # An attribute that only one of them has is a cached result.
        return all(
            is_unchanged(part, then[name])
            for name, part in vars(component).items()
            if name in then and name not in component._caches
        )
    if _holds_components(component):
        return type(component) is type(copy) and len(component) == len(copy) and all(map(is_unchanged, component, copy))
    return component is copy


def components_in(value: Any) -> Iterator[Component]:
    """Yield a component, and those in it, such as the members of a Sequence."""
    if isinstance(value, Component):
        yield value
        for part in vars(value).values():
            yield from components_in(part)
    elif _holds_components(value):
        for part in value:
            yield from components_in(part)


def _holds_components(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and isinstance(value[0], Component)


def is_custom(value: Any) -> bool:
    """Whether a component runs code of the user: a Python object, or a subclass of a component."""
    return not all(part._is_ours() for part in components_in(value))


# --- components of the user ---------------------------------------------------------------------------


class Custom(Component):
    """A component that calls a method of an object. It cannot be saved or pickled."""

    _kind: ClassVar[str]  # what messages call it, such as "Normalizer"

    def __init__(self, obj: Any) -> None:
        """Keep the object; whether it has the method shows when it is called."""
        self._obj = obj

    @classmethod
    def _is_ours(cls) -> bool:
        """Return False: the object's code is the user's."""
        return False

    def to_json(self) -> NoReturn:
        """Refuse to be saved, with a ValueError."""
        raise ValueError(
            f"Custom {self._kind} cannot be serialized: {type(self._obj).__name__} is Python code; remove it from the "
            "tokenizer before saving, and set it again after loading"
        )

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"cannot pickle a custom {self._kind}: {type(self._obj).__name__} is Python code")

    def __repr__(self) -> str:
        return f"{self._kind}.custom({self._obj!r})"


# --- loading ------------------------------------------------------------------------------------------

C = TypeVar("C", bound=Component)
Types: TypeAlias = Mapping[str, type[C]]
Untyped: TypeAlias = Sequence[tuple[frozenset[str], type[C]]]


def by_name(classes: Iterable[type[C]]) -> dict[str, type[C]]:
    """Return the classes by their types in tokenizer.json, which are their names."""
    return {one.__name__: one for one in classes}


def load_component(kind: str, fields: Any, types: Types[C], untyped: Untyped[C] = ()) -> C:
    """Return the component with these fields of tokenizer.json.

    Args:
        kind: what the messages call it, such as "normalizer".
        fields: the fields, which should be a dict.
        types: the class of each "type".
        untyped: classes that are recognized by their fields if the type is missing or not known; the first one counts.

    Raises:
        ValueError: its type is not known (the nearest one is suggested), or a field is missing or wrong.
    """
    if not isinstance(fields, dict):
        raise ValueError(f'a {kind} should be an object such as {{"type": "{next(iter(types))}"}}, not {fields!r:.60}')
    name = str(fields.get("type"))
    found = None if name in types else class_by_fields(fields, untyped)
    if found is None and "type" not in fields:
        raise ValueError(f'the {kind} {fields!r:.100} has no "type"; there are: {", ".join(types)}')
    return (found or lookup(f"{kind} type", name, types)).from_json(fields)


def class_by_fields(fields: Mapping[str, Any], untyped: Untyped[C]) -> type[C] | None:
    """Return the first class all of whose fields are there, or None."""
    return next((one for names, one in untyped if names <= fields.keys()), None)


# --- numbers in JSON ----------------------------------------------------------------------------------


def number_text(value: float) -> str:
    """Return a float as the library writes it in JSON.

    >>> number_text(1e-05), number_text(1e-07), number_text(1e16), number_text(float("nan"))
    ('0.00001', '1e-7', '1e+16', 'null')
    """
    if not isfinite(value):
        return "null"
    mantissa, _, exponent = repr(value).partition("e")
    if not exponent:
        return mantissa
    if int(exponent) == -5:
        sign, digits = mantissa.startswith("-"), mantissa.lstrip("-").replace(".", "")
        return f"{'-' * sign}0.0000{digits}"
    return f"{mantissa}e{int(exponent):+d}"


def read_float(text: str) -> float:
    """Return the number that the library reads, for `parse_float` of `json.loads`; a ValueError if it is too large.

    >>> read_float("0.9429238899806145"), read_float("-1.5e-3")
    (0.9429238899806144, -0.0015)
    """
    mantissa, _, exponent_text = text.lower().partition("e")
    whole, _, decimals = mantissa.lstrip("-").partition(".")
    significand, left_out = _take_digits(0, whole)
    significand, decimals_left_out = _take_digits(significand, decimals)
    exponent = int(exponent_text or 0) + left_out - (len(decimals) - decimals_left_out)
    value = float(significand)
    while value and exponent < -308:
        value /= 1e308
        exponent += 308
    if value and exponent:
        value = (
            value * _POWERS[exponent] if 0 < exponent <= 308 else value / _POWERS[-exponent] if exponent < 0 else inf
        )
    if value == inf:
        raise ValueError(f"the number {text:.40} is too large")
    return -value if text.startswith("-") else value


_POWERS = [float(f"1e{exponent}") for exponent in range(309)]


def _take_digits(significand: int, digits: str) -> tuple[int, int]:
    """Append digits while the significand has 64 bits; return it, and the number of digits that were left out."""
    for place, digit in enumerate(digits):
        longer = significand * 10 + int(digit)
        if longer > UNSIGNED_64:
            return significand, len(digits) - place
        significand = longer
    return significand, 0


def json_text(value: Any) -> str:
    """Return a value as compact JSON, with floats as Python writes them.

    >>> json_text({"é": 0})
    '{"é":0}'
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
