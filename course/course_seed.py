"""A course's secret, and all that is drawn from it: the inputs of the hidden tests, and the code of the variants.

The kit is public, but the secret is not. `make assignments` draws it once for each course. So the graded inputs of a
course are known to nobody, and they differ between students and between the versions that a student hands in. The code
of the variants is in the sheet: with another code, an id has another variant.

Without a secret, the inputs are those of the public kit. Feedback shows inputs of these only.
"""

from __future__ import annotations

import hashlib
import os
import random
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FILE = "course_secret.txt"
_key = ""  # what is drawn from at the moment


def secret_of(course: Path) -> str:
    """Return the secret of a course folder, or "" if it has none."""
    file = course / FILE
    try:
        return file.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return ""


def draw_secret(course: Path) -> None:
    """Give a course folder a secret, unless it has one; only its owner may read the file."""
    if not (file := course / FILE).exists():
        part = file.with_name(f".{FILE}.part")
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as out:
            out.write(secrets.token_hex(16) + "\n")
        os.replace(part, file)


def code_of(secret: str) -> str:
    """Return the public code of a course, from which the variants are drawn; without a secret, there is none.

    >>> code_of(""), code_of("a secret")
    ('', '5f28fc4b')
    """
    return hashlib.sha256(f"code {secret}".encode()).hexdigest()[:8] if secret else ""


@contextmanager
def drawing_from(*parts: str) -> Iterator[None]:
    """Draw from a secret and what else decides, such as the student and the text of the submission."""
    global _key
    before, _key = _key, hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()
    try:
        yield
    finally:
        _key = before


def seed(number: int) -> int:
    """Return the seed that stands for a number in the source of a hidden test.

    >>> seed(7)
    7
    >>> with drawing_from("a secret", "anna"):
    ...     seed(7) == seed(7), seed(7) == seed(8)
    (True, False)
    """
    return int(hashlib.sha256(f"{_key} {number}".encode()).hexdigest()[:15], 16) if _key else number


def Random(number: int) -> random.Random:
    """Return a generator with `seed(number)`."""
    return random.Random(seed(number))
