"""A built assignment: its points, its right answers, and right and wrong programs for its tasks."""

from __future__ import annotations

import ast
import contextlib
import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from course import build


@dataclass(frozen=True)
class Assignment:
    """One of the kit's assignments, by name, with the code of a course."""

    name: str
    code: str = ""

    @property
    def source(self) -> Path:
        """The source file."""
        return build.SOURCES / f"{self.name}.py"

    @property
    def programs(self) -> Any:
        """The module with programs of learners: WRONG and RIGHT, by task."""
        return import_module(f"course.programs.{self.name}")

    @cached_property
    def notebook(self) -> Any:
        """The notebook with solutions and tests."""
        return build.notebook_of(self.source, self.code)

    @cached_property
    def most_points(self) -> dict[str, float]:
        """The maximum points of each autograded cell."""
        marks = [cell.metadata.get("nbgrader", {}) for cell in self.notebook.cells]
        return {mark["grade_id"]: float(mark["points"]) for mark in marks if mark.get("grade") and not mark["solution"]}

    @property
    def tasks(self) -> list[str]:
        """The autograded tasks, in the order of the sheet."""
        return list(dict.fromkeys(map(task_of, self.most_points)))

    def cells_of(self, *tasks: str) -> tuple[str, ...]:
        """Return all autograded cells of these tasks."""
        return tuple(name for name in self.most_points if task_of(name) in tasks)

    def by_task(self, points: dict[str, float]) -> dict[str, float]:
        """Sum the points of cells for each task."""
        return {task: sum(points.get(name, 0.0) for name in self.cells_of(task)) for task in self.tasks}

    @cached_property
    def solutions(self) -> dict[str, str]:
        """The right answers in the source."""
        return solutions_of(self.notebook)

    def answers(self, student: str) -> dict[str, str]:
        """Return the right answer to each task, including the trace with the student's own rules."""
        answers = self.solutions | {"student_id": f"student_id = {student!r}"}
        sheet = self.sheet(answers)
        return answers | {"trace": "\n".join(f"{name} = {sheet[name]!r}" for name in self.asked)}

    @cached_property
    def asked(self) -> list[str]:
        """The variable names of the trace, which the sheet sets to `...`."""
        (trace,) = (cell.source for cell in self.notebook.cells if name_of(cell) == "trace")
        names = [node for node in ast.walk(ast.parse(trace.partition("### BEGIN")[0])) if isinstance(node, ast.Name)]
        return [name.id for name in names]

    def sheet(self, answers: dict[str, str]) -> dict[str, Any]:
        """Run these answers, and return the variables that they define."""
        sheet: dict[str, Any] = {}
        for cell in self.notebook.cells:
            if cell.cell_type == "code" and not cell.metadata.nbgrader.grade:
                with contextlib.redirect_stdout(None):
                    exec(answers.get(name_of(cell) or "", cell.source), sheet)
        return sheet

    def failed(self, sheet: dict[str, Any], *tasks: str) -> dict[str, str]:
        """Return the messages of the failing tests of these tasks."""
        said = {}
        for cell in self.notebook.cells:
            if name_of(cell) in self.cells_of(*tasks):
                own = dict(sheet)
                try:
                    for part in parts_of(cell):
                        exec(self.solutions[part], sheet)
                    exec(cell.source, sheet)
                except Exception as error:
                    said[str(name_of(cell))] = str(error)
                finally:
                    sheet.clear()
                    sheet |= own
        return said

    def written_as(self, task: str, program: Callable[..., Any]) -> str:
        """Return a program as source code for the cell of its task: renamed, with imports and helper functions."""
        needed: list[Any] = [program]
        for function in needed:
            for name in re.findall(r"\w+", inspect.getsource(function)):
                helper = getattr(self.programs, name, None)
                if getattr(helper, "__module__", None) == self.programs.__name__ and helper not in needed:
                    needed.append(helper)
        needed.sort(key=lambda function: inspect.getsourcelines(function)[1])
        imports = re.findall(r"^(?:import|from) (?!__future__).*$", inspect.getsource(self.programs), re.M)
        source = "\n\n".join(["\n".join(imports), *map(inspect.getsource, needed)])
        return re.sub(rf"\b{program.__name__}\b", task, source)


def task_of(cell: str) -> str:
    """Return the task of a cell."""
    return cell.partition("-")[0]


def parts_of(cell: Any) -> list[str]:
    """Return the functions of other tasks that are right ones while the tests in a cell run."""
    return list(cell.metadata.get("tokenlab", {}).get("parts", []))


def solutions_of(notebook: Any) -> dict[str, str]:
    """Return the right answers in a notebook with solutions, without the solution markers."""
    cells = {str(name_of(cell)): cell.source for cell in notebook.cells if _to_write(cell)}
    return {name: re.sub(r"(?m)^ *### (BEGIN|END).*\n?", "", source) for name, source in cells.items()}


def name_of(cell: Any) -> str | None:
    """Return the id of one of the assignment's cells; a submission may contain anything instead."""
    mark = cell.get("metadata", {}).get("nbgrader")
    name = mark.get("grade_id") if isinstance(mark, dict) else None
    return name if isinstance(name, str) else None


def _to_write(cell: Any) -> bool:
    return bool(cell.metadata.get("nbgrader", {}).get("solution"))
