"""JSON as the library writes it in the files of a model.

Source: serde_json, which tokenizers 0.23.3 uses.
"""

from __future__ import annotations

import json
from math import isfinite
from typing import Any


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
