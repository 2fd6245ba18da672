"""Get a file, and unpack tar, tar.gz, zip and gz archives: each file atomically, and none outside the folder.

An atomic file is written under a temporary name in the same folder, and renamed when it is complete.

Adds, compared with the library: all members are checked before any is written. An archive with an absolute path, a
parent folder, a link or a device is rejected.
Leaves out: Google Drive, and the storage systems of TensorFlow's gfile.
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
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO, TextIO, TypeAlias
from urllib.parse import urlsplit
from urllib.request import url2pathname, urlopen


def temporary_path(path: str | Path) -> Path:
    """Return the path of a file while it is written; its name is hidden, so patterns for finished files do not match.

    >>> temporary_path("enzh-train-00000-of-00010").name
    '.enzh-train-00000-of-00010.incomplete'
    """
    path = Path(path)
    return path.with_name(f".{path.name}.incomplete")


@contextmanager
def atomic_file(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a binary file that appears under its name only if the block succeeds."""
    try:
        with open(temporary_path(path), "wb") as file:
            yield file
        os.replace(temporary_path(path), path)
    finally:
        temporary_path(path).unlink(missing_ok=True)


@contextmanager
def atomic_files(paths: Sequence[str | Path], replaced: Sequence[str | Path] = ()) -> Iterator[list[TextIO]]:
    """Open text files that belong together; they replace older ones only if the block succeeds.

    Args:
        paths: the files; their folders are created.
        replaced: older files to remove when the new files appear, such as those of an earlier run under other names.
    """
    try:
        with ExitStack() as opened:
            yield [opened.enter_context(_text_file(path)) for path in paths]
        # subtle: old files are removed first; otherwise an interruption could leave a mixed set that looks complete.
        for path in (*paths, *replaced):
            Path(path).unlink(missing_ok=True)
        for path in paths:
            os.replace(temporary_path(path), path)
    finally:
        for path in paths:
            temporary_path(path).unlink(missing_ok=True)


def _text_file(path: str | Path) -> TextIO:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    return open(temporary_path(path), "w", encoding="utf-8", newline="\n")


Opened: TypeAlias = Callable[[], IO[bytes] | gzip.GzipFile | None]
# The path in the archive, the kind of member if it is not a file, and a function that opens it.
Member: TypeAlias = tuple[str, str, Opened]

# zipfile raises RuntimeError for an encrypted member, or an unknown compression method.
_UNREADABLE = (
    *(tarfile.TarError, zipfile.BadZipFile, gzip.BadGzipFile),
    *(zlib.error, lzma.LZMAError, EOFError, RuntimeError),
)


def maybe_download(directory: str, filename: str, uri: str) -> str:
    """Return the path of a file in the directory, after copying it from `uri` (a path or a URL) if necessary.

    An existing file is used without comparing it with the source.

    Raises:
        FileNotFoundError: there is no file at the path `uri`.
        ValueError: the scheme of the URL is not supported.
    """
    os.makedirs(directory, exist_ok=True)
    path = os.path.join(directory, filename)
    if not os.path.exists(path):
        with _opened(uri) as source, atomic_file(path) as file:
            shutil.copyfileobj(source, file)
    return path


def _opened(uri: str) -> IO[bytes]:
    parts = urlsplit(uri)
    if parts.scheme in ("http", "https"):
        remote: IO[bytes] = urlopen(uri)
        return remote
    local = url2pathname(parts.path) if parts.scheme == "file" else uri
    if "://" in local:
        raise ValueError(f"uri={uri!r} cannot be read; give a path, or a URL that begins with http:// or https://")
    if not os.path.isfile(local):
        raise FileNotFoundError(f"there is no file {local!r} to copy; check the name, and the folder it is in")
    return open(local, "rb")


def unpack(archive: str | Path, folder: str | Path) -> list[Path]:
    """Write the files of a tar or zip archive into a folder; return their paths.

    Raises:
        FileNotFoundError: the archive does not exist.
        ValueError: it is not an archive, is damaged, or has a member that would be written outside the folder.
    """
    folder = Path(folder)
    with _readable(archive), _members(archive) as members:
        wanted = [(_inside(folder, name, kind, archive), name, opened) for name, kind, opened in members]
        return [_write(target, opened) for target, name, opened in wanted if not name.endswith("/")]


def gunzip_file(gz_path: str | Path, new_path: str | Path) -> None:
    """Unpack a gz file, unless the new file already exists.

    Raises:
        FileNotFoundError: the gz file does not exist.
        ValueError: it is not a gz file, or is damaged.
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
    except _UNREADABLE as error:
        raise ValueError(
            f"{str(path)!r} cannot be unpacked ({error or type(error).__name__}): it is damaged, or not an archive of "
            "its kind; remove it and download it again"
        ) from error


@contextmanager
def _members(archive: str | Path) -> Iterator[list[Member]]:
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as zip_file:
            yield [_zipped(zip_file, info) for info in zip_file.infolist()]
        return
    with _tar(archive) as (tar, members):
        yield [_tarred(tar, info) for info in members]


@contextmanager
def _tar(path: str | Path) -> Iterator[tuple[tarfile.TarFile, list[tarfile.TarInfo]]]:
    """Open a tar archive; a member of a size that no file has is a ReadError, as other damage is."""
    with ExitStack() as opened:
        try:
            tar = opened.enter_context(tarfile.open(path))
            members = tar.getmembers()
        except (OverflowError, ValueError, OSError) as error:
            raise tarfile.ReadError(str(error)) from error
        if any(info.size < 0 for info in members):
            raise tarfile.ReadError("a member has a negative size")
        yield tar, members


def _zipped(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Member:
    # A zip file made on Unix has the file mode in the upper 16 bits: 0o120000 is a symbolic link.
    link = info.external_attr >> 16 & 0o170000 == 0o120000
    return info.filename, "a link" if link else "", lambda: archive.open(info)


def _tarred(archive: tarfile.TarFile, info: tarfile.TarInfo) -> Member:
    plain = info.isfile() or info.isdir()
    kind = "" if plain else "a link" if info.islnk() or info.issym() else "a device"
    return info.name + "/" * info.isdir(), kind, lambda: archive.extractfile(info)


def _inside(folder: Path, name: str, kind: str, archive: str | Path) -> Path:
    """Return the path of a member in the folder; raise a ValueError if it is not safe."""
    posix, windows = PurePosixPath(name), PureWindowsPath(name)
    leads_out = ""
    if kind:
        leads_out = f"is {kind}"
    elif posix.is_absolute() or windows.drive or windows.root:
        leads_out = "is an absolute path"
    elif not windows.parts and not name.endswith("/"):
        raise ValueError(
            f"{str(archive)!r} was not unpacked: its member {name!r} is a file without a name; the archive is "
            "damaged or malformed"
        )
    elif ".." in windows.parts:  # Windows paths have both / and \ as separators
        leads_out = "leads to a parent folder"
    elif not (folder / name).resolve().is_relative_to(folder.resolve()):
        leads_out = "has a link in its path that leads outside"
    if leads_out:
        raise ValueError(
            f"{str(archive)!r} was not unpacked: its member {name!r} {leads_out}, and may write outside the folder "
            f"{str(folder)!r}; unpack it by hand if you trust it"
        )
    return folder / name


def _write(target: Path, opened: Opened) -> Path:
    source = opened()
    assert source is not None  # only files are written
    target.parent.mkdir(parents=True, exist_ok=True)
    with source, atomic_file(target) as file:
        shutil.copyfileobj(source, file)
    return target
