"""Who is in the course: the table `students.csv` in the course folder, with the columns student,uploader,email.

`uploader` is the name that the server of submissions gives a student (in Moodle's download, the words before the
number, which changes with each assignment), and may be empty, as may `email`. With this table, unknown ids are refused,
and students without a submission are listed. Leaves out: passwords; who uploads under the name of somebody else is not
found.
"""

from __future__ import annotations

import csv
import difflib
import io
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from course.course_folder import CourseError
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
        self.path = course / TABLE
        self.members: dict[str, Member] = {}
        if self.path.is_file():
            try:
                self._read(self.path.read_text(encoding="utf-8-sig"))
            except UnicodeDecodeError:
                raise CourseError(f"{self.path} is not UTF-8; save it as CSV UTF-8") from None

    def __bool__(self) -> bool:
        """Return True if there is a table with students."""
        return bool(self.members)

    def _read(self, text: str) -> None:
        first = text.partition("\n")[0]
        rows = csv.DictReader(io.StringIO(text), delimiter=max(",;\t", key=first.count), skipinitialspace=True)
        if missing := [name for name in COLUMNS if name not in (rows.fieldnames or ())]:
            raise CourseError(f"{self.path} has no column {missing[0]!r}; its first line must be: {','.join(COLUMNS)}")
        uploaders: dict[str, str] = {}  # by its name as it is compared
        for row in rows:
            member = Member(*((row[name] or "").strip() for name in COLUMNS))
            key, line = normalized_id(member.student), f"line {rows.line_num} of {self.path}"
            if not key:
                raise CourseError(f"{line} has no student id; write one, or delete the line")
            if key in self.members:
                raise CourseError(f"{line} names {shown(key)} again; each id has one line")
            name = name_of(member.uploader)
            if name and uploaders.setdefault(name, key) != key:
                raise CourseError(f"{line} gives {shown(key)} the uploader of {shown(uploaders[name])}; each has one")
            self.members[key] = member

    def refusal(self, student: str, uploader: str | None) -> str:
        """Return why a file with this id, from this uploader, is not taken, or ""."""
        key = normalized_id(student)
        if not self:
            return ""
        if key not in self.members:
            similar = difflib.get_close_matches(key, self.members, n=1, cutoff=0.7)
            hint = f"; is it {shown(similar[0])}?" if similar else ""
            return f"{TABLE} has no student {shown(student)}{hint}"
        expected = self.members[key].uploader
        if not expected or name_of(uploader or "") == name_of(expected):
            return ""
        whom = shown(uploader) if uploader else "nobody: it is in no folder of an uploader"
        return f"{shown(key)} uploads as {shown(expected)} ({TABLE}), and this file comes from {whom}"

    def absent(self, submitted: list[str]) -> list[str]:
        """Return the students of the table without a submission."""
        present = {normalized_id(student) for student in submitted}
        return [member.student for key, member in self.members.items() if key not in present]

    def email(self, student: str) -> str:
        """Return the e-mail address of a student, or ""."""
        member = self.members.get(normalized_id(student))
        return member.email if member else ""
