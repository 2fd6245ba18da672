"""Settings of models: 32-bit numbers, optional fields of tokenizer.json, and JSON as the library writes it.

Source: serde_json, which tokenizers 0.23.3 uses.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from struct import pack, unpack
from typing import Any

from tokenlab.tokenizers.arguments import UNSIGNED_64


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
    return f"{mantissa}e{int(exponent):+d}" if int(exponent) > 0 else f"{mantissa}e{int(exponent)}"


def json_text(value: Any) -> str:
    """Return a value without floats as compact JSON.

    >>> json_text({"é": 0})
    '{"é":0}'
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


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
