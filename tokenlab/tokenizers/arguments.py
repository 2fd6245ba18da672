"""Checks of arguments that raise the library's exception types, with the name of the argument in the message.

The library converts arguments to Rust types, which refuses lone surrogates, numbers that do not fit, and 1 for True.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import Any

UNSIGNED_32, UNSIGNED_64 = 2**32 - 1, 2**64 - 1


def check_text(name: str, value: Any) -> str:
    """Return a str that UTF-8 can encode.

    Raises:
        TypeError: the value is not a str.
        UnicodeEncodeError: it has a lone surrogate.

    >>> check_text("content", "a")
    'a'
    """
    if not isinstance(value, str):
        raise TypeError(f"{name}={value!r:.60} should be a str, not {type(value).__name__}")
    return check_encodable(value)


def check_encodable(text: str) -> str:
    """Return a text without lone surrogates; otherwise raise a UnicodeEncodeError that says how to remove them."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        error.reason = (
            f"surrogates not allowed: U+{ord(error.object[error.start]):04X} is half of a pair and no character; "
            'replace it with text.encode(errors="replace").decode()'
        )
        raise
    return text


def check_bool(name: str, value: Any) -> bool:
    """Return a bool (or NumPy's bool) as a bool.

    Raises:
        TypeError: the value has another type.
    """
    if isinstance(value, bool):
        return value
    if type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    raise TypeError(f"{name}={value!r:.60} should be True or False, not {type(value).__name__}")


def check_unsigned(name: str, value: Any, largest: int = UNSIGNED_64) -> int:
    """Return an integer from 0 to `largest`.

    Raises:
        TypeError: the value is not an integer.
        OverflowError: it is negative or too large.
    """
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"{name}={value!r:.60} should be an integer, not {type(value).__name__}") from None
    if not 0 <= number <= largest:
        raise OverflowError(f"{name}={number} should be from 0 to {largest}")
    return number


def check_names(function: str, given: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Return the known keyword arguments, and print the unknown ones as ignored, which the library does not refuse."""
    for name in given.keys() - known.keys():
        print(f"Ignored unknown kwarg option {name}; {function} knows: {', '.join(known)}")
    return {name: value for name, value in given.items() if name in known}
