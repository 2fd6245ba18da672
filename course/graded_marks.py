"""The record of what was graded, and of what the page of feedback shows: a mark for each graded notebook.

Adds: `make grade` grades again what a change concerns, and nothing else. Leaves out: grading.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from course.course_folder import CONFIG, Course
from course.course_seed import FILE
from tokenlab.check.submission import versions
from tokenlab.storage import files

MARK = "graded.json"  # in the folder of the graded notebook, written when all of it was done
PAGE = "feedback"


class Marks:
    """Compares what grading depends on now with what it depended on when each submission was graded."""

    def __init__(self, course: Course, assignment: str) -> None:
        """Read what all submissions of the assignment share."""
        self.course, self.assignment = course, assignment
        self.shared = {
            "the tests": _digest(course.root / "source" / assignment / f"{assignment}.ipynb"),
            "the version of the kit": str(versions()["code"]) + _digest(*_grading_code()),
            CONFIG: _digest(course.root / CONFIG),
            "the secret of the course": _digest(course.root / FILE),
        }
        self.due_dates = course.due_dates(assignment)
        self.pages = course.feedback_digests(assignment)

    def now(self, student: str) -> dict[str, str]:
        """Return what the grade of a student depends on, by name."""
        folder = self.course.root / "submitted" / student / self.assignment
        return {
            "the submission": _digest(folder / f"{self.assignment}.ipynb"),
            "the time of the submission": _text(folder / "timestamp.txt").strip(),
            "the due date or the extra time": self.due_dates.get(student, self.due_dates.get("", "")),
            **self.shared,
        }

    def changed(self, student: str) -> list[str] | None:
        """Return the names of what has changed since a submission was graded, or None if it was not graded."""
        before, now = self.stored(student), self.now(student)
        return [name for name in now if before.get(name) != now[name]] if before else None

    def page_is_current(self, student: str) -> bool:
        """Whether the page of feedback exists, and shows the points and comments that the gradebook has."""
        page = self.course.page(self.assignment, student)
        return page.is_file() and self.stored(student).get(PAGE) == self.pages.get(student)

    def stored(self, student: str) -> dict[str, str]:
        """Return a student's mark; an incomplete one is empty."""
        try:
            mark = json.loads(self._path(student).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return mark if isinstance(mark, dict) else {}

    def write(self, student: str, with_page: bool = False) -> None:
        """Mark a submission as graded; `with_page` says that its page of feedback was written afterwards."""
        if self.course.graded(self.assignment, student):
            page = {PAGE: self.pages.get(student, "")} if with_page else {}
            files.write_atomically(self._path(student), json.dumps(self.now(student) | page, indent=1) + "\n")

    def _path(self, student: str) -> Path:
        return self.course.root / "autograded" / student / self.assignment / MARK


def _grading_code() -> list[Path]:
    """Return the files that grade; those of the assignments and of the made-up classes are not among them."""
    folder = Path(__file__).parent
    others = [folder / name for name in ("source", "programs", "classes")]
    return sorted(path for path in folder.rglob("*.py") if not any(path.is_relative_to(one) for one in others))


def _digest(*paths: Path) -> str:
    content = [path.read_bytes() for path in paths if path.is_file()]
    return hashlib.sha256(b"\0".join(content)).hexdigest() if content else ""


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
