"""Collect the files written by `hand_in()` into a course: make collect ARGS="FOLDER", or ARGS="all.zip".

The source is a folder, or a zip file with all submissions. It does not change. `--course FOLDER` names another course.
With `--received TABLE.csv` (columns:
file,time), the upload times in the table count. Every file is listed: taken, unchanged, older, or refused
with the reason. The newest version of a student counts, and the others are kept in `submitted_earlier/`.
With the table `students.csv` in the course (columns: student,uploader,email), only its students are taken. Work that
another person has uploaded is refused, also without that table if both come from Moodle; `--accept ID=UPLOADER` takes
it.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import unicodedata
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from course.build import COURSE
from course.course_folder import Course, CourseError
from course.kept_versions import (
    EARLIEST,
    STAMP_FORMAT,
    Log,
    Origin,
    Version,
    in_order,
    keep,
    stored_versions,
)
from course.received_files import MOODLE, ReceivedFile, received_files, shown
from course.roster import Roster, name_of
from course.submission_times import SERVER, ReceivedTimes, SubmissionTime, submission_time
from tokenlab.check.student_id import normalized_id
from tokenlab.check.submission import (
    MAX_SIZE,
    Submission,
    assignment_name,
    parse_notebook,
    read_submission,
    student_folder_name,
    student_id_in,
)

MEMORY = 4 << 30  # bytes of address space: a file that needs more is refused


@dataclass
class Collected:
    """The result for each file."""

    taken: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    older: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    changed: bool = False
    seen: int = 0

    def __str__(self) -> str:
        """List every file by name, and the numbers of files."""
        parts = {
            "Taken": self.taken,
            "Unchanged": self.unchanged,
            "Older, kept in submitted_earlier/": self.older,
            "Refused": self.refused,
            "Warnings": self.warnings,
        }
        lists = [f"{name}: {len(lines)}\n" + "".join(f"  {line}\n" for line in lines) for name, lines in parts.items()]
        numbers = (
            f"{self.seen} files = {len(self.taken)} taken + {len(self.unchanged)} unchanged + {len(self.older)} older "
            f"+ {len(self.refused)} refused."
        )
        if 0 < len(self.refused) < self.seen:
            numbers += " The others are in the course."
        return "\n".join([*lists, numbers if self.changed else f"{numbers} Nothing changed in the course."])


@dataclass(frozen=True)
class Handed:
    """A valid submission, without its notebook."""

    file: ReceivedFile
    assignment: str
    student: str
    sha256: str
    time: SubmissionTime

    @property
    def name(self) -> str:
        """Return the name of the file, printable."""
        return shown(self.file.name)

    @property
    def submission(self) -> tuple[str, str]:
        """Return the student and the assignment, equal for all versions."""
        return normalized_id(self.student), self.assignment

    @property
    def version(self) -> Version:
        """Return the version in this file."""
        read_again = partial(_content, self.file, self.sha256)
        return Version(self.sha256, self.time.counted, read_again, self.time.source, self.file.name)

    @property
    def origin(self) -> Origin:
        """Return the line of the log for this file."""
        time, uploader = self.time.counted.isoformat(), self.file.uploader
        return Origin(*self.submission, self.sha256, time, self.time.source, self.file.name, uploader)

    @property
    def uploader(self) -> str:
        """Return who uploaded the file, or ""."""
        return self.file.uploader or ""

    @property
    def how_to_accept(self) -> str:
        """Return how to take the file although somebody else has uploaded it."""
        return f'; if that is right, add --accept "{shown(self.student)}={shown(self.uploader)}"'

    def is_of(self, accepted: set[tuple[str, str]]) -> bool:
        """Whether its id and its uploader are among those that are accepted."""
        return (self.submission[0], name_of(self.uploader)) in accepted

    def __str__(self) -> str:
        """Name the file, the student, the assignment and the times."""
        return f"{self.name}: {shown(self.student)}, {self.assignment}, {self.time}"


def collect(
    source: Path, course: Course, received: ReceivedTimes | None = None, accepted: Iterable[str] = ()
) -> Collected:
    """Copy every valid submission of a folder or a zip file to the folder that nbgrader reads.

    Args:
        source: the folder or the zip file.
        course: the course.
        received: the upload times.
        accepted: ids with an uploader, as in `anna=Anna Schmidt`, whose files with this id are taken in any case.

    Raises:
        CourseError: the table of students cannot be used.
    """
    collected, log, now = Collected(), Log(course.root), datetime.now(UTC)
    received, roster = received or ReceivedTimes(), Roster(course.root)
    trusted = {(normalized_id(one.partition("=")[0]), name_of(one.partition("=")[2])) for one in accepted}
    submissions = defaultdict[tuple[str, str], list[Handed]](list)
    with received_files(source) as found:
        collected.seen, names = len(found), [file.name for file in found]
        for file in found:
            try:
                handed = _handed(file, received.of(file.name, names), now)
                if stranger := roster.stranger(handed.student):
                    raise ValueError(stranger)
                if (other := roster.other_uploader(handed.student, handed.uploader)) and not handed.is_of(trusted):
                    raise ValueError(other + handed.how_to_accept)
            except Exception as error:  # no file may stop the others
                collected.refused.append(_refusal(file, error))
            else:
                submissions[handed.submission].append(handed)
                collected.warnings += _warnings_about_times(handed, received)
        try:
            for versions in submissions.values():
                others = {} if roster else _from_others(versions, log, trusted)
                collected.refused += [f"{handed.name}: {reason}" for handed, reason in others.items()]
                left = [handed for handed in versions if handed not in others]
                try:
                    if left:
                        _take(left, course, log, collected)
                except Exception as error:
                    collected.refused += [_refusal(handed.file, error) for handed in left]
        finally:
            log.write()
    collected.warnings += _similar_ids(
        course, (handed.student for versions in submissions.values() for handed in versions)
    )
    collected.warnings += [
        f"{shown(name)} is in the table of times, and no file has this name" for name in received.unused
    ]
    return collected


def _from_others(versions: list[Handed], log: Log, trusted: set[tuple[str, str]]) -> dict[Handed, str]:
    """Return the files that are not from the owner of their id, with the reason why they are not taken.

    The owner is who was the first to upload work with this id. If several people are the first in one download, none of
    them is. Only Moodle's names of uploaders count, because a folder in a path may also be the name of a week.
    """
    before = [origin.uploader or "" for origin in log.of(*versions[0].submission) if _is_moodles(origin.file)]
    files = [handed for handed in versions if _is_moodles(handed.file.name)]
    uploaders = [handed.uploader for handed in files]
    first = {name_of(name) for name in before[:1] or uploaders}
    owners = first if len(first) == 1 else set[str]()
    people = "; ".join(sorted({shown(name) for name in [*before, *uploaders]}))
    reason = f"different people have uploaded work with the id {shown(versions[0].student)}: {people}"
    strange = (one for one in files if name_of(one.uploader) not in owners and not one.is_of(trusted))
    return {one: reason + one.how_to_accept for one in strange}


def _is_moodles(file: str) -> bool:
    return any(MOODLE.match(part) for part in file.split("/"))


def _handed(file: ReceivedFile, received: datetime | None, now: datetime) -> Handed:
    content = read(file)
    time = submission_time(content.time or None, file.modified, received, now)
    return Handed(file, content.assignment, content.student_id, hashlib.sha256(content.notebook).hexdigest(), time)


def read(file: ReceivedFile) -> Submission:
    """Read a submission: a file that `hand_in` wrote, or the notebook itself, which contains no time.

    Raises:
        ValueError: the file is truncated, altered, or something else.
        OSError: the file cannot be read.
    """
    suffix = Path(file.name).suffix.lower()
    if file.refusal or suffix not in (".zip", ".ipynb"):
        raise ValueError(file.refusal or "it is no .zip and no .ipynb file")
    with file.open() as opened:
        if suffix == ".zip":
            return read_submission(opened, name="it")
        content = opened.read(MAX_SIZE + 1)
    if len(content) > MAX_SIZE:
        raise ValueError(f"it has more than {MAX_SIZE} bytes")
    sheet = parse_notebook(content, name="it")
    assignment = assignment_name(sheet)
    if assignment is None:
        raise ValueError("it is a notebook, but no assignment")
    return Submission(assignment, student_folder_name(student_id_in(sheet)), "", content, {})


def _content(file: ReceivedFile, sha256: str) -> bytes:
    content = read(file).notebook
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ValueError("it was changed while it was collected")
    return content


def _refusal(file: ReceivedFile, error: Exception) -> str:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    known = reason and isinstance(error, (ValueError, OSError))
    return f"{shown(file.name)}: {shown(reason if known else f'{type(error).__name__} {reason}'.strip()):.300}"


def _take(files: list[Handed], course: Course, log: Log, collected: Collected) -> None:
    """Store the versions of one submission, and list its files."""
    key = normalized, assignment = files[0].submission
    student, before = _known_as(files[0].student, course), log.of(*key)
    stored = stored_versions(course.root, student, assignment, before)
    groups = in_order([*stored, *(handed.version for handed in files)])
    kept = keep(course.root, student, assignment, stored, groups)
    log.add(handed.origin for handed in files)
    collected.changed |= kept.counts or kept.earlier
    newest, counting = groups[-1][0], {(version.sha256, version.time) for version in groups[-1]}
    by = f"{shown(newest.file) or 'the version in the course'}, {newest.time or EARLIEST:{STAMP_FORMAT}}"
    free = kept.counts
    for handed in sorted(files, key=lambda handed: (handed.file.name != newest.file, handed.time.counted, handed.name)):
        left_out = handed.time.source != SERVER and handed.sha256 == newest.sha256 and newest.source == SERVER
        if (handed.sha256, handed.time.counted) not in counting and not left_out:
            collected.older.append(f"{handed}; replaced by {by}")
        elif left_out:
            collected.unchanged.append(f"{handed}; what counts is {newest.time:{STAMP_FORMAT}} (time of the server)")
        elif free:
            collected.taken.append(str(handed))
            free = False
        else:
            same = f"; the same notebook as {by}" if handed.file.name != newest.file else ""
            collected.unchanged.append(f"{handed}{same}")
    collected.warnings += _warnings_about_versions(normalized, [*before, *(handed.origin for handed in files)], groups)


def _warnings_about_times(handed: Handed, received: ReceivedTimes) -> Iterator[str]:
    if handed.time.warning:
        yield f"{handed.name}: {handed.time.warning}; what counts is {handed.time}"
    if received.times and handed.time.source != SERVER:
        yield f"{handed.name} is not in the table of times; what counts is {handed.time}"


def _warnings_about_versions(student: str, origins: list[Origin], groups: list[list[Version]]) -> Iterator[str]:
    uploaders = {origin.uploader: shown(origin.file) for origin in origins if origin.uploader}
    if len(uploaders) > 1:
        named = "; ".join(f"{shown(uploader)} ({file})" for uploader, file in sorted(uploaders.items()))
        yield f"two people may use the id {shown(student)}: {named}"
    newest = groups[-1][0]
    tied = [version for group in groups[:-1] for version in group if version.time == newest.time]
    for version in {version.sha256: version for version in tied}.values():
        names = (shown(version.file) or "a version in the course", shown(newest.file) or "a version in the course")
        yield f"{names[0]} and {names[1]} of {shown(student)} differ and have the same time; {names[1]} counts"


def _similar_ids(course: Course, students: Iterable[str]) -> Iterator[str]:
    similar = defaultdict[str, set[str]](set)
    for student in {*students, *_folders(course)}:
        plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", normalized_id(student)).casefold())
        similar[" ".join(plain.split())].add(student)
    for ids in (sorted(ids) for _, ids in sorted(similar.items()) if len(ids) > 1):
        number = len({normalized_id(student) for student in ids})
        taken = "one student" if number == 1 else f"{number} students"
        yield f"nearly the same id: {', '.join(map(shown, ids))}; taken as {taken}"


def _known_as(student: str, course: Course) -> str:
    """Return the name of a student's existing folder, ignoring case, or the given id."""
    same = [name for name in _folders(course) if normalized_id(name) == normalized_id(student)]
    return student if student in same or not same else same[0]


