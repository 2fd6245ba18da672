"""Read the tables of a course: CSV files as spreadsheets write them, with a comma, a semicolon or a tab."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from course.course_folder import CourseError


def rows_of(path: Path, columns: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the place of each row, as in "line 3 of students.csv", and its values by column; a missing one is empty.

    Raises:
        CourseError: the file is not UTF-8, or lacks a column.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise CourseError(f"{path.name} is not UTF-8; save it as CSV UTF-8") from None
    first = text.partition("\n")[0]
    rows = csv.DictReader(io.StringIO(text), delimiter=max(",;\t", key=first.count), skipinitialspace=True)
    if missing := [name for name in columns if name not in (rows.fieldnames or ())]:
        raise CourseError(f"{path.name} has no column {missing[0]!r}; its first line must be: {','.join(columns)}")
    for row in rows:
        yield f"line {rows.line_num} of {path.name}", {name: (row[name] or "").strip() for name in columns}
