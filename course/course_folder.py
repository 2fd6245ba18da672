"""A course folder in nbgrader's layout: its submissions, grading, and the scores.

A submission that cannot be graded does not stop the others; it is listed with advice.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
import traceback
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

from alembic.script import ScriptDirectory
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from nbgrader.dbutil import ALEMBIC_DIR
from traitlets.config.loader import PyFileConfigLoader

from course import course_seed
from course.sandbox import commands
from course.sandbox.probe import grading_problem
from course.student_process import KILLED, TOO_LONG, Processes
from tokenlab.storage import files

FOLDER = Path(__file__).parent
CONFIG = "nbgrader_config.py"
NEWEST = "FENCE"  # a name in the settings of this version
PATIENCE = 900  # seconds for one student: their code alone may wait for two thirds of it
UNREADABLE = re.compile(
    r"^\.|[*?\[\]{}]"
)  # nbgrader would skip folders with these characters, or confuse them with others


Progress: TypeAlias = Callable[[str], None]  # called with each student who is done


def nothing(student: str) -> None:
    """Show no progress."""


@dataclass(frozen=True)
class Score:
    """A student's points for a cell: from autograding, from a person, and whether manual grading is needed."""

    auto: float | None
    manual: float | None
    waits: bool


class CourseError(ValueError):
    """A problem of the course that a person has to solve."""


def tables_of_nbgrader() -> str | None:
    """Return the version of this nbgrader's database tables."""
    return ScriptDirectory(ALEMBIC_DIR).get_current_head()


