"""Collect the files written by `hand_in()` into a course: make collect ARGS="folder", or ARGS="folder course".

Truncated and altered files are rejected and listed. Nothing is lost: the folder does not change, the newest file of a
student counts, and the submission that it replaces moves to `submitted_earlier/`.
"""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import nbformat

from notebooks.assignments.build import COURSE
from notebooks.assignments.course import Course
from tokenlab import files
from tokenlab.check.submission import Submission, assignment_name, read_submission, student_folder_name, student_id_in

STAMP = "timestamp.txt"  # nbgrader reads the submission time from this file


@dataclass
class Collected:
    """The result for each file."""

    taken: list[str] = field(default_factory=list)
    older: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        """List every file by name."""
        parts = [("Taken", self.taken), ("Left, since a newer one is there", self.older), ("Refused", self.refused)]
        return "\n".join(f"{name}: {len(lines)}\n" + "".join(f"  {line}\n" for line in lines) for name, lines in parts)


def collect(folder: Path, course: Course) -> Collected:
    """Copy every valid submission of a folder to the folder that nbgrader reads."""
    collected = Collected()
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")):
        name = str(path.relative_to(folder))
        try:
            handed_in = read(path)
        except ValueError as error:
            collected.refused.append(f"{name}: {error}")
            continue
        taken = take(handed_in, course)
        (collected.taken if taken else collected.older).append(f"{name}: {handed_in.student_id}, {handed_in.time}")
    return collected


def read(path: Path) -> Submission:
    """Read a submission: a file that `hand_in` wrote, or the notebook itself.

    Raises:
        ValueError: the file is truncated, altered, or something else.
    """
    if path.suffix != ".ipynb":
        return read_submission(path)
    try:
        sheet = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
    except Exception:  # nbformat raises errors of several types
        raise ValueError(f"{path.name} is no notebook; it is empty, torn, or something else") from None
    assignment = assignment_name(sheet)
    if assignment is None:
        raise ValueError(f"{path.name} is a notebook, but no assignment")
    time = datetime.fromtimestamp(int(path.stat().st_mtime), UTC).isoformat()
    return Submission(assignment, student_folder_name(student_id_in(sheet)), time, path.read_bytes(), {})


def take(handed_in: Submission, course: Course) -> bool:
    """Store a submission in the course unless a newer one is there; return whether it was stored."""
    student = _known_as(handed_in.student_id, course)
    folder = course.root / "submitted" / student / handed_in.assignment
    time = datetime.fromisoformat(handed_in.time)
    if folder.exists():
        before = _time_of(folder)
        if before is not None and before >= time:
            return False
        kept = f"{before:%Y%m%dT%H%M%SZ}" if before else f"before {time:%Y%m%dT%H%M%SZ}"
        earlier = course.root / "submitted_earlier" / student / handed_in.assignment / kept
        earlier.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(folder, earlier)
    part = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    (part / f"{handed_in.assignment}.ipynb").write_bytes(handed_in.notebook)
    files.write_atomically(part / STAMP, f"{time:%Y-%m-%d %H:%M:%S} UTC")
    os.replace(part, folder)
    return True


def _known_as(student: str, course: Course) -> str:
    """Return the name of a student's existing folder, ignoring case, or the given id."""
    folders = [folder.name for folder in (course.root / "submitted").glob("*/")]
    same = (name for name in folders if " ".join(name.split()).casefold() == student.casefold())
    return next(same, student)


def _time_of(folder: Path) -> datetime | None:
    try:
        said = (folder / STAMP).read_text(encoding="utf-8").strip()
        return datetime.strptime(said, "%Y-%m-%d %H:%M:%S UTC").replace(tzinfo=UTC)
    except (OSError, ValueError):
        return None


def main(arguments: list[str]) -> int:
    """Collect a folder; return 1 if a file was rejected."""
    if not arguments or not Path(arguments[0]).is_dir():
        print(__doc__)
        return 2
    collected = collect(Path(arguments[0]), Course(Path(arguments[1]) if len(arguments) > 1 else COURSE))
    print(collected)
    return 1 if collected.refused else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
