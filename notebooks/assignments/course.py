"""A course's folder, as nbgrader keeps it: what was handed in, grading all of it, and the scores.

One submission that cannot be graded stops no other, and it is named with what to do.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path

from alembic.script import ScriptDirectory
from nbgrader.api import Gradebook
from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from nbgrader.dbutil import ALEMBIC_DIR
from traitlets.config.loader import PyFileConfigLoader

from tokenlab import files

FOLDER = Path(__file__).parent
CONFIG = "nbgrader_config.py"
PROCESSES = 2
UNREADABLE = re.compile(r"^\.|[*?\[\]{}]")  # nbgrader would pass over these folders, or take them for others


@dataclass(frozen=True)
class Score:
    """The points of a cell of one student: by the grader, by a person, and whether a person should look at it."""

    auto: float | None
    manual: float | None
    waits: bool


class CourseError(Exception):
    """Something about the course that a person has to put right, said in a sentence."""


def tables_of_nbgrader() -> str | None:
    """The version of the tables that this nbgrader writes."""
    return ScriptDirectory(ALEMBIC_DIR).get_current_head()


class Course:
    """The folder of a course."""

    def __init__(self, root: Path) -> None:
        self.root = Path(root).resolve()
        self.gradebook = self.root / "gradebook.db"

    def configure(self, more: str = "") -> bool:
        """Put nbgrader's settings into the course, unless others are there; whether they are these."""
        self.root.mkdir(parents=True, exist_ok=True)
        settings, place = files.read_text(FOLDER / CONFIG) + more, self.root / CONFIG
        if not place.exists():
            files.write_whole(place, settings)
        return files.read_text(place) == settings

    def generate(self, assignment: str) -> None:
        """Run `nbgrader generate_assignment`.

        Raises:
            CourseError: it failed; nbgrader's own words are there.
        """
        done = api(self.root).generate_assignment(assignment)
        if not done["success"]:
            raise CourseError(f"nbgrader could not generate {assignment}:\n{done['log']}\n{done.get('error', '')}")

    def submitted(self, assignment: str) -> list[str]:
        """Who handed in anything."""
        folders = (self.root / "submitted").glob("*/")
        return sorted(folder.name for folder in folders if (folder / assignment).is_dir())

    def autograde(self, assignment: str, students: Iterable[str] | None = None) -> dict[str, str]:
        """Run `nbgrader autograde` for each student; returns for those where it failed why, and what to do."""
        wanted = self.submitted(assignment) if students is None else list(students)
        return self._each("autograde", assignment, wanted)

    def feedback(self, assignment: str) -> dict[str, str]:
        """Run `nbgrader generate_feedback` for each student who was graded."""
        graded = [name for name in self.submitted(assignment) if self.graded(assignment, name)]
        return self._each("generate_feedback", assignment, graded)

    def graded(self, assignment: str, student: str) -> bool:
        """Whether grading that student's notebook came to its end."""
        return (self.root / "autograded" / student / assignment / f"{assignment}.ipynb").exists()

    def _each(self, command: str, assignment: str, students: list[str]) -> dict[str, str]:
        possible = [student for student in students if not UNREADABLE.search(student)]
        failed = self._run(PROCESSES, command, assignment, possible)
        # A process that waits too long for the gradebook gives up; alone it need not wait.
        locked = [student for student, log in failed.items() if log and "database is locked" in log]
        failed |= self._run(1, command, assignment, locked)
        failed |= dict.fromkeys(set(students) - set(possible), "")
        return {student: self.advice(assignment, student, log) for student, log in failed.items() if log is not None}

    def _run(self, processes: int, command: str, assignment: str, students: list[str]) -> dict[str, str | None]:
        """Run a command for these students; the log of each where it failed."""
        with ProcessPoolExecutor(processes, get_context("spawn"), _be_quiet) as pool:
            calls = [(self.root, command, assignment, student) for student in students]
            return dict(zip(students, pool.map(_one, calls), strict=True))

    def advice(self, assignment: str, student: str, log: str) -> str:
        """Why a submission could not be graded, and what to do."""
        if found := UNREADABLE.search(student):
            return f"nbgrader cannot work with a folder whose name has {found[0]!r}; rename it, and grade again"
        folder = self.root / "submitted" / student / assignment
        notebook = folder / f"{assignment}.ipynb"
        others = sorted(path.name for path in folder.rglob("*") if path.is_file() and path.name != "timestamp.txt")
        if not notebook.exists():
            there = f"there is {', '.join(others)}" if others else "the folder is empty"
            return f"no {notebook.name}, {there}; rename the right one, or ask for it, and grade again"
        if not notebook.stat().st_size:
            return f"{notebook.name} is empty; ask for it again"
        try:
            json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        except (ValueError, KeyError, TypeError):
            return f"{notebook.name} is no notebook; ask for it again"
        if "DeadKernel" in log or "Kernel died" in log:
            return "a cell ends Python itself; look for exit, os._exit or much memory, and grade without that cell"
        if "CellTimeoutError" in log:
            return "something in it does not end and cannot be interrupted; take it out, and grade again"
        errors = [line.strip() for line in log.splitlines() if re.match(r"\s*[\w.]+(Error|Exception)\b", line)]
        said = [error for error in errors if "NbGraderException" not in error]
        return f"nbgrader gave up: {(said or errors or ['it does not say why'])[-1]}"

    def scores(self, assignment: str) -> dict[str, dict[str, Score]]:
        """The scores of each student, cell by cell."""
        with Gradebook(f"sqlite:///{self.gradebook}") as book:
            return {
                submission.student_id: {
                    grade.name: Score(grade.auto_score, grade.manual_score, grade.needs_manual_grade)
                    for notebook in submission.notebooks
                    for grade in notebook.grades
                }
                for submission in book.assignment_submissions(assignment)
            }


@cache
def api(root: Path) -> NbGraderAPI:
    """The commands of nbgrader, with the settings of this course, and no others."""
    os.environ["JUPYTER_CONFIG_DIR"] = str(root / ".jupyter")
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # nbgrader calls alembic
    config = PyFileConfigLoader(CONFIG, path=str(root)).load_config()
    config.CourseDirectory.root = str(root)
    return NbGraderAPI(CourseDirectory(config=config), config=config)


def _be_quiet() -> None:
    """Keep to itself what kernels and the database say on the way; what fails is in nbgrader's log."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def _one(call: tuple[Path, str, str, str]) -> str | None:
    """Run a command for one student; None, or the log where it failed."""
    root, command, assignment, student = call
    done = getattr(api(root), command)(assignment, student)
    return None if done["success"] else f"{done.get('log', '')}\n{done.get('error', '')}"
