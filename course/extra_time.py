"""Extra time of single students: the table `extra_time.csv` in the course folder becomes nbgrader's extensions.

Adds: a table that `make collect` does not touch, with the columns student,assignment,hours. They count from the due
date. Leaves out: assignments without a due date, which are never late.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from course.course_folder import Course, CourseError
from course.csv_table import rows_of
from course.received_files import shown
from tokenlab.check.student_id import normalized_id

TABLE = "extra_time.csv"
COLUMNS = ("student", "assignment", "hours")


def read_table(path: Path) -> dict[tuple[str, str], timedelta]:
    """Return the extra time by student (normalized) and assignment.

    Raises:
        CourseError: a column is missing, or a line has no number of hours.
    """
    found: dict[tuple[str, str], timedelta] = {}
    for line, row in rows_of(path, COLUMNS):
        try:
            time = timedelta(hours=float(row["hours"]))
            if time < timedelta(0):
                raise ValueError
        except (TypeError, ValueError, OverflowError):
            raise CourseError(f"{line} has the hours {row['hours']!r:.40}; write a number, such as 48 or 1.5") from None
        key = normalized_id(row["student"]), row["assignment"]
        if found.setdefault(key, time) != time:
            raise CourseError(f"{line} names {shown(key[0])} again, with other hours")
    return found


def grant(course: Course, assignment: str) -> list[str]:
    """Write the table's extra time for an assignment into the gradebook, and return sentences on what has no effect.

    Without a table, the extensions in the gradebook stay. With one, only the table counts.
    """
    path = course.root / TABLE
    if not path.is_file():
        return []
    wanted = {student: time for (student, of), time in read_table(path).items() if of == assignment}
    present = {normalized_id(name): name for name in course.submitted(assignment)}
    notes = [
        f"{shown(name)} has extra time in {TABLE}, but no submission of {assignment}"
        for name in sorted(wanted.keys() - present.keys())
    ]
    has_due_date = bool(course.due_dates(assignment)[""])
    with course.book as book:
        if not has_due_date:
            return [*notes, *([f"{TABLE} has no effect: {assignment} has no due date"] if wanted else [])]
        for student, time in wanted.items():
            if name := present.get(student):
                book.update_or_create_student(name)
                book.update_or_create_submission(assignment, name).extension = time or None
        for submission in book.assignment_submissions(assignment):
            if normalized_id(submission.student_id) not in wanted:
                submission.extension = None
        book.db.commit()
    return notes
