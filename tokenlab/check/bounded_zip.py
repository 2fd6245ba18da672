"""Read members of a zip file from an unknown source with bounded memory.

Adds: limits for the directory of the archive and for each member, which is counted while it is decompressed. Leaves
out: extraction to the disk, and passwords. Source: PKWARE's APPNOTE.TXT 6.3, 4.4.4 (flags) and 4.4.5 (methods).
"""

from __future__ import annotations

import io
import os
import zipfile
from typing import Any, BinaryIO

CHUNK = 1 << 16
ENCRYPTED = 0x1  # APPNOTE.TXT 4.4.4, bit 0
# subtle: zipfile limits the output of one call for these two only; 45 bytes of bzip2 can become 900,000.
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class BoundedReads:
    """A binary file from which a single call reads at most `limit` bytes.

    `zipfile` reads the whole directory of an archive in one call, before anything about its members can be checked.

    >>> BoundedReads(io.BytesIO(b"abc"), limit=3).read()
    b'abc'
    >>> BoundedReads(io.BytesIO(b"abcd"), limit=3).read()
    Traceback (most recent call last):
    ...
    ValueError: its directory has more than 3 bytes
    """

    def __init__(self, file: BinaryIO, limit: int) -> None:
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable
        self._file, self._limit = file, limit

    def read(self, size: int | None = -1) -> bytes:
        """Read up to `size` bytes, by default all that are left.

        Raises:
            ValueError: there are more than the limit.
        """
        wanted = self._limit + 1 if size is None or size < 0 else size
        data = self._file.read(wanted) if wanted <= self._limit + 1 else None
        if data is None or len(data) > self._limit:
            raise ValueError(f"its directory has more than {self._limit} bytes")
        return data


def open_zip(file: BinaryIO, directory_limit: int) -> zipfile.ZipFile:
    """Open an archive whose directory has at most `directory_limit` bytes.

    Raises:
        ValueError: the directory is larger.
        zipfile.BadZipFile: the file is no zip file.
    """
    bounded: Any = BoundedReads(file, max(directory_limit, 2 * CHUNK))
    return zipfile.ZipFile(bounded)


def has_unsafe_path(name: str) -> bool:
    """Whether the name of a member is absolute, or leads out of the folder of the archive.

    >>> [has_unsafe_path(name) for name in ("a/b", "/etc/passwd", "a/../b", "C:\\\\x", "a..b")]
    [False, True, True, True, False]
    """
    parts = name.replace("\\", "/").split("/")
    return not parts[0] or ".." in parts or parts[0].endswith(":") or "\0" in name


def read_member(archive: zipfile.ZipFile, name: str, limit: int) -> bytes:
    """Return the content of the only member with this name.

    Raises:
        ValueError: there is no such member, or several; or see `copy_member`.
    """
    found = [info for info in archive.infolist() if info.filename == name]
    if len(found) != 1:
        raise ValueError(f"it has {f'{len(found)} members' if found else 'no member'} with the name {name!r:.80}")
    memory = io.BytesIO()
    copy_member(archive, found[0], memory, limit)
    return memory.getvalue()


def copy_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, target: BinaryIO, limit: int) -> None:
    """Decompress a member into a file in small parts, and set the file back to its start.

    Raises:
        ValueError: the member is encrypted, compressed by an unexpected method, or larger than `limit` bytes.
    """
    if info.flag_bits & ENCRYPTED:
        raise ValueError(f"{info.filename!r:.80} is encrypted")
    if info.compress_type not in METHODS:
        raise ValueError(f"{info.filename!r:.80} is compressed by method {info.compress_type}; only 0 and 8 are read")
    if info.file_size > limit:
        raise ValueError(f"{info.filename!r:.80} is too large: {info.file_size} bytes, and at most {limit} are read")
    with archive.open(info) as member:
        size = 0
        while part := member.read(CHUNK):
            size += len(part)
            if size > limit:  # the directory said less
                raise ValueError(f"{info.filename!r:.80} is too large: at most {limit} bytes are read")
            target.write(part)
    target.seek(0, os.SEEK_SET)
