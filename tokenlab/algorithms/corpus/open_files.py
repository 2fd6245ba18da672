"""Find, measure and open the files of a corpus: paths, glob patterns, and URLs such as s3://bucket/*.txt.

Adds: URLs, which fsspec opens if it is installed; the same errors for a local file and a remote one.
"""

from __future__ import annotations

import glob
import io
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any, cast

from tokenlab.storage.files import name_the_file


def find_files(paths: Iterable[str | Path]) -> list[str]:
    """Return the names of the files; a pattern is replaced by the sorted names of the files that match it.

    Raises:
        FileNotFoundError: no file matches a pattern.

    >>> find_files(["no such folder/*.txt"])
    Traceback (most recent call last):
    ...
    FileNotFoundError: no file matches 'no such folder/*.txt'; check the folder and the pattern
    """
    return [name for path in paths for name in _matching(os.fspath(path))]


def _matching(path: str) -> list[str]:
    # A file may be named "draft[1].txt", so an existing file is never read as a pattern.
    if not glob.has_magic(path) or (not is_url(path) and os.path.exists(path)):
        return [path]
    if is_url(path):
        system, pattern = _fsspec().core.url_to_fs(path)
        found = [system.unstrip_protocol(name) for name in system.glob(pattern) if system.isfile(name)]
    else:
        found = [name for name in glob.glob(path, recursive=True) if os.path.isfile(name)]
    if not found:
        raise FileNotFoundError(f"no file matches {path!r}; check the folder and the pattern")
    return sorted(found)


def is_url(path: str) -> bool:
    """Whether the path is a URL, which fsspec opens.

    >>> is_url("s3://bucket/corpus.txt"), is_url("corpus.txt")
    (True, False)
    """
    return "://" in path


def size_of(path: str) -> int | None:
    """Return the number of bytes of a file, or None if it is not known, as for a pipe.

    Raises:
        FileNotFoundError, PermissionError, IsADirectoryError: the file cannot be read.
    """
    with name_the_file(path):
        if is_url(path):
            system, name = _fsspec().core.url_to_fs(path)
            return cast("int | None", system.info(name).get("size"))
        found = os.stat(path)
        if stat.S_ISDIR(found.st_mode):
            raise IsADirectoryError(path)
        return found.st_size if stat.S_ISREG(found.st_mode) else None


def open_file(path: str) -> IO[bytes]:
    """Open a file for reading bytes.

    Raises:
        FileNotFoundError, PermissionError, IsADirectoryError: the file cannot be read.
    """
    with name_the_file(path):
        if is_url(path):
            # A buffered reader, since not every file system's own file can read a line of limited length.
            return io.BufferedReader(_fsspec().open(path, "rb").open(), 1 << 20)
        return open(path, "rb")


def _fsspec() -> Any:
    try:
        import fsspec
    except ImportError:
        raise ImportError("a URL is opened with fsspec, which is not installed: pip install fsspec") from None
    return fsspec
