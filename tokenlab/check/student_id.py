"""Student ids: normalize an id, draw data from it, and compare it with the folder of a submission.

Adds: data that differ from student to student and are the same each time. Leaves out: authentication.
"""

from __future__ import annotations

import hashlib
import os
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

LONGEST_ID = 1_000  # characters: to normalize a long text of combining marks takes hours


def normalized_id(student_id: Any) -> str:
    """Normalize the case, whitespace and Unicode composition (NFC) of an id.

    Raises:
        AssertionError: the id is not a string, or is too long.

    >>> normalized_id(" Jo\\u0308rg  M\u00fcller")
    'j\u00f6rg m\u00fcller'
    """
    if not isinstance(student_id, str):
        raise AssertionError(
            "student_id is no string; write your id in quotes, in its cell at the top, and run that cell."
        )
    if len(student_id) > LONGEST_ID:
        raise AssertionError(f"student_id = {student_id!r:.60} is too long; take a shorter one.")
    return " ".join(unicodedata.normalize("NFC", student_id).casefold().split())


def variant_chooser(student_id: Any) -> Callable[..., Any]:
    """Return a function that chooses one of its arguments; the same id makes the same choices in every Python version.

    >>> draw = variant_chooser("model")
    >>> [draw("a", "b", "c") for _ in range(8)]
    ['a', 'c', 'b', 'c', 'a', 'a', 'a', 'b']
    """
    number = int.from_bytes(hashlib.sha256(normalized_id(student_id).encode()).digest(), "big")

    def draw(*options: Any) -> Any:
        nonlocal number
        number, place = divmod(number, len(options))
        return options[place]

    return draw


def check_same_student(student_id: Any) -> None:
    """During autograding, compare an id with the folder that the notebook was submitted in.

    Raises:
        AssertionError: the two differ.
    """
    came_in_as = Path.cwd().parent.name
    if normalized_id(student_id) != normalized_id(came_in_as) and os.environ.get("NBGRADER_EXECUTION") == "autograde":
        raise AssertionError(
            f"This notebook says student_id = {student_id!r}, and it was handed in by {came_in_as!r}; "
            "tell your instructor."
        )
