"""Some submissions of a class, graded by nbgrader, for the tests."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course.assignment import Assignment
from course.demo import Demo, Result, students
from course.submissions import combined


@dataclass(frozen=True)
class Graded:
    """The class, and what came of it."""

    demo: Demo
    results: list[Result]

    @classmethod
    def made(cls, name: str, folder: Path, wanted: Iterable[tuple[str, ...]]) -> Graded:
        """Hand in and grade some sheets, each with the edits of the named submissions of the class."""
        demo = Demo(folder, name)
        by_name = {what: one for one in demo.members.values() for what in one.what.split(", ")}
        sheets = (combined(*(by_name[what] for what in together)) for together in wanted)
        demo.members = dict(zip(students(), sheets, strict=False))
        demo.hand_in()
        return cls(demo, demo.grade())

    def named(self, what: str) -> Result:
        """The result of the submission that is called so, or that has a program of this name."""
        return next(result for result in self.results if what in result.what.split(", "))

    def feedback(self, what: str) -> str:
        """The page that this student gets."""
        pages = self.demo.course.root / "feedback" / self.named(what).student
        return next(pages.rglob("*.html")).read_text(encoding="utf-8")


def assert_loses_only(assignment: Assignment, sheet: dict[str, Any], written: str, cell: str) -> None:
    """Change answers of the trace by a statement, and assert that only this cell fails, with its rule."""
    changed = dict(sheet)
    exec(written, changed)
    said = assignment.failed(changed, "trace")
    assert list(said) == [cell] and " is not right for your data. The rule: " in said[cell]
