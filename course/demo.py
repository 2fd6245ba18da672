"""Grade fictitious classes: `make grade-demo` prints each submission, its points, and whether they are as expected.

ARGS="assignment2" grades one class. The courses are deleted afterwards; ARGS="--keep folder" keeps them.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import chain, count
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat

from course import build, course_seed
from course.assignment import Assignment
from course.attacks import attacks, escaped
from course.course_folder import Course, CourseError, Score
from course.sandbox import commands
from course.submissions import Sheet
from tokenlab.storage import files

NAMES = tuple(sorted(source.stem for source in build.SOURCES.glob("*.py")))
ODD_STUDENTS = (
    "jörg müller",
    "Zoë O'Brien",
    "李小龙",
    "anna lena",
    "s1234567",
    "émile.zola",
    "åsa",
    "müller-lüdenscheidt",
    "x y z",
)


def students() -> Iterator[str]:
    """Yield an endless sequence of student ids."""
    yield from ODD_STUDENTS
    for number in count(len(ODD_STUDENTS) + 1):
        yield f"student {number:02}"


@dataclass(frozen=True)
class Result:
    """The result of a submission: points by task or the reason for none, and the expected points."""

    student: str
    what: str
    points: dict[str, float] | None
    expected: dict[str, float] | None
    advice: str
    waits: bool

    @property
    def ok(self) -> bool:
        """Whether the points are as expected, and a submission without points has advice."""
        return self.points == self.expected and bool(self.advice) == (self.points is None)


class Demo:
    """The class of an assignment in a separate course."""

    def __init__(self, root: Path, name: str) -> None:
        self.course = Course(root)
        self.course.configure()
        secret = f"the secret of the demo of {name}"  # a course draws one
        files.write_atomically(root / course_seed.FILE, secret)
        self.assignment = Assignment(name, course_seed.code_of(secret))
        build.build(self.course, self.assignment.source)
        members = import_module(f"course.classes.{name}").submissions(self.assignment)
        self.places = (str(self.course.root), str(build.SOURCES.parents[1]))
        self.members = dict(zip(students(), chain(members, attacks(self.assignment, self.places)), strict=False))

    def hand_in(self) -> None:
        """Fill in every student's sheet and submit it to the course."""
        name = self.assignment.name
        release = nbformat.read(self.course.root / "release" / name / f"{name}.ipynb", as_version=4)
        for student, submission in self.members.items():
            sheet = Sheet(self.assignment, release, student)
            submission.edit(sheet)
            sheet.save(self.course.root / "submitted" / student / name)

    def grade(self) -> list[Result]:
        """Grade all students, write the feedback, and compare the points with the expected ones."""
        advice = self.course.autograde(self.assignment.name)
        advice |= self.course.feedback(self.assignment.name)
        scores = self.course.scores(self.assignment.name)
        return [self.result(student, scores.get(student, {}), advice.get(student, "")) for student in self.members]

    def result(self, student: str, scores: dict[str, Score], advice: str) -> Result:
        """Compare one student's points with the expected ones."""
        submission, most = self.members[student], self.assignment.most_points
        expected, points = None, None
        if submission.lost is not None:
            kept = {name: most[name] for name in most if name not in submission.lost}
            expected = self.assignment.by_task(kept)
        if self.course.graded(self.assignment.name, student):
            points = self.assignment.by_task({name: score.auto or 0.0 for name, score in scores.items()})
        return Result(student, submission.what, points, expected, advice, bool(scores) and scores["words"].waits)


def table(results: list[Result], tasks: list[str]) -> str:
    """Format the results, one line each."""
    rows = [["student", "what", *tasks, "words", "points", "expected", "ok"]]
    for result in results:
        points = [f"{result.points[task]:g}" if result.points else "-" for task in tasks]
        totals = [f"{sum(points.values()):g}" if points else "-" for points in (result.points, result.expected)]
        words = "-" if not result.points else "a person" if result.waits else "0"
        rows.append([result.student, result.what, *points, words, *totals, "yes" if result.ok else "NO"])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(entry.ljust(width) for entry, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([*lines, "", *(f"{result.student}: {result.advice}" for result in results if result.advice)])


def grade(name: str, folder: Path) -> bool:
    """Grade the class of an assignment and print the results; return whether all are as expected."""
    start = time.perf_counter()
    demo = Demo(folder, name)
    demo.hand_in()
    results = demo.grade()
    wrong = [result.student for result in results if not result.ok]
    seconds = time.perf_counter() - start
    print(table(results, demo.assignment.tasks))
    print(f"\n{name}: {len(results)} graded in {seconds:.0f} s; not as expected: {', '.join(wrong) or 'none'}\n")
    if left := escaped(demo.places):
        print(f"A submission wrote outside its folder; delete {', '.join(left)}.\n")
    return not wrong and not left


def main(arguments: list[str]) -> int:
    """Grade the classes; return 1 if a score is not as expected."""
    parser = argparse.ArgumentParser(
        prog="make grade-demo", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("assignments", nargs="*", metavar="assignment", help=f"of {', '.join(NAMES)}; by default all")
    parser.add_argument("--keep", type=Path, metavar="folder", help="where to keep the courses, a folder for each")
    options = parser.parse_args(arguments)
    if unknown := set(options.assignments) - set(NAMES):
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are: {', '.join(NAMES)}")
    # All these students are our own: root may grade them, and without a sandbox the worst of them are left out.
    commands.allow(without_sandbox=not commands.chosen(), as_root=True)
    try:
        with TemporaryDirectory(prefix="tokenlab-class-") as folder:
            graded = [grade(name, (options.keep or Path(folder)) / name) for name in options.assignments or NAMES]
    except CourseError as error:
        print(f"Not graded: {error}.")
        return 1
    return 0 if all(graded) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
