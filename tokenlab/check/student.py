"""A student's id: what it is however it is written, data drawn from it, and whether a notebook came in under it.

Adds: data that differ from neighbour to neighbour, and are the same each time. Leaves out: who somebody is.
"""

from __future__ import annotations

import hashlib
import os
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any


def known_as(student_id: Any) -> str:
    """An id without what makes no difference: upper and lower case, blanks around it, how accents are composed.

    Raises:
        AssertionError: it is no string.

    >>> known_as(" Jo\\u0308rg  M\u00fcller")
    'j\u00f6rg m\u00fcller'
    """
    if not isinstance(student_id, str):
        raise AssertionError(
            "student_id is no string; write your id in quotes, in its cell at the top, and run that cell."
        )
    return " ".join(unicodedata.normalize("NFC", student_id).casefold().split())


def draws(student_id: Any) -> Callable[..., Any]:
    """A function that draws one of its arguments; the same id draws the same, call by call, in every Python.

    >>> draw = draws("model")
    >>> [draw("a", "b", "c") for _ in range(8)]
    ['a', 'c', 'b', 'c', 'a', 'a', 'a', 'b']
    """
    number = int.from_bytes(hashlib.sha256(known_as(student_id).encode()).digest(), "big")

    def draw(*options: Any) -> Any:
        nonlocal number
        number, place = divmod(number, len(options))
        return options[place]

    return draw


def refuse_another(student_id: Any) -> None:
    """While nbgrader grades, compare an id with the folder in which the notebook came in.

    Raises:
        AssertionError: it is another one.
    """
    came_in_as = Path.cwd().parent.name
    if known_as(student_id) != known_as(came_in_as) and os.environ.get("NBGRADER_EXECUTION") == "autograde":
        raise AssertionError(
            f"This notebook says student_id = {student_id!r}, and it was handed in by {came_in_as!r}; "
            "tell your instructor."
        )
