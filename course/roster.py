"""Who is in the course: the table `students.csv` in the course folder, with the columns student,uploader,email.

`uploader` is the name that the server of submissions gives a student (in Moodle's download, the words before the
number, which changes with each assignment), and may be empty, as may `email`. With this table, unknown ids are refused,
and `make grade` lists the students without a submission. Leaves out: passwords. Who uploads under the name of somebody
else is not found.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from course.course_folder import CourseError
from course.csv_table import rows_of
from course.received_files import shown
from tokenlab.check.student_id import normalized_id

TABLE = "students.csv"
COLUMNS = ("student", "uploader", "email")


def name_of(uploader: str) -> str:
    """Return an uploader as it is compared: without Moodle's number, in one form of Unicode.

    >>> name_of("Jose\u0301 Lee_101") == name_of("jos\u00e9 lee")
    True
    """
    return unicodedata.normalize("NFC", re.sub(r"_\d+$", "", uploader.strip())).casefold()


@dataclass(frozen=True)
class Member:
    """A line of the table."""

    student: str
    uploader: str
    email: str


class Roster:
    """The members of a course by their normalized ids; without a table, nobody is known and everybody is welcome."""

    def __init__(self, course: Path) -> None:
        """Read the table of a course folder.

        Raises:
            CourseError: it is not UTF-8, lacks a column or an id, or names an id or an uploader twice.
        """
        self.members: dict[str, Member] = {}
        uploaders: dict[str, str] = {}  # by its name as it is compared
        table = course / TABLE
        for line, row in rows_of(table, COLUMNS) if table.is_file() else ():
            key, name = normalized_id(row["student"]), name_of(row["uploader"])
            if not key:
                raise CourseError(f"{line} has no student id; write one, or delete the line")
            if key in self.members:
                raise CourseError(f"{line} names {shown(key)} again; each id has one line")
            if name and uploaders.setdefault(name, key) != key:
                raise CourseError(f"{line} gives {shown(key)} the uploader of {shown(uploaders[name])}; each has one")
            self.members[key] = Member(**row)

    def __bool__(self) -> bool:
        """Return True if there is a table with students."""
        return bool(self.members)

    def stranger(self, student: str) -> str:
        """Return why an id is not taken, with a similar one of the table, or ""."""
        key = normalized_id(student)
        if not self or key in self.members:
            return ""
        similar = difflib.get_close_matches(key, self.members, n=1, cutoff=0.7)
        hint = f"; is it {shown(similar[0])}?" if similar else ""
        return f"{TABLE} has no student {shown(student)}{hint}"

    def other_uploader(self, student: str, uploader: str) -> str:
        """Return why work with an id of the table is not taken from an uploader, or ""."""
        expected = self.members[normalized_id(student)].uploader if self else ""
        if not expected or name_of(uploader) == name_of(expected):
            return ""
        whom = shown(uploader) or "nobody: it is in no folder of an uploader"
        return f"{shown(student)} uploads as {shown(expected)} ({TABLE}), and this file comes from {whom}"

    def absent(self, submitted: Iterable[str]) -> list[Member]:
        """Return the students of the table without a submission."""
        present = {normalized_id(student) for student in submitted}
        return [member for key, member in self.members.items() if key not in present]
