"""Files as students hand them in, for the tests of collecting."""

from __future__ import annotations

import io
import json
import os
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tokenlab.check.submission import MANIFEST, Submission, _packed

NAME = "assignment1"
NOVEMBER = datetime(2026, 11, 20, 17, tzinfo=UTC)


def notebook(student: Any = "anna", *cells: Any, **metadata: Any) -> bytes:
    """A notebook of the assignment with a cell for the id; `cells` are the sources of others."""
    sources = [f"student_id = {student!r}", *cells]
    made = [{"cell_type": "code", "metadata": {}, "source": source, "outputs": []} for source in sources]
    return json.dumps(
        {
            "cells": made,
            "metadata": {"tokenlab": {"assignment": NAME}} | metadata,
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    ).encode()


def packed(student: str = "anna", *cells: Any, time: datetime | str = NOVEMBER) -> bytes:
    """The file that `hand_in` writes at a time."""
    said = time if isinstance(time, str) else time.isoformat()
    return _packed(Submission(NAME, student, said, notebook(student, *cells), {}))


def put(folder: Path, name: str, content: bytes, modified: datetime = NOVEMBER) -> Path:
    """Write a file that was modified at a time."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    os.utime(path, (modified.timestamp(), modified.timestamp()))
    return path


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip file."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return memory.getvalue()


def unzipped(content: bytes) -> dict[str, bytes]:
    """The members of a zip file."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def altered(**changes: Any) -> bytes:
    """A file of `hand_in` with changes to its manifest."""
    members = unzipped(packed())
    return zipped(members | {MANIFEST: json.dumps(json.loads(members[MANIFEST]) | changes).encode()})


def stored(root: Path) -> dict[str, bytes]:
    """All files of a course, by path."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}
