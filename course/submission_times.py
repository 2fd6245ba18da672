"""Decide which time of a submission counts: when the server received it, or the time in the file if it is possible.

Adds: `--received FILE.csv`, the upload times of a course server. Leaves out: proof. Without the table, a student may
set the clock of their computer back; the listing shows both the time of the file and the time in it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from course.csv_table import rows_of
from course.received_files import shown

FIRST = datetime(2026, 1, 1, tzinfo=UTC)  # no assignment was released before
TOLERANCE = timedelta(days=1)  # of wrong clocks, and of local times that were taken for UTC
SERVER = "received"


@dataclass(frozen=True)
class SubmissionTime:
    """The time that counts, how it is known, and why another one was not believed."""

    counted: datetime
    source: str
    text: str
    warning: str | None = None

    def __str__(self) -> str:
        """Name all known times."""
        return self.text


def submission_time(
    claimed: str | None, modified: datetime | None, received: datetime | None, now: datetime
) -> SubmissionTime:
    """Return the time that counts.

    The upload time of a server counts. Without it, the time that `hand_in` wrote counts, unless it is before 2026, in
    the future, or later than the time of the file by more than a day. The time of the file counts otherwise.

    Args:
        claimed: the time that the student's file contains, as in 2026-11-20T17:00:00+00:00.
        modified: the modification time of the file.
        received: the upload time of the server.
        now: the present time.

    >>> at = datetime(2026, 11, 20, tzinfo=UTC)
    >>> print(submission_time("9999-01-01T00:00:00+00:00", at, None, at))
    2026-11-20 00:00:00 UTC (time of the file; the time in it is 9999-01-01 00:00:00 UTC)
    """
    claim = in_utc(claimed) if claimed else None
    others = [f"the time in it is {_text(claim)}"] if claimed else []
    dated = [f"the time of the file is {_text(modified)}"]
    if received:
        return _chosen(received, SERVER, "time of the server", dated + others)
    problem = _problem(claim, modified, now) if claimed else None
    if claim and not problem:
        return _chosen(claim, "claimed", "time in the file", dated)
    if modified and FIRST <= modified <= now + TOLERANCE:
        return _chosen(modified, "modified", "time of the file", others, problem)
    unknown = f"the time of the file, {_text(modified)}, is not possible; name a table of times with --received"
    return _chosen(FIRST, "unknown", "no possible time", dated + others, "; ".join(filter(None, (problem, unknown))))


def _problem(claim: datetime | None, modified: datetime | None, now: datetime) -> str | None:
    """Say why the time in a file is not believed, or return None."""
    if claim is None:
        return "the time in it is no time in UTC"
    if claim < FIRST:
        return f"the time in it, {_text(claim)}, is before {FIRST:%Y}"
    if claim > now + TOLERANCE:
        return f"the time in it, {_text(claim)}, is in the future"
    if modified and modified >= FIRST and claim > modified + TOLERANCE:
        return f"the time in it, {_text(claim)}, is later than the time of the file, {_text(modified)}"
    return None


def _chosen(
    time: datetime, source: str, what: str, others: Iterable[str], warning: str | None = None
) -> SubmissionTime:
    return SubmissionTime(time, source, f"{_text(time)} ({'; '.join((what, *others))})", warning)


def _text(time: datetime | None) -> str:
    return f"{time:%Y-%m-%d %H:%M:%S} UTC" if time else "unknown"


def in_utc(text: str) -> datetime | None:
    """Return an ISO time in UTC, in whole seconds, or None; a time without offset is local time.

    >>> in_utc("2026-11-20T17:00+02:00"), in_utc("yesterday"), in_utc("0001-01-01T00:00+14:00")
    (datetime.datetime(2026, 11, 20, 15, 0, tzinfo=datetime.timezone.utc), None, None)
    """
    try:
        return datetime.fromisoformat(text.strip()).astimezone(UTC).replace(microsecond=0)
    except (ValueError, OverflowError, OSError):
        return None


class ReceivedTimes:
    """Upload times by file, from a table with the columns `file` and `time`."""

    def __init__(self, table: Path | None = None) -> None:
        """Read the table.

        Raises:
            ValueError: it is not UTF-8, a column is missing, or a line has no time.
        """
        self.times: dict[str, datetime] = {}
        self.used = set[str]()
        if table is None:
            return
        for line, row in rows_of(table, ("file", "time")):
            time = in_utc(row["time"])
            if time is None:
                raise ValueError(
                    f"{line} has the time {row['time']!r:.40}; write it as "
                    "2026-11-20 17:00 (local time) or 2026-11-20T17:00+00:00"
                )
            name = _key(row["file"])
            if self.times.setdefault(name, time) != time:
                raise ValueError(f"{line} names {shown(name)} again, with another time")

    def of(self, name: str, names: Iterable[str] = ()) -> datetime | None:
        """Return the upload time of a file, which the table names by its path, or by its last part if this is clear."""
        last = _last(name)
        for key in (_key(name), last):
            if key in self.times and (key == _key(name) or [_last(other) for other in names].count(last) == 1):
                self.used.add(key)
                return self.times[key]
        return None

    @property
    def unused(self) -> list[str]:
        """Return the names in the table that no file has."""
        return sorted(self.times.keys() - self.used)


def _last(name: str) -> str:
    return _key(name).rpartition("/")[2]


def _key(name: str) -> str:
    return unicodedata.normalize("NFC", name.strip().replace("\\", "/").removeprefix("./"))
