"""Grade all submissions on all cores: make grade ARGS="assignment1". Interrupted, the same command goes on.

Each student's code runs in a separate process (see `tokenlab.check.sandbox`). A submission that was graded before, with
the same tests, is not graded again; `--again` does so.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
from tqdm import tqdm

from notebooks.assignments import build
from notebooks.assignments.course import Course, CourseError
from tokenlab import files
from tokenlab.check.sandbox import commands
from tokenlab.check.submission import versions

MARK = "graded.json"  # beside the graded notebook: what was graded, written when all of it was done


def graded_as(course: Course, assignment: str, student: str) -> dict[str, str]:
    """Return the digests of a submission, of the assignment with its tests, and of the code that grades it."""
    file = Path(assignment) / f"{assignment}.ipynb"
    submission, source = course.root / "submitted" / student / file, course.root / "source" / file
    return {
        "submission": hashlib.sha256(submission.read_bytes()).hexdigest() if submission.is_file() else "",
        "tests": hashlib.sha256(source.read_bytes()).hexdigest() if source.is_file() else "",
        "code": str(versions()["code"]),
    }


def is_graded(course: Course, assignment: str, student: str) -> bool:
    """Whether exactly this submission was graded completely, with exactly these tests."""
    mark = course.root / "autograded" / student / assignment / MARK
    try:
        return bool(json.loads(mark.read_text(encoding="utf-8")) == graded_as(course, assignment, student))
    except (OSError, ValueError):
        return False


def grade(course: Course, assignment: str, again: bool = False) -> dict[str, str]:
    """Grade the submissions that are not graded yet, and write their feedback; return advice for each failure."""
    students = course.submitted(assignment)
    left = [student for student in students if again or not is_graded(course, assignment, student)]
    print(f"{len(students)} submissions of {assignment}, {len(students) - len(left)} graded before.")
    advice = {}
    for what, command in (("grading", course.autograde), ("feedback", course.feedback)):
        with tqdm(total=len(left), desc=what, unit=" students") as bar:
            advice |= command(assignment, left, lambda _, bar=bar: bar.update())
    for student in set(left) - set(advice):
        mark = course.root / "autograded" / student / assignment / MARK
        if mark.parent.is_dir():
            files.write_atomically(mark, json.dumps(graded_as(course, assignment, student)))
    return advice


def shown(text: str) -> str:
    """Return a text of a student's process without what a terminal would obey.

    >>> shown("ends\\x1b[2J\\nanna: 40 points")
    'ends [2J anna: 40 points'
    """
    return "".join(sign if sign.isprintable() else " " for sign in text)[:200]


def notices(course: Course, assignment: str, student: str) -> Iterator[str]:
    """Yield a line for each cell of a graded notebook that was stopped, or printed too much."""
    graded = course.root / "autograded" / student / assignment / f"{assignment}.ipynb"
    if graded.is_file():
        for number, cell in enumerate(nbformat.read(graded, as_version=4).cells, start=1):
            for output in cell.get("outputs", []):
                if output.get("ename") == "Stopped":
                    yield f"{student}: cell {number} {shown(output.evalue)}; it counts as not there"
                elif "(The rest was cut:" in output.get("text", ""):
                    yield f"{student}: cell {number} prints too much; the rest was cut"


def main(arguments: list[str]) -> int:
    """Grade; return 1 if a submission could not be graded."""
    parser = argparse.ArgumentParser(
        prog="make grade", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("assignment")
    parser.add_argument("--course", type=Path, default=build.COURSE)
    parser.add_argument("--again", action="store_true", help="grade also what was graded before")
    options = parser.parse_args(arguments)
    course = Course(options.course)
    if not (course.root / "source" / options.assignment).is_dir():
        print(f"There is no {options.assignment} in {course.root}; run make assignments first.")
        return 2
    sandbox = commands.chosen()
    print(f"Warning: {commands.OPEN_WITHOUT}." if sandbox == "none" else f"Sandbox: {sandbox}.")
    try:
        advice = grade(course, options.assignment, options.again)
    except KeyboardInterrupt:
        print("Interrupted. The same command goes on with those who are left.")
        return 130
    except CourseError as error:
        print(f"Not graded: {error}")
        return 1
    for student, reason in sorted(advice.items()):
        print(f"{student}: not graded: {reason}")
    for student in course.submitted(options.assignment):
        for line in notices(course, options.assignment, student):
            print(line)
    return 1 if advice else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
