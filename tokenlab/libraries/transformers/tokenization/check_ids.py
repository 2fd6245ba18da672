"""Checks of ids and tokens from a caller, with messages that name the value that is none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tokenlab.printing.errors import warn


def whole_numbers(ids: Any) -> list[int]:
    """Return ids as numbers of Python, from a list, a tensor or an array; fractions are truncated, as in the library.

    Raises:
        TypeError: a value is no number, or there is no list.
        ValueError: a value is a string without a number.
        OverflowError: a value is infinite.

    >>> whole_numbers([1, "2"])
    [1, 2]
    >>> whole_numbers([1, "a"])
    Traceback (most recent call last):
    ...
    ValueError: ids[1]='a' is no id; give whole numbers
    """
    try:
        given = list(ids)
    except TypeError:
        raise TypeError(f"ids={ids!r:.60} should be a whole number, or a list of whole numbers") from None
    try:
        return [int(id) for id in given]
    except (TypeError, ValueError, OverflowError) as error:
        place = next(place for place, id in enumerate(given) if not _is_number(id))
        raise type(error)(f"ids[{place}]={given[place]!r:.60} is no id; give whole numbers") from None


def _is_number(value: Any) -> bool:
    try:
        int(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def about_tokens(tokens: Any, error: AttributeError | TypeError) -> Exception:
    """Return an error of the same type that names the value that is no token; if all are strings, the error itself.

    >>> about_tokens(["the", 1], AttributeError("'int' object has no attribute 'startswith'"))
    AttributeError('tokens[1]=1 is no token; give strings, as `tokenize` returns them')
    """
    kind = AttributeError if isinstance(error, AttributeError) else TypeError
    if not isinstance(tokens, Iterable):
        return kind(f"tokens={tokens!r:.60} should be a list of tokens, as `tokenize` returns it")
    for place, token in enumerate(tokens):
        if not isinstance(token, str):
            return kind(f"tokens[{place}]={token!r:.60} is no token; give strings, as `tokenize` returns them")
    return error


def join_tokens(tokens: Iterable[str], separator: str = "") -> str:
    """Return the tokens as one string.

    Raises:
        TypeError: a token is no string.

    >>> join_tokens(["▁Hel", "lo"])
    '▁Hello'
    """
    try:
        return separator.join(tokens)
    except TypeError as error:
        raise about_tokens(tokens, error) from None


def warn_about_other_types(values: Sequence[Any], expected: type) -> None:
    """Warn if a list of ids or of tokens also has values of another type, which the library uses as they are.

    Args:
        values: the list; the first value decides what it is.
        expected: int for ids, str for tokens.
    """
    other = next((value for value in values if not isinstance(value, expected)), None)
    if other is not None or None in values:
        kind = {int: "ids", str: "tokens"}[expected]
        warn(f"text is a list of {kind}, but has {other!r:.60} among them; give {kind} only")