class Course:
    """A course folder."""

    def __init__(self, root: Path) -> None:
        self.root = Path(root).resolve()
        self.gradebook = self.root / "gradebook.db"

    def configure(self, more: str = "") -> bool:
        """Write nbgrader's settings into the course, unless it has others; return whether it has these."""
        self.root.mkdir(parents=True, exist_ok=True)
        settings, place = files.read_text(FOLDER / CONFIG) + more, self.root / CONFIG
        if not place.exists():
            files.write_atomically(place, settings)
        return files.read_text(place) == settings

    def code(self) -> str:
        """Return the public code of the course, or "" if it has no secret.

        Raises:
            CourseError: the secret cannot be read by this user.
        """
        try:
            return course_seed.code_of(course_seed.secret_of(self.root))
        except PermissionError:
            file = self.root / course_seed.FILE
            raise CourseError(f"{file} can be read by its owner only, who may share it: chmod g+r {file}") from None

    def check_secret(self) -> None:
        """Raise a CourseError if a sheet of the course was built with another secret than the one that is there now."""
        code = self.code()
        for path in sorted((self.root / "release").glob("*/*.ipynb")):
            sheet = json.loads(path.read_text(encoding="utf-8"))
            if sheet["metadata"].get("tokenlab", {}).get("code", code) != code:
                what = "is another one than" if code else "is missing, but was there"
                raise CourseError(
                    f"{self.root / course_seed.FILE} {what} when {path.stem} was built; put it back, or students "
                    "have other rules and inputs"
                )

    def generate(self, assignment: str) -> None:
        """Run `nbgrader generate_assignment`.

        Raises:
            CourseError: the command failed; the message contains nbgrader's log.
        """
        done = api(self.root).generate_assignment(assignment)
        if not done["success"]:
            raise CourseError(f"nbgrader could not generate {assignment}:\n{done['log']}\n{done.get('error', '')}")

    def submitted(self, assignment: str) -> list[str]:
        """Return the students with a submission."""
        folders = (self.root / "submitted").glob("*/")
        return sorted(folder.name for folder in folders if (folder / assignment).is_dir())

    def autograde(
        self, assignment: str, students: Iterable[str] | None = None, progress: Progress = nothing
    ) -> dict[str, str]:
        """Run `nbgrader autograde` for each student; return the reason and advice for each failure.

        Raises:
            CourseError: nothing can be graded: the sandbox does not start, or a library is missing.
        """
        wanted = self.submitted(assignment) if students is None else list(students)
        if wanted:
            self.check(assignment)
        return self._each("autograde", assignment, wanted, progress)

    def feedback(
        self, assignment: str, students: Iterable[str] | None = None, progress: Progress = nothing
    ) -> dict[str, str]:
        """Run `nbgrader generate_feedback` for each of these students, by default all, who was graded."""
        wanted = self.submitted(assignment) if students is None else students
        graded = [name for name in wanted if self.graded(assignment, name)]
        return self._each("generate_feedback", assignment, graded, progress)

    def check(self, assignment: str) -> None:
        """Try the sandbox, and look for the libraries that the assignment allows and for the secret.

        Raises:
            CourseError: nothing can be graded.
        """
        settings = self.root / CONFIG
        if settings.is_file() and NEWEST not in files.read_text(settings):
            raise CourseError(
                f"{settings} is from an earlier version of the kit, and would grade as that did; move it "
                "away, run make assignments, and add your own lines again"
            )
        self.check_secret()
        release = self.root / "release" / assignment / f"{assignment}.ipynb"
        sheet = json.loads(release.read_text(encoding="utf-8")) if release.is_file() else {}
        libraries = sheet.get("metadata", {}).get("tokenlab", {}).get("libraries", [])
        if problem := grading_problem(libraries):
            raise CourseError(problem)

    def page(self, assignment: str, student: str) -> Path:
        """Return the path of a student's page of feedback."""
        return self.root / "feedback" / student / assignment / f"{assignment}.html"

    def graded(self, assignment: str, student: str) -> bool:
        """Whether the student's notebook was graded completely."""
        return (self.root / "autograded" / student / assignment / f"{assignment}.ipynb").exists()

    def _each(self, command: str, assignment: str, students: list[str], progress: Progress) -> dict[str, str]:
        possible = [student for student in students if not UNREADABLE.search(student)]
        failed = self._run(cores(), command, assignment, possible, progress)
        # A process that waits too long for the gradebook fails; alone, it does not have to wait.
        locked = [student for student, log in failed.items() if log and "database is locked" in log]
        failed |= self._run(1, command, assignment, locked, nothing)
        failed |= dict.fromkeys(set(students) - set(possible), "")
        return {student: self.advice(assignment, student, log) for student, log in failed.items() if log is not None}

    def _run(
        self, processes: int, command: str, assignment: str, students: list[str], progress: Progress
    ) -> dict[str, str | None]:
        """Run a command for these students; return the log of each failure.

        If a process is killed, for example because memory is short, its student is tried again, in the end alone.
        """
        logs: dict[str, str | None] = {}
        os.environ[commands.VARIABLE] = commands.chosen()  # the processes do not choose again
        for workers in (processes, processes, 1):
            left = [student for student in students if logs.get(student, KILLED) == KILLED]
            given = {student: (self.root, command, assignment, student) for student in left}
            with Processes(workers, PATIENCE) as pool:
                for student, log in pool.run(_one, given):
                    logs[student] = log
                    if command == "autograde" and log is not None:  # what is there is not complete
                        shutil.rmtree(self.root / "autograded" / student / assignment, ignore_errors=True)
                    if log != KILLED:
                        progress(student)
        return logs

    def advice(self, assignment: str, student: str, log: str) -> str:
        """Explain why a submission could not be graded, and what to do."""
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
        except (ValueError, KeyError, TypeError, RecursionError, MemoryError):
            return f"{notebook.name} is no notebook; ask for it again"
        if log == KILLED:
            return "its process was ended three times, perhaps because memory is short; grade it again"
        if log == TOO_LONG:
            return f"it took more than {PATIENCE // 60} minutes and was stopped; look at the notebook first"
        errors = [line.strip() for line in log.splitlines() if re.match(r"\s*[\w.]+(Error|Exception)\b", line)]
        said = [error for error in errors if "NbGraderException" not in error]
        return f"nbgrader gave up: {(said or errors or ['it does not say why'])[-1]}"

    def scores(self, assignment: str) -> dict[str, dict[str, Score]]:
        """Return the scores of each student for each cell."""
        with self.book as book:
            return {
                submission.student_id: {
                    grade.name: Score(grade.auto_score, grade.manual_score, grade.needs_manual_grade)
                    for notebook in submission.notebooks
                    for grade in notebook.grades
                }
                for submission in book.assignment_submissions(assignment)
            }

    def due_dates(self, assignment: str) -> dict[str, str]:
        """Return the due date as text, under "", and that of each student with extra time.

        Raises:
            CourseError: the gradebook has no such assignment.
        """
        with self.book as book:
            try:
                common = book.find_assignment(assignment).duedate
            except MissingEntry:
                raise CourseError(f"{self.gradebook} does not know {assignment}; run make assignments") from None
            if common is None:
                return {"": ""}
            extended = {
                one.student_id: str(common + one.extension)
                for one in book.assignment_submissions(assignment)
                if one.extension
            }
        return {"": str(common)} | extended

    def feedback_digests(self, assignment: str) -> dict[str, str]:
        """Return a digest of all that a student's page of feedback shows from the gradebook."""
        found = {}
        with self.book as book:
            for submission in book.assignment_submissions(assignment):
                said: list[tuple[str, ...]] = []
                for notebook in submission.notebooks:
                    said.append(("penalty", str(notebook.late_submission_penalty or 0.0)))
                    said += [("score", one.name, str(one.score)) for one in notebook.grades]
                    said += [("comment", one.name, str(one.comment)) for one in notebook.comments]
                found[str(submission.student_id)] = hashlib.sha256(json.dumps(sorted(said)).encode()).hexdigest()
        return found

    def keep_reviewed(
        self, assignment: str, old: dict[str, dict[str, Score]], students: Iterable[str] | None = None
    ) -> None:
        """Clear nbgrader's request to grade manually graded cells again, unless the score has changed."""
        wanted = None if students is None else {*students}
        with self.book as book:
            for submission in book.assignment_submissions(assignment):
                if wanted is not None and submission.student_id not in wanted:
                    continue
                for grade in (grade for notebook in submission.notebooks for grade in notebook.grades):
                    before = old.get(submission.student_id, {}).get(grade.name)
                    if before and grade.manual_score is not None and grade.auto_score == before.auto:
                        grade.needs_manual_grade = before.waits
            book.db.commit()

    @property
    def book(self) -> Gradebook:
        """Open the gradebook."""
        _find_alembic()
        return Gradebook(f"sqlite:///{self.gradebook}")


