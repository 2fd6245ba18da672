"""Regrade a class after an assignment was changed: make regrade ARGS="assignment1", then with --write.

A copy of the course is graded, and every changed score is listed. With --write, the course takes over the new scores;
before that, the gradebook and the graded notebooks are copied to `backups/`. Manual grades and comments do not change.

A regrade needs the tokenlab version that graded before, or --accept-version. Another course: --course folder.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import nbformat
from nbgrader.api import Gradebook

from course import build, course_seed, own_tasks
from course.course_folder import CONFIG, Course, CourseError, Score, tables_of_nbgrader
from course.graded_marks import Marks
from course.received_files import shown
from course.sandbox import commands
from tokenlab.check.submission import versions
from tokenlab.storage import files

VERSIONS = "gradebook.versions.json"


@dataclass(frozen=True)
class Change:
    """A changed score of a student's cell."""

    student: str
    cell: str
    old: Score | None
    new: Score

    def __str__(self) -> str:
        """One line."""
        old = "-" if self.old is None or self.old.auto is None else f"{self.old.auto:g}"
        new = "-" if self.new.auto is None else f"{self.new.auto:g}"
        by_hand = "" if self.new.manual is None else f" (a person gave {self.new.manual:g}, which stays)"
        return f"{shown(self.student)}  {self.cell}  {old} -> {new}{by_hand}"


@dataclass(frozen=True)
class Regrade:
    """A regraded copy of a course."""

    course: Course
    copy: Course
    assignment: str
    changes: list[Change]
    advice: dict[str, str]  # students who could not be regraded and keep their scores
    digest: str  # digest of the copied gradebook


def check_gradebook(gradebook: Path) -> None:
    """Check that the gradebook can be used.

    Raises:
        CourseError: it is missing, damaged, or from another version of nbgrader.
    """
    backups = sorted(gradebook.parent.glob("backups/*/gradebook.db"))
    last = f"the last backup is {backups[-1]}" if backups else "look for a copy of your own"
    if not gradebook.exists():
        raise CourseError(f"there is no gradebook {gradebook}; grade first, or put it back: {last}")
    try:
        with closing(_reading(gradebook)) as database:
            health = database.execute("PRAGMA integrity_check").fetchone()[0]
            tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            version = (
                database.execute("SELECT version_num FROM alembic_version").fetchone()
                if "alembic_version" in tables
                else None
            )
    except sqlite3.DatabaseError as error:
        raise CourseError(f"{gradebook} is torn ({error}); nothing was changed; {last}") from None
    if health != "ok":
        raise CourseError(f"{gradebook} is torn ({health.splitlines()[-1]:.80}); nothing was changed; {last}")
    if "grade" not in tables or version is None:
        raise CourseError(f"{gradebook} is empty, or no gradebook of nbgrader; nothing was changed; {last}")
    if version[0] != tables_of_nbgrader():
        raise CourseError(
            f"{gradebook} was written by another version of nbgrader (its tables are {version[0]}, this one's are "
            f"{tables_of_nbgrader()}); nothing was changed; use that version, or copy it and run `nbgrader db upgrade`"
        )


