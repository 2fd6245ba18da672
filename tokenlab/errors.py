"""Sentences for a learner: the argument, what was given, what was expected, and the way out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from operator import index
from typing import Any, TypeVar

T = TypeVar("T")


def by_name(argument: str, name: str, known: Mapping[str, T]) -> T:
    """The value of that name, or a sentence with the nearest name.

    >>> by_name("tie_break", "lowest", {"first_seen": 1, "lowest_id": 2})
    Traceback (most recent call last):
    ...
    ValueError: tie_break='lowest' is not known; did you mean 'lowest_id'? There are: 'first_seen', 'lowest_id'
    """
    if isinstance(name, str) and name in known:
        return known[name]
    raise ValueError(f"{argument}={name!r} is not known; {_nearest(str(name), known)}There are: {_list(known)}")


def many(argument: str, given: Any, wanted: str = "a list") -> list[Any]:
    """What an iterable holds, as a list; `wanted` is what a sentence asks for where it is none.

    >>> many("special_tokens", 5)
    Traceback (most recent call last):
    ...
    TypeError: special_tokens=5 is a int; give a list
    """
    try:
        return list(given)
    except TypeError:
        raise TypeError(f"{argument}={given!r} is a {type(given).__name__}; give {wanted}") from None


def _nearest(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, list(known), n=1, cutoff=0.4)
    return f"did you mean {near[0]!r}? " if near else ""


def _list(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))


def whole_number(argument: str, given: Any, at_least: int | None = None) -> int:
    """The number, if it is a whole one (numpy's are, too) and large enough.

    >>> whole_number("vocab_size", 2.5, at_least=1)
    Traceback (most recent call last):
    ...
    TypeError: vocab_size=2.5 is a float; give a whole number, such as 100
    """
    if isinstance(given, bool) or not hasattr(given, "__index__"):
        raise TypeError(f"{argument}={given!r} is a {type(given).__name__}; give a whole number, such as 100")
    number = index(given)
    if at_least is not None and number < at_least:
        raise ValueError(f"{argument}={number} is too small; give {at_least} or more")
    return number
