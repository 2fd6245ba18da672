"""The versions of a submission in a course: the one that counts in `submitted/`, the others in `submitted_earlier/`.

Adds: an order of versions that depends only on what was received, so that collecting the same files again changes
nothing. Leaves out: reading files that were handed in.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import shutil
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from course.submission_times import SERVER
from tokenlab.storage import files

STAMP = "timestamp.txt"  # nbgrader reads the submission time from this file
STAMP_FORMAT = "%Y-%m-%d %H:%M:%S UTC"
EARLIEST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Origin:
    """Where a version came from: a line of `collected.json` in the course folder."""

    student: str  # normalized
    assignment: str
    sha256: str
    time: str
    source: str
    file: str
    uploader: str | None


@dataclass(frozen=True)
class Version:
    """A notebook and the time that counts for it."""

    sha256: str
    time: datetime | None
    content: Callable[[], bytes]
    source: str = "unknown"
    file: str = ""
    folder: Path | None = None  # in the course


@dataclass(frozen=True)
class Kept:
    """Whether the version that counts changed in the course, and whether earlier ones were added."""

    counts: bool
    earlier: bool


class Log:
    """The origins of all versions that were ever collected."""

    def __init__(self, root: Path) -> None:
        """Read the log; a damaged one counts as empty."""
        self.path = root / "collected.json"
        self.origins: dict[Origin, None] = {}
        with suppress(OSError, ValueError, TypeError):
            self.origins = {Origin(**said): None for said in json.loads(files.read_text(self.path))}
        self._written = len(self.origins)

    def add(self, origins: Iterable[Origin]) -> None:
        """Add those origins that are new."""
        self.origins.update(dict.fromkeys(origins))

    def write(self) -> None:
        """Write the log if it has new lines."""
        if len(self.origins) > self._written:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            lines = ",\n".join(json.dumps(asdict(origin)) for origin in self.origins)
            files.write_atomically(self.path, f"[\n{lines}\n]\n")
            self._written = len(self.origins)

    def of(self, student: str, assignment: str) -> list[Origin]:
        """Return the origins of the versions of one submission."""
        return [origin for origin in self.origins if (origin.student, origin.assignment) == (student, assignment)]


def stored_versions(root: Path, student: str, assignment: str, log: list[Origin]) -> list[Version]:
    """Return the versions in the course: first the one that counts, then the earlier ones."""
    earlier = root / "submitted_earlier" / student / assignment
    folders = [root / "submitted" / student / assignment, *(sorted(earlier.iterdir()) if earlier.is_dir() else ())]
    complete = (folder for folder in folders if folder.is_dir() and not folder.name.startswith("."))
    return [_stored(folder, assignment, log) for folder in complete]


def _stored(folder: Path, assignment: str, log: list[Origin]) -> Version:
    notebook = folder / f"{assignment}.ipynb"
    content = notebook.read_bytes() if notebook.is_file() else b""
    digest, time = hashlib.sha256(content).hexdigest(), _time_of(folder)
    same = [origin for origin in log if origin.sha256 == digest and time and origin.time == time.isoformat()]
    origin = next((origin for origin in same if origin.source == SERVER), same[0] if same else None)
    source, file = (origin.source, origin.file) if origin else ("unknown", "")
    return Version(digest, time, notebook.read_bytes, source, file, folder)


def in_order(versions: Iterable[Version]) -> list[list[Version]]:
    """Sort versions by time, and group those that follow each other and have the same notebook.

    The first version of a group gives its time, since nothing changed afterwards; the last group counts. If a server
    named the time of a notebook, other times for the same notebook are left out.
    """
    found = list(versions)
    official = {version.sha256 for version in found if version.source == SERVER}
    believed = [version for version in found if version.source == SERVER or version.sha256 not in official]
    # Equal times: the last file in alphabetical order counts.
    believed.sort(key=lambda version: (version.time or EARLIEST, version.file, version.sha256))
    last = {(version.sha256, version.time): place for place, version in enumerate(believed)}
    believed.sort(key=lambda version: (version.time or EARLIEST, last[version.sha256, version.time]))
    groups = [list(group) for _, group in itertools.groupby(believed, key=lambda version: version.sha256)]
    return [sorted(group, key=lambda version: version.time is None) for group in groups]  # an unknown time comes last


def keep(root: Path, student: str, assignment: str, stored: list[Version], groups: list[list[Version]]) -> Kept:
    """Store the last group in `submitted/` and the others in `submitted_earlier/`.

    Args:
        root: the course folder.
        student: the name of the student's folder.
        assignment: the name of the assignment.
        stored: the versions in the course.
        groups: all versions, as `in_order` returns them.
    """
    folder = root / "submitted" / student / assignment
    earlier = root / "submitted_earlier" / student / assignment
    known = {(version.sha256, version.time) for version in stored}
    older = [group[0] for group in groups[:-1] if (group[0].sha256, group[0].time) not in known]
    for version in older:
        _write(_free(earlier, version), assignment, version)
    newest = groups[-1][0]
    current = next((version for version in stored if version.folder == folder), None)
    if current and (current.sha256, current.time) == (newest.sha256, newest.time):
        return Kept(counts=False, earlier=bool(older))
    if current and current.sha256 == newest.sha256:  # only its time was corrected
        files.write_atomically(folder / STAMP, f"{newest.time or EARLIEST:{STAMP_FORMAT}}")
        return Kept(counts=True, earlier=bool(older))
    content = newest.content()  # first: if it cannot be read, the current version stays
    if current:
        earlier.mkdir(parents=True, exist_ok=True)
        shutil.move(folder, _free(earlier, current))
    _write(folder, assignment, replace(newest, content=lambda: content))
    return Kept(counts=True, earlier=bool(older or current))


def _free(earlier: Path, version: Version) -> Path:
    """Return the path of a folder for an earlier version that does not exist yet."""
    time = f"{version.time:%Y%m%dT%H%M%SZ}" if version.time else "unknown"
    names = (f"{time}_{version.sha256[:8]}{f'_{number}' if number else ''}" for number in itertools.count())
    return next(earlier / name for name in names if not (earlier / name).exists())


def _write(folder: Path, assignment: str, version: Version) -> None:
    """Write a version next to its folder, and rename it when it is complete."""
    part = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    (part / f"{assignment}.ipynb").write_bytes(version.content())
    if version.time:
        files.write_atomically(part / STAMP, f"{version.time:{STAMP_FORMAT}}")
    os.replace(part, folder)


def _time_of(folder: Path) -> datetime | None:
    try:
        said = (folder / STAMP).read_text(encoding="utf-8").strip()
        return datetime.strptime(said, STAMP_FORMAT).replace(tzinfo=UTC)
    except (OSError, ValueError):
        return None
