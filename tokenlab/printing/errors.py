"""Errors and warnings that name the argument, the given value, the expected value, and a fix."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping, Sized
from operator import index
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

PACKAGE = str(Path(__file__).parents[1])


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line outside this package (and PyTorch) that made the call, as skip_file_prefixes in Python 3.12.

    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     warn("top_k=3 is ignored")
    >>> str(caught[0].message)
    'top_k=3 is ignored'
    """
    torch = sys.modules.get("torch")
    skipped = tuple(str(Path(folder)) + os.sep for folder in (PACKAGE, *(torch.__path__ if torch else ())))
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_code.co_filename.startswith(skipped):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def lookup(argument: str, name: str, known: Mapping[str, T]) -> T:
    """Return the value of a name; raise a ValueError that suggests the nearest name if it is not known.

    >>> lookup("tie_break", "lowest", {"first_seen": 1, "lowest_id": 2})
    Traceback (most recent call last):
    ...
    ValueError: tie_break='lowest' is not known; did you mean 'lowest_id'? There are: 'first_seen', 'lowest_id'
    """
    if isinstance(name, str) and name in known:
        return known[name]
    from difflib import get_close_matches  # here, because only an error needs it

    near = get_close_matches(str(name), list(known), n=1, cutoff=0.4)
    suggestion = f"did you mean {near[0]!r}? " if near else ""
    raise ValueError(f"{argument}={name!r} is not known; {suggestion}There are: {', '.join(map(repr, known))}")


def as_list(argument: str, given: Any, wanted: str = "a list") -> list[Any]:
    """Return the items of an iterable as a list; raise a TypeError that asks for `wanted` if it is not iterable.

    >>> as_list("special_tokens", 5)
    Traceback (most recent call last):
    ...
    TypeError: special_tokens=5 is a int; give a list
    """
    try:
        return list(given)
    except TypeError:
        raise TypeError(f"{argument}={given!r} is a {type(given).__name__}; give {wanted}") from None


def check_not_empty(argument: str, given: Sized, wanted: str) -> None:
    """Raise a ValueError that asks for `wanted` if there is no item.

    >>> check_not_empty("scores", [], "the logit of at least one token")
    Traceback (most recent call last):
    ...
    ValueError: scores is empty; give the logit of at least one token
    """
    if not len(given):
        raise ValueError(f"{argument} is empty; give {wanted}")


def check_integer(argument: str, given: Any, at_least: int | None = None) -> int:
    """Return an integer (also of numpy) as an int; raise an error if it is not an integer or is too small.

    >>> check_integer("vocab_size", 2.5, at_least=1)
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
