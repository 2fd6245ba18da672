"""Unpacking what was downloaded: tar, tar.gz, zip and gz, each file whole or not there, and none outside its folder.

Adds, beside the library: an archive is looked through before anything is written, and one is refused that names an
absolute path, a parent folder, a link or a device.
Source: tensor2tensor/data_generators/generator_utils.py and translate.py, which call `extractall`.
"""

from __future__ import annotations

import gzip
import lzma
import os
import shutil
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO, TypeAlias

from tokenlab.tensor2tensor.whole import whole_file

Opened: TypeAlias = Callable[[], IO[bytes] | gzip.GzipFile | None]
Member: TypeAlias = tuple[str, str, Opened]  # the path in the archive, what it is, and how to read it

# RuntimeError: what zipfile raises where a password or another method is needed.
_TORN = (
    *(tarfile.TarError, zipfile.BadZipFile, gzip.BadGzipFile),
    *(zlib.error, lzma.LZMAError, EOFError, RuntimeError),
)


def unpack(archive: str | Path, folder: str | Path) -> list[Path]:
    """Write the files of a tar or zip archive into a folder; the paths that were written.

    Raises:
        FileNotFoundError: there is no such archive.
        ValueError: it is no archive, is torn, or has a member that would lead outside the folder.
    """
    folder = Path(folder)
    with _readable(archive), _members(archive) as members:
        wanted = [(_inside(folder, name, kind, archive), name, opened) for name, kind, opened in members]
        return [_write(target, opened) for target, name, opened in wanted if not name.endswith("/")]


def gunzip_file(gz_path: str | Path, new_path: str | Path) -> None:
    """Unpack a gz file, unless the new file is there already.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no gz file, or is torn.
    """
    if not os.path.exists(new_path):
        with _readable(gz_path):
            _write(Path(new_path), lambda: gzip.GzipFile(gz_path))


@contextmanager
def _readable(path: str | Path) -> Iterator[None]:
    if not os.path.isfile(path):
        raise FileNotFoundError(f"there is no file {str(path)!r} to unpack; put it there, or check its name")
    try:
        yield
    except _TORN as error:
        raise ValueError(
            f"{str(path)!r} cannot be unpacked ({error or type(error).__name__}): it is torn, or no archive of its "
            "kind; remove it and fetch it again"
        ) from error


@contextmanager
def _members(archive: str | Path) -> Iterator[list[Member]]:
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as zip_file:
            yield [_zipped(zip_file, info) for info in zip_file.infolist()]
    else:
        with tarfile.open(archive) as tar:
            yield [_tarred(tar, info) for info in tar.getmembers()]


def _zipped(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Member:
    # A zip made on Unix keeps the mode in the upper half: 0o120000 is a symbolic link.
    link = info.external_attr >> 16 & 0o170000 == 0o120000
    return info.filename, "a link" if link else "", lambda: archive.open(info)


def _tarred(archive: tarfile.TarFile, info: tarfile.TarInfo) -> Member:
    plain = info.isfile() or info.isdir()
    kind = "" if plain else "a link" if info.islnk() or info.issym() else "a device"
    return info.name + "/" * info.isdir(), kind, lambda: archive.extractfile(info)


def _inside(folder: Path, name: str, kind: str, archive: str | Path) -> Path:
    """Where a member goes, once nothing speaks against it."""
    posix, windows = PurePosixPath(name), PureWindowsPath(name)
    leads_out = ""
    if kind:
        leads_out = f"is {kind}"
    elif posix.is_absolute() or windows.drive or windows.root:
        leads_out = "is an absolute path"
    elif ".." in windows.parts:  # its parts are cut at / and at \
        leads_out = "leads to a parent folder"
    elif not (folder / name).resolve().is_relative_to(folder.resolve()):
        leads_out = "lies behind a link that leads outside"
    if leads_out:
        raise ValueError(
            f"{str(archive)!r} was not unpacked: its member {name!r} {leads_out}, and may write outside the folder "
            f"{str(folder)!r}; unpack it by hand if you trust it"
        )
    return folder / name


def _write(target: Path, opened: Opened) -> Path:
    source = opened()
    assert source is not None  # files alone are written
    target.parent.mkdir(parents=True, exist_ok=True)
    with source, whole_file(target) as file:
        shutil.copyfileobj(source, file)
    return target