def _folders(course: Course) -> list[str]:
    folders = (folder for place in ("submitted", "submitted_earlier") for folder in (course.root / place).glob("*/"))
    return sorted({folder.name for folder in folders if not folder.name.startswith(".")})


def main(arguments: list[str]) -> int:
    """Collect; return 1 if every file was refused, and 2 if the source or the table of times cannot be read."""
    if not arguments:
        print(__doc__)
        return 2
    parser = argparse.ArgumentParser(
        prog="make collect", usage='make collect ARGS="FOLDER [--course COURSE] [--received TABLE]"'
    )
    parser.add_argument("source", type=Path)
    parser.add_argument("folder", type=Path, nargs="?", help=argparse.SUPPRESS)  # the course, as in earlier versions
    parser.add_argument("--course", type=Path, default=COURSE, help="the course folder")
    parser.add_argument("--received", type=Path, metavar="TABLE", help="upload times: a CSV file with file,time")
    parser.add_argument(
        "--accept", metavar="ID=UPLOADER", action="append", default=[], help="take work of this uploader"
    )
    given = parser.parse_args(arguments)
    with suppress(AttributeError):
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # names in any script
    try:
        course = Course(given.folder or given.course)
        collected = collect(given.source, course, ReceivedTimes(given.received), given.accept)
    except (ValueError, OSError, zipfile.BadZipFile, CourseError) as error:
        print(f"Nothing was collected from {shown(str(given.source))}: {shown(str(error))}")
        return 2
    print(collected)
    return 1 if 0 < collected.seen == len(collected.refused) else 0


def limit_memory() -> None:
    """Limit the memory of this process where the system can, so that a hostile file raises a MemoryError."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))


if __name__ == "__main__":
    limit_memory()
    sys.exit(main(sys.argv[1:]))
