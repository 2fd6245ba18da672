"""Atomic files: written under a temporary name in the same folder, and renamed when they are complete."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, TextIO


def temporary_path(path: str | Path) -> Path:
    """Return the path of a file while it is written; its name is hidden, so patterns for finished files do not match.

    >>> temporary_path("enzh-train-00000-of-00010").name
    '.enzh-train-00000-of-00010.incomplete'
    """
    path = Path(path)
    return path.with_name(f".{path.name}.incomplete")


@contextmanager
def atomic_file(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a binary file that appears under its name only if the block succeeds."""
    try:
        with open(temporary_path(path), "wb") as file:
            yield file
        os.replace(temporary_path(path), path)
    finally:
        temporary_path(path).unlink(missing_ok=True)


@contextmanager
def atomic_files(paths: Sequence[str | Path], replaced: Sequence[str | Path] = ()) -> Iterator[list[TextIO]]:
    """Open text files that belong together; they replace older ones only if the block succeeds.

    Args:
        paths: the files; their folders are created.
        replaced: older files to remove when the new files appear, such as those of an earlier run under other names.
    """
    try:
        with ExitStack() as opened:
            yield [opened.enter_context(_text_file(path)) for path in paths]
        # subtle: old files are removed first; otherwise an interruption could leave a mixed set that looks complete.
        for path in (*paths, *replaced):
            Path(path).unlink(missing_ok=True)
        for path in paths:
            os.replace(temporary_path(path), path)
    finally:
        for path in paths:
            temporary_path(path).unlink(missing_ok=True)


def _text_file(path: str | Path) -> TextIO:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    return open(temporary_path(path), "w", encoding="utf-8", newline="\n")
