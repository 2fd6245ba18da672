"""The points of a class as a table, and its pages of feedback as one archive for a course server.

Moodle finds the student of a page by the file's name: `Anna Schmidt_101_assignsubmission_file_assignment1.html`. The
beginning is known if the submission came from Moodle's download. Other pages have the student's id as their name.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import zipfile
from pathlib import Path

from course.build import readable
from course.course_folder import Course
from course.kept_versions import Log
from course.received_files import MOODLE, shown
from course.roster import Roster
from tokenlab.check.student_id import normalized_id


def table(course: Course, assignment: str) -> str:
    """Return a line for each student: the points, the penalty, and the answers that wait for a person."""
    rows = [("student", "points", "of", "penalty", "to grade by hand")]
    students, roster = {*course.submitted(assignment)}, Roster(course.root)
    with course.book as book:
        for submission in sorted(book.assignment_submissions(assignment), key=lambda one: str(one.student_id)):
            if submission.student_id in students and course.graded(assignment, submission.student_id):
                waiting = [grade.name for notebook in submission.notebooks for grade in notebook.grades
                           if grade.needs_manual_grade]  # fmt: skip
                penalty = sum(notebook.late_submission_penalty or 0.0 for notebook in submission.notebooks)
                points = f"{max(0.0, submission.score - penalty):g}", f"{submission.max_score:g}"
                name = shown(submission.student_id)
                rows.append((name, *points, f"-{penalty:g}" if penalty else "", ", ".join(waiting)))
    rows += [
        (shown(one.student), "-", "", "", f"nothing handed in {shown(one.email)}".strip())
        for one in roster.absent(students)
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(entry.ljust(width) for entry, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def write_pages(course: Course, assignment: str) -> Path | None:
    """Write all pages of feedback into one archive, and return its path; the same pages give the same archive."""
    memory, log, names = io.BytesIO(), Log(course.root), set[str]()
    with zipfile.ZipFile(memory, "w") as archive:
        for student in course.submitted(assignment):
            page = course.page(assignment, student)
            if page.is_file():
                name = _moodle_name(course, assignment, student, log)
                if not name or name in names:  # an id may look like a name of Moodle's, which would give it the page
                    name = f"{'id ' * bool(MOODLE.match(student))}{student}.html"
                names.add(name)
                archive.writestr(readable(name), page.read_bytes(), zipfile.ZIP_DEFLATED)
    if not names:
        return None
    path = course.root / "feedback" / f"{assignment}.zip"
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(memory.getvalue())
    os.replace(part, path)
    return path


def _moodle_name(course: Course, assignment: str, student: str, log: Log) -> str:
    """Return the name under which Moodle gives a page to the uploader of the counting version, or ""."""
    notebook = course.root / "submitted" / student / assignment / f"{assignment}.ipynb"
    digest = hashlib.sha256(notebook.read_bytes()).hexdigest() if notebook.is_file() else ""
    for origin in log.of(normalized_id(student), assignment):
        uploader = origin.uploader or ""
        from_moodle = any(MOODLE.match(part) for part in origin.file.split("/"))
        if origin.sha256 == digest and from_moodle and re.fullmatch(r"[^_/]+_\d+", uploader):
            return f"{uploader}_assignsubmission_file_{assignment}.html"
    return ""
