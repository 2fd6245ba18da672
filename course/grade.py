"""Grade all submissions on all cores: make grade ARGS="assignment1". Interrupted, the same command goes on.

Each student's code runs in a separate process (see `course.sandbox`). A submission is graded again only if
something that its grade depends on has changed, such as the tests or the due date; `--again` grades all of them. The
pages of feedback are written again if points or comments were changed by hand. At the end, all points are listed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import astuple
from pathlib import Path
from typing import TypeAlias

import nbformat
from tqdm import tqdm

from course import build, extra_time, points
from course.course_folder import Course, CourseError, Score
from course.graded_marks import Marks
from course.roster import Roster
from course.sandbox import commands
from tokenlab.storage import files

Reviewed: TypeAlias = dict[str, dict[str, Score]]  # of students whose submission is the same as before


def grade(course: Course, assignment: str, again: bool = False) -> dict[str, str]:
    """Grade the submissions whose grades are missing or out of date, and write feedback; return advice for failures.

    Raises:
        CourseError: nothing can be graded, for example because the sandbox does not start.
    """
    Roster(course.root)  # nothing is graded if the table of students has a mistake
    for note in extra_time.grant(course, assignment):
        print(f"Warning: {note}.")
    students, marks, before = course.submitted(assignment), Marks(course, assignment), course.scores(assignment)
    changes = {student: marks.changed(student) for student in students}
    left = [student for student in students if again or changes[student] != []]
    if left:
        course.check(assignment)
    print(f"{len(students)} submissions of {assignment}, {len(students) - len(left)} graded before.")
    for name, number in Counter(name for student in left for name in changes[student] or []).items():
        print(f"Graded again because of a change of {name}: {number}.")
    # An answer in words that a person has graded does not wait again, unless the student has changed something.
    known = {student: names for student, names in changes.items() if names is not None}
    changed = {student for student, names in known.items() if "the submission" in names}
    reviewed = {one: before.get(one, {}) for one in left if one in known and one not in changed}
    reviewed = _with_interrupted(course, assignment, reviewed, changed)
    with tqdm(total=len(left), desc="grading", unit=" students") as bar:

        def done(student: str) -> None:
            marks.write(student)
            bar.update()

        try:
            advice = course.autograde(assignment, left, done)
        finally:
            course.keep_reviewed(assignment, before | reviewed, reviewed)
    _file_of_reviewed(course, assignment).unlink(missing_ok=True)
    marks = Marks(course, assignment)
    pages = [student for student in students if student in left or not marks.page_is_current(student)]
    pages = [student for student in pages if student not in advice]
    with tqdm(total=len(pages), desc="feedback", unit=" students") as bar:
        advice |= course.feedback(assignment, pages, lambda _: bar.update())
    for student in set(pages) - set(advice):
        marks.write(student, with_page=True)
    return advice


def _file_of_reviewed(course: Course, assignment: str) -> Path:
    return course.root / f".{assignment}.reviewed.json"


def _with_interrupted(course: Course, assignment: str, reviewed: Reviewed, changed: Collection[str]) -> Reviewed:
    """Add the scores of those whose grading was interrupted, and keep all until grading has ended."""
    path = _file_of_reviewed(course, assignment)
    with suppress(OSError, ValueError, TypeError, AttributeError):
        earlier = json.loads(path.read_text(encoding="utf-8"))
        found = {one: {cell: Score(*it) for cell, it in scores.items()} for one, scores in earlier.items()}
        reviewed |= {one: scores for one, scores in found.items() if one not in changed}
    kept = {one: {cell: astuple(score) for cell, score in scores.items()} for one, scores in reviewed.items()}
    files.write_atomically(path, json.dumps(kept))
    return reviewed


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


def report(course: Course, assignment: str, advice: dict[str, str]) -> None:
    """Print the points, what happened in the notebooks, and where the feedback is."""
    print(f"\n{points.table(course, assignment)}\n")
    for student, reason in sorted(advice.items()):
        print(f"{shown(student)}: not graded: {shown(reason)}")
    for student in course.submitted(assignment):
        for line in notices(course, assignment, student):
            print(line)
    if archive := points.write_pages(course, assignment):
        print(f"Feedback: {course.page(assignment, 'STUDENT')}; all pages are in {archive}.")
        print("After grading by hand, run this command again: it writes the changed pages again.")


def main(arguments: list[str]) -> int:
    """Grade; return 1 if a submission could not be graded."""
    parser = argparse.ArgumentParser(
        prog="make grade", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("assignment")
    parser.add_argument("--course", type=Path, default=build.COURSE)
    commands.add_options(parser)
    parser.add_argument("--again", action="store_true", help="grade also what was graded before")
    options = parser.parse_args(arguments)
    course = Course(options.course)
    if not (course.root / "source" / options.assignment).is_dir():
        print(f"There is no {options.assignment} in {course.root}; run make assignments first.")
        return 2
    commands.allow(options.without_sandbox, options.as_root)
    if sandbox := commands.chosen():
        print(f"Warning: {commands.OPEN_WITHOUT}." if sandbox == "none" else f"Sandbox: {sandbox}.")
    try:
        advice = grade(course, options.assignment, options.again)
    except KeyboardInterrupt:
        print("Interrupted. The same command goes on with those who are left.")
        return 130
    except CourseError as error:
        print(f"Not graded: {error}.")
        return 1
    report(course, options.assignment, advice)
    return 1 if advice else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
