"""Read files strictly and write them atomically: an interrupted save leaves the old file unchanged."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO


def read_text(path: str | Path) -> str:
    """Return the text of a UTF-8 file with unchanged line ends.

    Raises:
        FileNotFoundError, PermissionError: the file cannot be read.
        ValueError: the file is not UTF-8; the message gives the position.
    """
    return "".join(read_lines(path))


def read_lines(*paths: str | Path) -> Iterator[str]:
    """Yield the lines of UTF-8 files with unchanged line ends, without reading a whole file into memory.

    Raises:
        FileNotFoundError, PermissionError: a file cannot be read.
        ValueError: a file is not UTF-8; the message gives the position.

    >>> next(read_lines("no such file"))
    Traceback (most recent call last):
    ...
    FileNotFoundError: there is no file 'no such file'; check the name, and the folder it is in
    """
    for path in paths:
        position = 0
        with _opened(path) as file:
            for number, line in enumerate(file, start=1):
                try:
                    yield line.decode("utf-8")
                except UnicodeDecodeError as error:
                    raise not_utf8(path, position + error.start, number, line[error.start]) from None
                position += len(line)


def not_utf8(path: str | Path, position: int, line_number: int, byte: int) -> ValueError:
    """Return the error for a file with a byte that is not UTF-8."""
    return ValueError(
        f"{path} is not UTF-8: byte {position} (line {line_number}) is 0x{byte:02x}, which is invalid there; "
        "open it in an editor and save it with the encoding UTF-8"
    )


def _opened(path: str | Path) -> BinaryIO:
    with name_the_file(path):
        return open(path, "rb")


@contextmanager
def name_the_file(path: str | Path) -> Iterator[None]:
    """Raise the errors of opening a file again, with its name and advice."""
    try:
        yield
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {str(path)!r}; check the name, and the folder it is in") from None
    except IsADirectoryError:
        raise IsADirectoryError(f"{str(path)!r} is a folder; name a file in it") from None
    except PermissionError:
        raise PermissionError(
            f"{str(path)!r} cannot be read; check its permissions, or whether it is a folder"
        ) from None


def write_atomically(path: str | Path, text: str | Iterable[str]) -> Path:
    """Write a text as UTF-8 to a temporary file in the same folder and rename it, which replaces the old file.

    Raises:
        FileNotFoundError, PermissionError: the folder does not exist, or is not writable.
        IsADirectoryError: the path is that of a folder: it ends with a slash.
    """
    return write_all_atomically({path: text})[0]


def write_all_atomically(texts: Mapping[Any, str | Iterable[str]]) -> list[Path]:
    """Write several files, given by path and text, and replace the old ones when all new ones are on the disk.

    If a replacement fails, the files that were replaced before it get their old content back. No file system replaces
    two files at once: a power failure between two renames leaves one new and one old file.

    Raises:
        FileNotFoundError, PermissionError, IsADirectoryError: as `write_atomically`.
    """
    temporaries: dict[Path, str] = {}
    replaced: dict[Path, bytes | None] = {}
    try:
        for path, text in texts.items():
            temporaries[Path(path)] = _write_temporary(path, text)
        for path, temporary in temporaries.items():
            old = path.read_bytes() if len(texts) > 1 and path.exists() else None
            os.replace(temporary, path)
            replaced[path] = old
    except BaseException:
        for path, content in replaced.items():
            _restore(path, content)
        for path in temporaries.keys() - replaced.keys():
            os.unlink(temporaries[path])
        raise
    return list(temporaries)


def _write_temporary(path: str | Path, text: str | Iterable[str]) -> str:
    """Write a text to a temporary file in the folder of a path, with the permissions of the file there; return it."""
    if str(path).endswith(("/", os.sep)):
        raise IsADirectoryError(f"{str(path)!r} is the path of a folder; add the name of a file")
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(path.parent)!r} to write {path.name!r} into; make it first")
    import tempfile  # here, because it imports much

    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            file.writelines([text] if isinstance(text, str) else text)
        os.chmod(temporary, path.stat().st_mode if path.exists() else 0o666 & ~umask())
    except BaseException:
        os.unlink(temporary)
        raise
    return temporary


def _restore(path: Path, content: bytes | None) -> None:
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)


def make_folder(path: str | os.PathLike[str]) -> Path:
    """Return the path of a folder, which is created if necessary.

    Raises:
        NotADirectoryError: there is a file with this name.
    """
    if os.path.isfile(path):
        raise NotADirectoryError(f"save_directory={os.fspath(path)!r} is a file; name a folder")
    os.makedirs(path, exist_ok=True)
    return Path(path)


def umask() -> int:
    """Return the process's umask, the permission bits that new files do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
