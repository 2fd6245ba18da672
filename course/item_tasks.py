"""Read the points of a course's gradebook, and find the misconceptions whose tests a student failed.

`course/programs/NAME.py` lists, for each wrong program, the tests that it fails. A student's
failed tests in a task are compared with these lists.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook

from course.assignment import task_of
from course.course_folder import CourseError
from course.item_statistics import ItemStatistics, statistics_of
from course.regrade import check_gradebook
from tokenlab.misconceptions.catalog import MISCONCEPTIONS
from tokenlab.misconceptions.misconception import Misconception


@dataclass(frozen=True)
class Failed:
    """A misconception: the students who failed exactly its tests in a task, and those who failed at least these."""

    misconception: Misconception
    task: str
    exactly: int
    at_least: int


@dataclass
class AssignmentResults:
    """The scores of an assignment, as shares of the points, for each cell and student."""

    name: str
    scores: dict[str, dict[int, float]] = field(default_factory=dict)

    @property
    def statistics(self) -> dict[str, ItemStatistics]:
        """The statistics of each cell."""
        return statistics_of(self.scores)

    def failed(self) -> list[Failed]:
        """Rank the misconceptions by the number of students who failed exactly their tests."""
        failed: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        for cell, of_cell in self.scores.items():
            for student, score in of_cell.items():
                if score < 1:
                    failed[task_of(cell)][student].add(cell)
        found = []
        for misconception, task, cells in detected_by(self.name):
            sets = failed[task].values()
            one = Failed(
                misconception,
                task,
                exactly=sum(failures == cells for failures in sets),
                at_least=sum(failures >= cells for failures in sets),
            )
            if one.at_least:
                found.append(one)
        return sorted(found, key=lambda one: (-one.exactly, -one.at_least, one.task, one.misconception.number))


def detected_by(assignment: str) -> list[tuple[Misconception, str, set[str]]]:
    """Return each misconception with a task and the tests of the task that its program fails."""
    try:
        wrong: dict[str, dict[Any, Any]] = import_module(f"course.programs.{assignment}").WRONG
    except ModuleNotFoundError:
        return []  # an assignment of the course's own
    of_name = {program.__name__: one for one in MISCONCEPTIONS for program in one.programs}
    return [
        (of_name[program.__name__], task, {f"{task}-{test}" for test in tests})
        for task, programs in wrong.items()
        for program, tests in programs.items()
        if program.__name__ in of_name and tests
    ]


def read_course(root: Path, problems: list[str]) -> list[AssignmentResults]:
    """Return the results of each assignment; what cannot be read becomes a problem."""
    path = root.resolve() / "gradebook.db"
    try:
        check_gradebook(path)
    except CourseError as error:
        problems.append(str(error).replace(str(path), "gradebook.db"))
        return []
    with Gradebook(f"sqlite:///{path}") as book:
        found = [_results(book, assignment.name) for assignment in book.assignments]
    return sorted((one for one in found if one.scores), key=lambda one: one.name)


def _results(book: Gradebook, name: str) -> AssignmentResults:
    results = AssignmentResults(name, defaultdict(dict))
    for student, submission in enumerate(book.assignment_submissions(name)):
        for grade in (grade for notebook in submission.notebooks for grade in notebook.grades):
            points = grade.auto_score if grade.manual_score is None else grade.manual_score
            if points is not None and grade.max_score:
                results.scores[grade.name][student] = points / grade.max_score
    return results
