"""A class that was graded by nbgrader, for the tests."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from notebooks.assignments.demo import Demo, Result


@dataclass(frozen=True)
class Graded:
    """The class, and what came of it."""

    demo: Demo
    results: list[Result]

    @classmethod
    def made(cls, name: str, folder: Path, wanted: Iterable[str] = ()) -> Graded:
        """Hand in and grade the class, or those of it who have one of these; it takes a while."""
        demo = Demo(folder, name)
        if wanted:
            of = {what: student for student, one in demo.members.items() for what in one.what.split(", ")}
            demo.members = {of[what]: demo.members[of[what]] for what in wanted}
        demo.hand_in()
        return cls(demo, demo.grade())

    def named(self, what: str) -> Result:
        """The result of the submission that is called so, or that has a program of this name."""
        return next(result for result in self.results if what in result.what.split(", "))

    def feedback(self, what: str) -> str:
        """The page that this student gets."""
        pages = self.demo.course.root / "feedback" / self.named(what).student
        return next(pages.rglob("*.html")).read_text(encoding="utf-8")
