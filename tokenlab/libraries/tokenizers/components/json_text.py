"""Numbers in JSON, as the library reads and writes them.

The library reads a number with many digits to within a rounding error: 0.9429238899806145 becomes 0.9429238899806144.
The scores of a Unigram model have many digits, and a rounding error decides between equally good segmentations, so
`read_float` makes the same errors.

Source: serde_json (src/de.rs, without its feature float_roundtrip), which tokenizers 0.23.3 uses.
"""

from __future__ import annotations

import json
from math import inf, isfinite
from typing import Any

from tokenlab.libraries.tokenizers.components.arguments import UNSIGNED_64


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


def read_float(text: str) -> float:
    """Return the number that the library reads, for `parse_float` of `json.loads`.

    Raises:
        ValueError: the number is too large.

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
    """Return a value without floats as compact JSON.

    >>> json_text({"é": 0})
    '{"é":0}'
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