@cache
def api(root: Path) -> NbGraderAPI:
    """Return nbgrader's API with only the settings of this course."""
    os.environ["JUPYTER_CONFIG_DIR"] = str(root / ".jupyter")
    _find_alembic()
    config = PyFileConfigLoader(CONFIG, path=str(root)).load_config()
    config.CourseDirectory.root = str(root)
    return NbGraderAPI(CourseDirectory(config=config), config=config)


def cores() -> int:
    """Return the number of processors that this process may use, also in a container with a share of them."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with suppress(OSError, ValueError):
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text(encoding="ascii").split()
        available = min(available, max(1, int(quota) // int(period)))
    return available


def _find_alembic() -> None:
    """Put this Python's programs on the path: nbgrader calls alembic to create a gradebook."""
    programs = str(Path(sys.executable).parent)
    if programs not in os.environ["PATH"].split(os.pathsep):
        os.environ["PATH"] = f"{programs}{os.pathsep}{os.environ['PATH']}"


def _one(call: tuple[Path, str, str, str]) -> str | None:
    """Run a command for one student; return the log if it failed, or None."""
    root, command, assignment, student = call
    try:
        done = getattr(api(root), command)(assignment, student)
    except Exception:  # for example a mistake in the settings; nobody would see it
        return traceback.format_exc()
    return None if done["success"] else f"{done.get('log', '')}\n{done.get('error', '')}"
