"""List the files that were handed in: those of a folder, or of a zip file with all submissions from a course server.

Adds: nothing in the folder can do harm, since links are not followed and devices, pipes and very large files are not
read. Leaves out: what the files contain.
"""

from __future__ import annotations

import os
import re
import stat
import tempfile
import unicodedata
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import BinaryIO

from tokenlab.check.bounded_zip import copy_member, has_unsafe_path, open_zip
from tokenlab.check.submission import BLANK, MANIFEST, MAX_SIZE

MAX_FILE = MAX_SIZE + 1_000_000  # a notebook that cannot be compressed, and its manifest
MAX_DIRECTORY = 8_000_000  # bytes of the directory of an archive with all submissions: about 50,000 files
# In Moodle's download of all submissions: a folder for each student, or the beginning of each file's name.
MOODLE = re.compile(r"(.+?)_(?:assignsubmission_[a-z]+|onlinetext)(?:_|$)")
NO_TIME = (1980, 1, 1, 0, 0, 0)  # what programs write into a zip file that know no time


@dataclass(frozen=True)
class ReceivedFile:
    """A file that was handed in; its name is the path below the folder, or in the archive."""

    name: str
    modified: datetime | None
    open: Callable[[], BinaryIO]  # raises ValueError or OSError with the reason why the file is not read
    refusal: str | None = None  # the reason, if it is known before the file is opened

    @property
    def uploader(self) -> str | None:
        """Return who uploaded the file: the prefix in Moodle's download, or the first folder of the path.

        >>> ReceivedFile("Lee Ann_12_assignsubmission_file_/a.zip", None, open).uploader
        'Lee Ann_12'
        >>> ReceivedFile("week 1/a.zip", None, open).uploader
        'week 1'
        """
        *folders, _ = parts = self.name.split("/")
        found = next((match[1] for part in parts if (match := MOODLE.match(part))), None)
        return found or (folders[0] if folders else None)


def shown(text: str) -> str:
    """Return a text in one line, with every character that controls, formats or is drawn as nothing as an escape.

    >>> shown("a\\u202eb\\n"), shown("Zoë 李")
    ('a\\\\u202eb\\\\n', 'Zoë 李')
    """
    visible = (c if c.isprintable() and not BLANK.match(c) else c.encode("unicode_escape").decode() for c in text)
    return "".join(visible)


@contextmanager
def received_files(source: Path) -> Iterator[list[ReceivedFile]]:
    """List the files of a folder or an archive, sorted by name; they can be opened until the context ends.

    Raises:
        ValueError, OSError, zipfile.BadZipFile: the source itself cannot be read.
    """
    if source.is_dir():
        yield sorted(_in_folder(source), key=lambda file: file.name)
        return
    with _open_regular(source) as file, open_zip(file, MAX_DIRECTORY) as archive:
        modified = _time(os.fstat(file.fileno()).st_mtime)
        if MANIFEST in archive.namelist():
            yield [ReceivedFile(source.name, modified, partial(_open_regular, source, MAX_FILE))]
        else:
            yield sorted(_in_archive(archive, modified), key=lambda file: file.name)


def _in_folder(folder: Path) -> Iterator[ReceivedFile]:
    waiting = [folder]
    while waiting:  # no recursion: the folders may be nested deeply
        here = waiting.pop()
        try:
            with os.scandir(here) as found:
                entries = sorted(found, key=lambda entry: entry.name)  # two names may be equal in NFC
        except OSError as error:
            yield _refused(_name(here, folder), f"it is a folder that cannot be listed: {error.strerror}")
            continue
        for entry in entries:
            if _hidden(entry.name):
                continue
            path = Path(entry.path)
            name = _name(path, folder)
            if entry.is_symlink():
                yield _refused(name, "it is a link, and links are not followed")
            elif entry.is_dir(follow_symlinks=False):
                waiting.append(path)
                if path.suffix in (".ipynb", ".zip"):
                    yield _refused(name, "it is a folder; the files in it are listed by their own names")
            else:
                yield ReceivedFile(name, _modified(entry), partial(_open_regular, path, MAX_FILE))


def _in_archive(archive: zipfile.ZipFile, outer: datetime | None) -> Iterator[ReceivedFile]:
    for info in archive.infolist():
        name = info.filename
        if info.is_dir() or any(map(_hidden, name.split("/"))):
            continue
        if has_unsafe_path(name):
            yield _refused(name, "its path leads out of the archive")
        elif stat.S_ISLNK(info.external_attr >> 16):
            yield _refused(name, "it is a link, and links are not followed")
        else:
            yield ReceivedFile(name, _member_time(info) or outer, partial(_open_member, archive, info))


def _refused(name: str, reason: str) -> ReceivedFile:
    def refuse() -> BinaryIO:
        raise ValueError(reason)

    return ReceivedFile(name, None, refuse, reason)


def _open_regular(path: Path, limit: int | None = None) -> BinaryIO:
    # subtle: without O_NONBLOCK, opening a pipe that nobody writes to waits for ever.
    flags = [getattr(os, name, 0) for name in ("O_RDONLY", "O_NONBLOCK", "O_BINARY", "O_NOFOLLOW" if limit else "")]
    if not stat.S_ISREG((os.stat(path, follow_symlinks=not limit)).st_mode):
        raise ValueError("it is no regular file")
    file = os.fdopen(os.open(path, sum(flags)), "rb")
    state = os.fstat(file.fileno())
    if stat.S_ISREG(state.st_mode) and (limit is None or state.st_size <= limit):
        return file
    file.close()
    raise ValueError(f"it has {state.st_size} bytes, and at most {limit} are read")


def _open_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> BinaryIO:
    file: BinaryIO = tempfile.TemporaryFile()  # type: ignore[assignment]  # noqa: SIM115 - the caller closes it
    try:
        copy_member(archive, info, file, MAX_FILE)
    except BaseException:
        file.close()
        raise
    return file


def _name(path: Path, folder: Path) -> str:
    return unicodedata.normalize("NFC", path.relative_to(folder).as_posix())


def _hidden(name: str) -> bool:
    return (name.startswith(".") and name != "..") or name == "__MACOSX"


def _modified(entry: os.DirEntry[str]) -> datetime | None:
    try:
        return _time(entry.stat(follow_symlinks=False).st_mtime)
    except OSError:
        return None


def _member_time(info: zipfile.ZipInfo) -> datetime | None:
    """Return the time in an archive's directory, which is local time, or None.

    An hour that occurs twice, when daylight saving time ends, counts as the earlier one.
    """
    if info.date_time == NO_TIME:
        return None
    try:
        # subtle: for such an hour, time.mktime returns one or the other time, depending on the calls before it.
        return datetime(*info.date_time).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _time(seconds: float) -> datetime | None:
    try:
        return datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        return None
