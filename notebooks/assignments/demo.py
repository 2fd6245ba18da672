"""Grades a class of some forty: `make grade-demo` prints what each handed in, the points, and whether they are right.

It is graded in a folder of its own, which is gone afterwards; ARGS="folder" keeps it.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat

from notebooks.assignments import build, programs
from notebooks.assignments.course import Course, Score
from notebooks.assignments.submissions import NAME, Sheet, most_points, right_answers, submissions, with_answers

SECONDS = 6  # for a cell that does not end
STUDENTS = (
    *(
        "jörg müller",
        "Zoë O'Brien",
        "李小龙",
        "anna lena",
        "s1234567",
        "émile.zola",
        "åsa",
        "müller-lüdenscheidt",
        "x y z",
    ),
    *(f"student {number:02}" for number in range(10, 42)),
)


@dataclass(frozen=True)
class Result:
    """What came of a submission: points by task or why there are none, and what was expected."""

    student: str
    what: str
    points: dict[str, float] | None
    expected: dict[str, float] | None
    advice: str
    waits: bool

    @property
    def ok(self) -> bool:
        """Whether the points are the expected ones, and one that has none is listed."""
        return self.points == self.expected and bool(self.advice) == (self.points is None)


class Demo:
    """The class, in a course of its own."""

    def __init__(self, root: Path) -> None:
        self.course = Course(root)
        self.course.configure(f"\nc.Execute.timeout = {SECONDS}\n")
        build.build(self.course, build.SOURCES / f"{NAME}.py")
        self.members = dict(zip(STUDENTS, submissions(), strict=True))

    def hand_in(self) -> None:
        """Fill in everybody's sheet and put it where nbgrader looks."""
        release = nbformat.read(self.course.root / "release" / NAME / f"{NAME}.ipynb", as_version=4)
        answers = right_answers(with_answers())
        for student, submission in self.members.items():
            sheet = Sheet(release, answers, student)
            submission.edit(sheet)
            sheet.save(self.course.root / "submitted" / student / NAME)

    def grade(self) -> list[Result]:
        """Grade everybody, write the feedback, and compare."""
        advice = self.course.autograde(NAME)
        advice |= self.course.feedback(NAME)
        scores = self.course.scores(NAME)
        return [self.result(student, scores.get(student, {}), advice.get(student, "")) for student in self.members]

    def result(self, student: str, scores: dict[str, Score], advice: str) -> Result:
        """Compare one."""
        submission = self.members[student]
        expected = None
        if submission.lost is not None:
            expected = self._by_task(
                {name: 0.0 if name in submission.lost else most for name, most in most_points().items()}
            )
        points = None
        if self.course.graded(NAME, student):
            points = self._by_task({name: score.auto or 0.0 for name, score in scores.items() if name in most_points()})
        return Result(student, submission.what, points, expected, advice, bool(scores) and scores["words"].waits)

    def _by_task(self, points: dict[str, float]) -> dict[str, float]:
        tasks: dict[str, float] = {}
        for name, number in points.items():
            tasks[name.partition("-")[0]] = tasks.get(name.partition("-")[0], 0.0) + number
        return tasks


def table(results: list[Result]) -> str:
    """The results, one line for each."""
    tasks = [*programs.WRONG, "trace"]
    rows = [["student", "what", *tasks, "words", "points", "expected", "ok"]]
    for result in results:
        points = [f"{result.points[task]:g}" if result.points else "-" for task in tasks]
        totals = [f"{sum(points.values()):g}" if points else "-" for points in (result.points, result.expected)]
        words = "-" if not result.points else "a person" if result.waits else "0"
        rows.append([result.student, result.what, *points, words, *totals, "yes" if result.ok else "NO"])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(entry.ljust(width) for entry, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([*lines, "", *(f"{result.student}: {result.advice}" for result in results if result.advice)])


def main(arguments: list[str]) -> int:
    """Grade the class; 1 where a score is not the expected one."""
    with TemporaryDirectory(prefix="tokenlab-class-") as folder:
        start = time.perf_counter()
        demo = Demo(Path(arguments[0] if arguments else folder))
        demo.hand_in()
        results = demo.grade()
        print(table(results))
        wrong = [result.student for result in results if not result.ok]
        seconds = time.perf_counter() - start
        print(f"\n{len(results)} graded in {seconds:.0f} s; not as expected: {', '.join(wrong) or 'none'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
