"""Files that are whole or not there: written beside their places, and moved when the last byte is written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, TextIO


def beside(path: str | Path) -> Path:
    """Where a file lies while it is written; the name is hidden, so that no pattern for the finished ones meets it.

    >>> beside("enzh-train-00000-of-00010").name
    '.enzh-train-00000-of-00010.incomplete'
    """
    path = Path(path)
    return path.with_name(f".{path.name}.incomplete")


@contextmanager
def whole_file(path: str | Path) -> Iterator[IO[bytes]]:
    """A file for bytes, which is there when all went well, and else is not."""
    try:
        with open(beside(path), "wb") as file:
            yield file
        os.replace(beside(path), path)
    finally:
        beside(path).unlink(missing_ok=True)


@contextmanager
def whole_files(paths: Sequence[str | Path], replaced: Sequence[str | Path] = ()) -> Iterator[list[TextIO]]:
    """Files for text that belong together: all are there when all went well, and else none is new.

    Args:
        paths: the files; their folders are made.
        replaced: what goes when the new files come: what an earlier run left, perhaps under other names.
    """
    try:
        with ExitStack() as opened:
            yield [opened.enter_context(_text_file(path)) for path in paths]
        # subtle: old ones go first; or an old and a new half, met after an interruption, would pass for a whole.
        for path in (*paths, *replaced):
            Path(path).unlink(missing_ok=True)
        for path in paths:
            os.replace(beside(path), path)
    finally:
        for path in paths:
            beside(path).unlink(missing_ok=True)


def _text_file(path: str | Path) -> TextIO:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    return open(beside(path), "w", encoding="utf-8", newline="\n")
