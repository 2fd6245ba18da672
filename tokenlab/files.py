"""Files, read strictly and written whole: an interrupted save leaves the old file as it was."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from re import Pattern
from typing import BinaryIO


def read_text(path: str | Path) -> str:
    """The text of a UTF-8 file, with its line ends as they are.

    Raises:
        FileNotFoundError, PermissionError: the file cannot be read.
        ValueError: the file is not UTF-8; the position is named.
    """
    return "".join(read_lines(path))


def read_lines(*paths: str | Path) -> Iterator[str]:
    """The lines of UTF-8 files one after another, each with its own line end, without holding a file in memory.

    Raises:
        FileNotFoundError, PermissionError: a file cannot be read.
        ValueError: a file is not UTF-8; the position is named.

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
                    where = f"byte {position + error.start} (line {number})"
                    raise ValueError(
                        f"{path} is not UTF-8: {where} is 0x{line[error.start]:02x}, which cannot stand there; "
                        "open it in an editor and save it with the encoding UTF-8"
                    ) from None
                position += len(line)


def _opened(path: str | Path) -> BinaryIO:
    try:
        return open(path, "rb")
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {str(path)!r}; check the name, and the folder it is in") from None
    except IsADirectoryError:
        raise IsADirectoryError(f"{str(path)!r} is a folder; name a file in it") from None
    except PermissionError:
        raise PermissionError(f"{str(path)!r} may not be read; check who owns it, or whether it is a folder") from None


def write_whole(path: str | Path, text: str | Iterable[str]) -> Path:
    """Write a text as UTF-8 beside its place and move it there, so that the file is either the old or the new.

    Raises:
        FileNotFoundError, PermissionError: the folder is not there, or may not be written to.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(path.parent)!r} to write {path.name!r} into; make it first")
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            file.writelines([text] if isinstance(text, str) else text)
        os.chmod(beside, path.stat().st_mode if path.exists() else 0o666 & ~_umask())
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise
    return path


def folder(path: str | Path) -> Path:
    """A folder, which is made where it is not there.

    Raises:
        NotADirectoryError: there is a file of that name.
    """
    if os.path.isfile(path):
        raise NotADirectoryError(f"save_directory={os.fspath(path)!r} is a file; name a folder")
    os.makedirs(path, exist_ok=True)
    return Path(path)


@contextmanager
def written_together(path: str | Path, instead_of: Pattern[str] | None = None) -> Iterator[Path]:
    """A folder to write files into, which come to their place together: all of them, or after an error none.

    Args:
        path: the folder where they belong; it is made where it is not there.
        instead_of: names of files that go, where they are not written anew.

    Raises:
        NotADirectoryError: there is a file of that name.
    """
    was_there = os.path.isdir(path)
    place = folder(path)
    try:
        with tempfile.TemporaryDirectory(dir=place, prefix=".saving-") as beside:
            new, old = Path(beside, "new"), Path(beside, "old")
            new.mkdir()
            old.mkdir()
            yield new
            names = sorted(file.name for file in new.iterdir())
            for name in names:
                os.chmod(new / name, 0o666 & ~_umask())  # whoever wrote it may have written it for nobody else
            going = [file.name for file in place.iterdir() if instead_of and instead_of.fullmatch(file.name)]
            _exchange(new, place, old, names, {*going, *names})
    except BaseException:
        if not was_there:
            place.rmdir()
        raise


def _exchange(new: Path, place: Path, old: Path, coming: Iterable[str], going: Iterable[str]) -> None:
    """Move files out of their place and others into it; after an error everything is where it was."""
    moves = [(place / name, old / name) for name in going if (place / name).exists()]
    moves += [(new / name, place / name) for name in coming]
    done: list[tuple[Path, Path]] = []
    try:
        for before, after in moves:
            os.replace(before, after)
            done.append((before, after))
    except BaseException:
        for before, after in reversed(done):
            os.replace(after, before)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