def _reading(gradebook: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{gradebook.as_uri()}?mode=ro", uri=True)


def version_problem(course: Course, assignment: str) -> str:
    """Describe the differences from the versions that graded the assignment, or return ""."""
    try:
        graded_with = json.loads((course.root / VERSIONS).read_text(encoding="utf-8"))[assignment]
    except (OSError, ValueError, KeyError):
        return f"nothing says which version graded {assignment}"
    now = _relevant(versions())
    others = [
        f"{name}: {used[name]}, now {now[name]}"
        for used in map(_relevant, graded_with)
        for name in now
        if used[name] != now[name]
    ]
    return f"{assignment} was graded with another version ({'; '.join(others)})" if others else ""


def _relevant(version: dict[str, Any]) -> dict[str, str]:
    """Return the version entries that affect scores; the commit changes with the assignment and does not."""
    short = {name: str(version.get(name))[:12] for name in ("tokenlab", "code", "constraints")}
    return short | {"python": str(version.get("python")).rpartition(".")[0]}


def regrade(course: Course, source: Path, where: Path) -> Regrade:
    """Grade all students in a copy of the course with the current assignment.

    Raises:
        CourseError: the gradebook cannot be used, or the assignment's cells have changed.
    """
    assignment = source.stem
    check_gradebook(course.gradebook)
    old = course.scores(assignment)
    copy = Course(where)
    digest = copy_gradebook(course.gradebook, copy.gradebook)
    for name in (CONFIG, course_seed.FILE):
        if (course.root / name).exists():
            shutil.copy2(course.root / name, copy.root / name)
    if (own := course.root / own_tasks.FOLDER).is_dir():
        shutil.copytree(own, copy.root / own_tasks.FOLDER)
    for student in course.submitted(assignment):
        folder = Path("submitted") / student / assignment
        shutil.copytree(course.root / folder, copy.root / folder)
    _refuse_other_cells(copy, source)
    build.build(copy, source)
    advice = copy.autograde(assignment)
    copy.keep_reviewed(assignment, old)
    new = copy.scores(assignment)
    return Regrade(course, copy, assignment, list(changed(old, new)), advice, digest)


def regrade_once(course: Course, source: Path) -> Regrade:
    """Regrade in a folder of the course that stays, or return the regrade in it if nothing has changed since.

    Raises:
        CourseError: as in `regrade`.
    """
    where = course.root / ".regrade" / source.stem
    key, done = where / "key.json", None
    now = _depends_on(course, source)
    with suppress(OSError, ValueError, KeyError):
        known = json.loads(key.read_text(encoding="utf-8"))
        if known["now"] == now:
            copy = Course(where)
            new = copy.scores(source.stem)
            changes = list(changed(course.scores(source.stem), new))
            return Regrade(course, copy, source.stem, changes, known["advice"], known["digest"])
    shutil.rmtree(where, ignore_errors=True)
    where.mkdir(parents=True)
    try:
        done = regrade(course, source, where)
        if not done.advice:  # who could not be graded is tried again
            files.write_atomically(key, json.dumps({"now": now, "advice": {}, "digest": done.digest}))
    finally:
        if done is None:
            shutil.rmtree(where, ignore_errors=True)
    return done


def _depends_on(course: Course, source: Path) -> dict[str, str]:
    """Return digests of all that a regrade depends on."""
    check_gradebook(course.gradebook)
    marks = Marks(course, source.stem)
    test = build.notebook_in(course, source)
    return {
        "gradebook": content_of(course.gradebook),
        "tests": hashlib.sha256(nbformat.writes(test).encode()).hexdigest(),
        **{f"student {student}": json.dumps(marks.now(student)) for student in course.submitted(source.stem)},
    }


def copy_gradebook(gradebook: Path, copy: Path) -> str:
    """Copy a gradebook consistently, even while it is in use, and return the digest of its content."""
    copy.parent.mkdir(parents=True, exist_ok=True)
    with closing(_reading(gradebook)) as database, closing(sqlite3.connect(copy)) as target:
        database.backup(target)
    check_gradebook(copy)
    return content_of(gradebook)


def content_of(gradebook: Path) -> str:
    """Return a digest of a gradebook's content."""
    with closing(_reading(gradebook)) as database:
        return hashlib.sha256("\n".join(database.iterdump()).encode()).hexdigest()


def _refuse_other_cells(course: Course, source: Path) -> None:
    """Raise a CourseError if the assignment's cells have changed, which nbgrader rejects with a traceback."""
    marks = [
        cell.metadata.nbgrader.grade_id
        for cell in build.notebook_in(course, source).cells
        if "nbgrader" in cell.metadata
    ]
    with Gradebook(f"sqlite:///{course.gradebook}") as book:
        before = {cell.name for cell in book.find_notebook(source.stem, source.stem).source_cells}
    if before != set(marks):
        raise CourseError(
            f"{source.stem} has other cells than when it was handed out: {', '.join(sorted(before ^ set(marks)))}; "
            "a regrade can change what is in the cells, not which there are"
        )


def changed(old: dict[str, dict[str, Score]], new: dict[str, dict[str, Score]]) -> Iterator[Change]:
    """Return the changed scores, student by student."""
    for student in sorted(new):
        for cell, score in sorted(new[student].items()):
            before = old.get(student, {}).get(cell)
            if before is None or before.auto != score.auto:
                yield Change(student, cell, before, score)


def write(done: Regrade) -> Path:
    """Apply a regrade to the course, and return the folder with the backup.

    Raises:
        CourseError: the gradebook was changed in the meantime.
    """
    if content_of(done.course.gradebook) != done.digest:
        raise CourseError("the gradebook has changed in the meantime; nothing was written; run this again")
    backup = back_up(done.course, done.assignment)
    folders = [Path("source") / done.assignment, Path("release") / done.assignment]
    folders += [path.relative_to(done.copy.root) for path in done.copy.root.glob(f"autograded/*/{done.assignment}")]
    for folder in folders:
        _replace(done.copy.root / folder, done.course.root / folder)
    handout = Path("release") / f"{done.assignment}.zip"
    shutil.copyfile(done.copy.root / handout, done.course.root / handout)
    _note_version(done.course, done.assignment)
    beside = done.course.gradebook.with_name("gradebook.db.part")
    shutil.copyfile(done.copy.gradebook, beside)
    os.replace(beside, done.course.gradebook)
    marks = Marks(done.course, done.assignment)
    for student in set(done.course.submitted(done.assignment)) - set(done.advice):
        marks.write(student)  # `make grade` has nothing to grade now, and writes the pages of feedback again
    return backup


def back_up(course: Course, assignment: str) -> Path:
    """Copy the gradebook and all files of the assignment that a regrade replaces."""
    backup = course.root / "backups" / f"{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}"
    copy_gradebook(course.gradebook, backup / "gradebook.db")
    for name in (VERSIONS, course_seed.FILE, f"release/{assignment}.zip"):
        if (course.root / name).exists():
            (backup / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(course.root / name, backup / name)
    for folder in [
        *course.root.glob(f"autograded/*/{assignment}"),
        *(course.root / step / assignment for step in ("source", "release")),
    ]:
        shutil.copytree(folder, backup / folder.relative_to(course.root))
    return backup


def _replace(new: Path, old: Path) -> None:
    part = old.with_name(f".{old.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    shutil.copytree(new, part)
    if old.exists():
        shutil.rmtree(old)
    os.replace(part, old)


def _note_version(course: Course, assignment: str) -> None:
    try:
        noted = json.loads((course.root / VERSIONS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        noted = {}
    files.write_atomically(course.root / VERSIONS, json.dumps(noted | {assignment: [versions()]}, indent=1) + "\n")


def main(arguments: list[str]) -> int:
    """Regrade; return 1 if that fails."""
    parser = argparse.ArgumentParser(
        prog="make regrade", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("assignment")
    parser.add_argument("--write", action="store_true", help="take the new scores over")
    commands.add_options(parser)
    parser.add_argument("--accept-version", action="store_true", help="regrade although the version is another one")
    parser.add_argument("--course", type=Path, default=build.COURSE)
    parser.add_argument("--source", type=Path, help="the changed assignment, if it is not the kit's own")
    options = parser.parse_args(arguments)
    commands.allow(options.without_sandbox, options.as_root)
    course = Course(options.course)
    try:
        known = {source.stem: source for source in own_tasks.sources(build.SOURCES, course.root)}
        source = options.source or known.get(options.assignment, build.SOURCES / f"{options.assignment}.py")
        if not source.exists():
            raise CourseError(f"there is no assignment {source}")
        check_gradebook(course.gradebook)
        if (problem := version_problem(course, options.assignment)) and not options.accept_version:
            raise CourseError(f"{problem}; if this is intended, add --accept-version")
        if build.is_edited(course, options.assignment):
            raise CourseError(build.edited(course, options.assignment, source))
        done = regrade_once(course, source)
        report(done)
        if options.write:
            backup = write(done)
            shutil.rmtree(done.copy.root)
            print(f"Written. What was there before is in {backup}.")
            print(f'For new feedback: make grade ARGS="{done.assignment}" writes the changed pages again.')
        else:
            print("Nothing was written. With --write the course takes these scores over, without grading again.")
    except (CourseError, ValueError, SyntaxError, nbformat.ValidationError) as error:
        print(f"No regrade: {error}.")
        return 1
    return 0


def report(done: Regrade) -> None:
    """Print every changed score."""
    number = len(done.changes)
    print(f"{number} score{' changes' if number == 1 else 's change'}{':' if number else '.'}")
    for change in done.changes:
        print(f"  {change}")
    for student, advice in done.advice.items():
        print(f"  {shown(student)} could not be graded and keeps the old scores: {shown(advice)}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
