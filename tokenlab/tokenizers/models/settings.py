"""Settings of models: attributes that are checked when they are set, and fields of tokenizer.json."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from struct import pack, unpack
from typing import Any, Generic, Self, TypeVar, overload

from tokenlab.tokenizers.arguments import UNSIGNED_64, check_text, check_unsigned

T = TypeVar("T")


class Setting(Generic[T]):
    """An attribute of a model that is checked when it is set; the model then forgets the words that it has cached.

    >>> class Model:
    ...     fuse = Setting(lambda name, value: bool(value), "Whether to fuse.")
    ...     def _forget_words(self) -> None:
    ...         print("forgotten")
    >>> model = Model()
    >>> model.fuse = 1
    forgotten
    >>> model.fuse
    True
    """

    def __init__(self, check: Callable[[str, Any], T], doc: str) -> None:
        self.check = check
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, model: None, owner: type | None = None) -> Self: ...
    @overload
    def __get__(self, model: object, owner: type | None = None) -> T: ...
    def __get__(self, model: Any, owner: type | None = None) -> Any:
        return self if model is None else vars(model)[self.name]

    def __set__(self, model: Any, value: Any) -> None:
        vars(model)[self.name] = self.check(self.name, value)
        model._forget_words()


def optional_text(name: str, value: Any) -> str | None:
    """Return a text, or None.

    Raises:
        TypeError: neither of them.
        UnicodeEncodeError: the text has a lone surrogate.
    """
    return None if value is None else check_text(name, value)


def optional_float32(name: str, value: Any) -> float | None:
    """Return a number as a 32-bit number, or None.

    Raises:
        TypeError: neither of them.

    >>> optional_float32("dropout", 0.1)
    0.10000000149011612
    """
    return None if value is None else to_float32(check_number(name, value))


def optional_number(name: str, value: Any) -> float | None:
    """Return a number as a float, or None.

    Raises:
        TypeError: neither of them.
    """
    return None if value is None else check_number(name, value)


def optional_unsigned(name: str, value: Any) -> int | None:
    """Return an integer from 0, or None.

    Raises:
        TypeError: neither of them.
        OverflowError: a negative integer, or too large.
    """
    return None if value is None else check_unsigned(name, value)


def check_number(name: str, value: Any) -> float:
    """Return a number as a float.

    Raises:
        TypeError: not a number.
    """
    if isinstance(value, str | bytes | bytearray) or not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        raise TypeError(f"{name}={value!r:.60} should be a number, not {type(value).__name__}")
    return float(value)


def to_float32(value: float) -> float:
    """Return the nearest 32-bit number, which is how the library stores a dropout probability.

    >>> to_float32(0.1)
    0.10000000149011612
    """
    try:
        return float(unpack("f", pack("f", value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def shortest_float32(value: float) -> float:
    """Return the number with the fewest decimal digits that rounds to a 32-bit number.

    >>> shortest_float32(0.10000000149011612)
    0.1
    """
    candidates = (float(f"{value:.{digits}g}") for digits in range(1, 10))
    return next((short for short in candidates if to_float32(short) == value), value)


def string_field(fields: Mapping[str, Any], name: str) -> str:
    """Return a required text of tokenizer.json.

    Raises:
        ValueError: it is missing, or not a text.
    """
    text = optional_string_field(fields, name)
    if text is None:
        given = "is null" if name in fields else "is missing"
        raise ValueError(f'the field "{name}" of the model {given}; it should be a string')
    return text


def optional_string_field(fields: Mapping[str, Any], name: str) -> str | None:
    """Return an optional text of tokenizer.json, or None.

    Raises:
        ValueError: it is not a text.
    """
    value = fields.get(name)
    if value is not None and not isinstance(value, str):
        raise ValueError(f'the field "{name}" of the model is {value!r:.60}; it should be a string')
    return value


def bool_field(fields: Mapping[str, Any], name: str, nullable: bool = True) -> bool:
    """Return an optional true or false of tokenizer.json; False if it is missing.

    Raises:
        ValueError: it is neither.
    """
    value = fields.get(name, False)
    if not isinstance(value, bool) and not (value is None and nullable):
        raise ValueError(f'the field "{name}" of the model is {value!r:.60}; it should be true or false')
    return bool(value)


def size_field(fields: Mapping[str, Any], name: str) -> int:
    """Return a required integer from 0 of tokenizer.json.

    Raises:
        ValueError: it is missing, or no such integer.
    """
    value = fields.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= UNSIGNED_64:
        given = f"is {value!r:.60}" if name in fields else "is missing"
        raise ValueError(f'the field "{name}" of the model {given}; it should be an integer from 0')
    return value
