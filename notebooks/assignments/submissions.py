"""What students hand in, made from a release by filling in cells: right answers, wrong programs, and accidents.

Who is in a class stands in `classes/NAME.py`; here is what one of them may do.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import nbformat

from notebooks.assignments.assignment import Assignment

Edit = Callable[["Sheet"], None]


class Sheet:
    """A copy of the release that is being filled in."""

    def __init__(self, assignment: Assignment, release: Any, student: str) -> None:
        self.assignment, self.student = assignment, student
        self.notebook, self.untouched = copy.deepcopy(release), release
        self.file = f"{assignment.name}.ipynb"
        self.instead: str | None = None

    def places(self, task: str) -> list[int]:
        """Where the cells of a task are: its own, and its tests."""
        ids = [cell.metadata.get("nbgrader", {}).get("grade_id", "") for cell in self.notebook.cells]
        return [place for place, name in enumerate(ids) if name == task or name.startswith(f"{task}-")]

    def read(self, task: str) -> str:
        """What stands in the cell of a task."""
        return str(self.notebook.cells[self.places(task)[0]].source)

    def write(self, task: str, source: str) -> None:
        """Write into the cell of a task."""
        self.notebook.cells[self.places(task)[0]].source = source

    def write_program(self, task: str, program: Callable[..., Any]) -> None:
        """Write a program into the cell of a task."""
        self.write(task, self.assignment.written_as(task, program))

    def answer(self) -> None:
        """Write the right answers into all cells."""
        for task, source in self.assignment.answers(self.student).items():
            self.write(task, source)

    def insert(self, place: int, source: str) -> None:
        """Insert a cell of the learner's own."""
        self.notebook.cells.insert(place, nbformat.v4.new_code_cell(source))

    def repeat(self, place: int) -> Any:
        """Copy a cell below itself, as the editor's menu does, and return the copy."""
        again = copy.deepcopy(self.notebook.cells[place])
        again.id = f"copy-{place}"
        self.notebook.cells.insert(place + 1, again)
        return again

    def replace(self, text: str) -> None:
        """Hand in something else."""
        self.instead = text

    def rename(self, file: str) -> None:
        """Hand in under another name."""
        self.file = file

    def save(self, folder: Path) -> None:
        """Write the file that is handed in."""
        folder.mkdir(parents=True)
        written = nbformat.writes(self.notebook) if self.instead is None else self.instead
        (folder / self.file).write_text(written, encoding="utf-8")


@dataclass(frozen=True)
class Submission:
    """What somebody hands in, and the cells that it loses; None for one that cannot be graded."""

    what: str
    edit: Edit
    lost: tuple[str, ...] | None = ()


def answered(what: str, more: Edit, *lost: str) -> Submission:
    """All right, but for what is done then."""

    def edit(sheet: Sheet) -> None:
        sheet.answer()
        more(sheet)

    return Submission(what, edit, lost)


def ungraded(what: str, more: Edit) -> Submission:
    """One that cannot be graded."""
    return Submission(what, answered(what, more).edit, None)


def everything_right() -> Submission:
    """All right."""
    return Submission("right answers", Sheet.answer)


def untouched(assignment: Assignment) -> Submission:
    """As it was handed out."""
    return Submission("untouched", lambda sheet: None, tuple(assignment.most_points))


def wrong(assignment: Assignment, *programs: tuple[str, Callable[..., Any]]) -> Submission:
    """Wrong programs, each in the cell of its task."""

    def write_all(sheet: Sheet) -> None:
        for task, program in programs:
            sheet.write_program(task, program)

    lost = (f"{task}-{rule}" for task, program in programs for rule in assignment.programs.WRONG[task][program])
    return answered(", ".join(program.__name__ for _, program in programs), write_all, *lost)


def in_style(assignment: Assignment, style: int) -> Submission:
    """Right programs in another style."""

    def write_all(sheet: Sheet) -> None:
        for task, right in assignment.programs.RIGHT.items():
            sheet.write_program(task, right[style])

    return answered(f"right in style {style + 1}", write_all)


def one_of_each(assignment: Assignment) -> Iterator[Submission]:
    """All right, nothing done, a wrong program in each task until all were there, and all right in each style."""
    yield everything_right()
    yield untouched(assignment)
    tasks = ([(task, program) for program in programs] for task, programs in assignment.programs.WRONG.items())
    for together in zip_longest(*tasks):
        yield wrong(assignment, *filter(None, together))
    for style in range(3):
        yield in_style(assignment, style)


def of_another(assignment: Assignment) -> Submission:
    """The data of somebody else."""

    def copy_the_trace(sheet: Sheet) -> None:
        copied = sheet.assignment.answers("somebody else")
        for cell in ("student_id", "trace"):
            sheet.write(cell, copied[cell])

    return answered("the id of another", copy_the_trace, *assignment.cells_of("trace"))


def writing(task: str, source: str) -> Edit:
    """Write this into the cell of a task."""
    return lambda sheet: sheet.write(task, source.strip())


def own_cell(task: str, source: str) -> Edit:
    """Insert a cell above that of a task."""
    return lambda sheet: sheet.insert(sheet.places(task)[0], source)


def deleting(task: str, which: slice) -> Edit:
    """Delete some of the cells of a task."""

    def edit(sheet: Sheet) -> None:
        for place in reversed(sheet.places(task)[which]):
            del sheet.notebook.cells[place]

    return edit
