"""Fictitious submissions, made from a release by filling in cells: right answers, wrong programs, and accidents.

`classes/NAME.py` lists the submissions of a class; this module defines the edits.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import nbformat

from course.assignment import Assignment

Edit = Callable[["Sheet"], None]


class Sheet:
    """A copy of the release to fill in."""

    def __init__(self, assignment: Assignment, release: Any, student: str) -> None:
        self.assignment, self.student = assignment, student
        self.notebook, self.untouched = copy.deepcopy(release), release
        self.file = f"{assignment.name}.ipynb"
        self.instead: str | None = None
        self.answered = False

    def places(self, task: str) -> list[int]:
        """Return the indices of a task's cells: its solution and its tests."""
        ids = [cell.metadata.get("nbgrader", {}).get("grade_id", "") for cell in self.notebook.cells]
        return [place for place, name in enumerate(ids) if name == task or name.startswith(f"{task}-")]

    def read(self, task: str) -> str:
        """Return the source of a task's cell."""
        return str(self.notebook.cells[self.places(task)[0]].source)

    def write(self, task: str, source: str) -> None:
        """Write the source of a task's cell."""
        self.notebook.cells[self.places(task)[0]].source = source

    def write_program(self, task: str, program: Callable[..., Any]) -> None:
        """Write a program into the cell of a task."""
        self.write(task, self.assignment.written_as(task, program))

    def answer(self) -> None:
        """Write the right answers into all cells; a second call does nothing."""
        if self.answered:
            return
        self.answered = True
        for task, source in self.assignment.answers(self.student).items():
            self.write(task, source)

    def insert(self, place: int, source: str) -> None:
        """Insert an additional cell."""
        self.notebook.cells.insert(place, nbformat.v4.new_code_cell(source))

    def repeat(self, place: int) -> Any:
        """Duplicate a cell, like the editor's menu, and return the copy."""
        again = copy.deepcopy(self.notebook.cells[place])
        again.id = f"copy-{place}"
        self.notebook.cells.insert(place + 1, again)
        return again

    def replace(self, text: str) -> None:
        """Submit other content instead of the notebook."""
        self.instead = text

    def rename(self, file: str) -> None:
        """Submit under another file name."""
        self.file = file

    def save(self, folder: Path) -> None:
        """Write the submitted file."""
        folder.mkdir(parents=True)
        written = nbformat.writes(self.notebook) if self.instead is None else self.instead
        (folder / self.file).write_text(written, encoding="utf-8")


@dataclass(frozen=True)
class Submission:
    """A submission, and the cells for which it gets no points; None if it cannot be graded."""

    what: str
    edit: Edit
    lost: tuple[str, ...] | None = ()


def answered(what: str, more: Edit, *lost: str) -> Submission:
    """A submission with right answers and these edits."""

    def edit(sheet: Sheet) -> None:
        sheet.answer()
        more(sheet)

    return Submission(what, edit, lost)


def ungraded(what: str, more: Edit) -> Submission:
    """A submission that cannot be graded."""
    return Submission(what, answered(what, more).edit, None)


def everything_right() -> Submission:
    """A submission with right answers only."""
    return Submission("right answers", Sheet.answer)


def untouched(assignment: Assignment) -> Submission:
    """The unchanged release."""
    return Submission("untouched", lambda sheet: None, tuple(assignment.most_points))


def wrong(assignment: Assignment, *programs: tuple[str, Callable[..., Any]]) -> Submission:
    """A submission with wrong programs, each in the cell of its task."""

    def write_all(sheet: Sheet) -> None:
        for task, program in programs:
            sheet.write_program(task, program)

    lost = (f"{task}-{rule}" for task, program in programs for rule in assignment.programs.WRONG[task][program])
    return answered(", ".join(program.__name__ for _, program in programs), write_all, *lost)


def in_style(assignment: Assignment, style: int) -> Submission:
    """A submission with right programs in another style."""

    def write_all(sheet: Sheet) -> None:
        for task, right in assignment.programs.RIGHT.items():
            sheet.write_program(task, right[style])

    return answered(f"right in style {style + 1}", write_all)


def combined(*submissions: Submission) -> Submission:
    """Combine the edits of several submissions in one; they should concern different cells."""
    if len(submissions) == 1:
        return submissions[0]

    def edit_all(sheet: Sheet) -> None:
        for submission in submissions:
            submission.edit(sheet)

    lost = dict.fromkeys(cell for submission in submissions for cell in submission.lost or ())
    return Submission(", ".join(submission.what for submission in submissions), edit_all, tuple(lost))


def one_of_each(assignment: Assignment) -> Iterator[Submission]:
    """Yield right answers, the unchanged release, every wrong program (one per task each), and every style."""
    yield everything_right()
    yield untouched(assignment)
    tasks = ([(task, program) for program in programs] for task, programs in assignment.programs.WRONG.items())
    for together in zip_longest(*tasks):
        yield wrong(assignment, *filter(None, together))
    for style in range(3):
        yield in_style(assignment, style)


def of_another(assignment: Assignment) -> Submission:
    """A submission with answers for another student's data."""

    def copy_the_trace(sheet: Sheet) -> None:
        copied = sheet.assignment.answers("somebody else")
        for cell in ("student_id", "trace"):
            sheet.write(cell, copied[cell])

    return answered("the id of another", copy_the_trace, *assignment.cells_of("trace"))


def writing(task: str, source: str) -> Edit:
    """An edit: write this into a task's cell."""
    return lambda sheet: sheet.write(task, source.strip())


def writing_each(sources: Mapping[str, str]) -> Edit:
    """An edit: write each source into the cell of its task."""

    def edit(sheet: Sheet) -> None:
        for task, source in sources.items():
            sheet.write(task, source.strip())

    return edit


def own_cell(task: str, source: str) -> Edit:
    """An edit: insert a cell above a task's cell."""
    return lambda sheet: sheet.insert(sheet.places(task)[0], source)


def deleting(task: str, which: slice) -> Edit:
    """An edit: delete some of a task's cells."""

    def edit(sheet: Sheet) -> None:
        for place in reversed(sheet.places(task)[which]):
            del sheet.notebook.cells[place]

    return edit
