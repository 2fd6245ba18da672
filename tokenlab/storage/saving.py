"""Folders whose files are replaced together: after a crash at any moment, a reader finds all old files or all new ones.

A save has three phases:

1. Prepare. The files are written into a hidden folder `.saving-...` inside the destination, and synced to the disk.
2. Commit. That folder is renamed to `.saving-committed`. This is one atomic operation: before it, the destination has
   the old files; after it, `current` looks in the committed folder first, so readers find the new ones.
3. Move. Each old file is moved out and each new one into its place; then the committed folder is removed. An error
   undoes the moves and the commit. If the process is killed, the next reader or writer finishes the moves (`recover`).

An exchange of two directories (Linux: `renameat2`) would need no journal, but it replaces the folder itself. That
breaks processes whose working directory it is, mount points, and subfolders that belong to others. A program that does
not know `.saving-committed` can see old and new files mixed, but only during phase 3, or after a kill in it until
`recover`.

The prepared folder is locked (`flock`) while its process lives, so that the next save can remove those of killed
processes. Where there is no `flock` (Windows, some network drives), they are left, and two saves at the same time are
not kept apart.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from re import Pattern

from tokenlab.storage.files import make_folder, umask

PREFIX = ".saving-"
COMMITTED = ".saving-committed"
REMOVED = "removed.json"  # in the committed folder: the names of old files that have no successor


@contextmanager
def written_together(path: str | os.PathLike[str], instead_of: Pattern[str] | None = None) -> Iterator[Path]:
    """Yield a folder to write files into; they move to their destination together, or after an error not at all.

    Args:
        path: the destination; it is created if necessary. Other files in it stay as they are.
        instead_of: names of old files that are removed if no new file has the same name.

    Raises:
        NotADirectoryError: there is a file with this name.
        IsADirectoryError: the destination has a folder with the name of one of the files.
    """
    was_there = os.path.isdir(path)
    place = make_folder(path)
    try:
        with _prepared(place) as staging:
            new = staging / "new"
            yield new
            names = sorted(file.name for file in new.iterdir())
            for name in names:
                os.chmod(new / name, 0o666 & ~umask())  # the writer may have given more restrictive permissions
                _sync(new / name)
            with _locked(place):
                recover(place, locked=True)
                _commit(place, staging, names, instead_of)
    except BaseException:
        if not was_there:
            with suppress(OSError):  # another process may have written files there
                place.rmdir()
        raise


def current(path: str | Path, name: str) -> Path:
    """Return the path of a file in a saved folder: of the committed version, where its move was interrupted.

    The path need not exist.
    """
    committed = Path(path, COMMITTED)
    if (committed / "new" / name).is_file():
        return committed / "new" / name
    if name in _removed(committed):
        return committed / "new" / name  # does not exist, although the old file may
    return Path(path, name)


def recover(path: str | Path, locked: bool = False) -> None:
    """Finish a committed save that was interrupted, unless another process holds the lock or the folder is read-only.

    Args:
        path: the folder.
        locked: whether the caller holds the lock of the folder; errors are raised then.
    """
    place, committed = Path(path), Path(path, COMMITTED)
    if not committed.is_dir():
        return
    if locked:
        if (committed / REMOVED).exists():  # otherwise all moves were made, and clearing up was interrupted
            names = [file.name for file in (committed / "new").iterdir()]
            for before, after in _moves(committed, place, names, _removed(committed)):
                os.replace(before, after)
            _sync(place)
        _clear(committed)
        return
    with suppress(OSError), _locked(place, wait=False) as got:
        if got:
            recover(place, locked=True)


def _commit(place: Path, staging: Path, names: list[str], instead_of: Pattern[str] | None) -> None:
    if folders := [name for name in names if (place / name).is_dir()]:
        raise IsADirectoryError(f"{str(place / folders[0])!r} is a folder; a file of this name is to be written there")
    going = [file.name for file in place.iterdir() if instead_of and instead_of.fullmatch(file.name)]
    removed = [name for name in going if name not in names]
    (staging / REMOVED).write_text(json.dumps(removed), encoding="utf-8")
    for written in (staging / REMOVED, staging / "new", staging):
        _sync(written)
    committed = place / COMMITTED
    os.rename(staging, committed)
    moves = _moves(committed, place, names, removed)
    try:
        _sync(place)
        for before, after in moves:
            os.replace(before, after)
        _sync(place)
    except BaseException:
        # If undoing fails as well, the save stays committed, and `recover` finishes it.
        for before, after in reversed(moves):
            if os.path.lexists(after) and not os.path.lexists(before):
                os.replace(after, before)
        os.rename(committed, staging)
        raise
    _clear(committed)


def _moves(committed: Path, place: Path, names: Iterable[str], removed: Iterable[str]) -> list[tuple[Path, Path]]:
    """Return the renames that replace the old files: first all old ones out, then all new ones in.

    At any moment each new file is either in `new` or in its place. So after an interruption, a file in its place is
    an old one if its successor is still in `new`.
    """
    new, old = committed / "new", committed / "old"
    out = [(place / name, old / name) for name in sorted({*names, *removed}) if os.path.lexists(place / name)]
    return [*out, *((new / name, place / name) for name in sorted(names))]


def _removed(committed: Path) -> list[str]:
    try:
        names: list[str] = json.loads((committed / REMOVED).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    return names


def _clear(committed: Path) -> None:
    """Remove a committed folder, whose new files are all in their place."""
    (committed / REMOVED).unlink(missing_ok=True)  # from here on, readers and `recover` ignore the folder
    shutil.rmtree(committed, ignore_errors=True)


@contextmanager
def _prepared(place: Path) -> Iterator[Path]:
    """Yield a new hidden folder, locked while this process lives; remove those of dead processes."""
    with _locked(place):
        for path in place.glob(f"{PREFIX}*"):
            if path.name != COMMITTED and path.is_dir() and not path.is_symlink():
                with suppress(OSError), _locked(path, wait=False) as got:
                    if got:
                        shutil.rmtree(path, ignore_errors=True)
        staging = Path(tempfile.mkdtemp(dir=place, prefix=PREFIX))
        lock = _locked(staging)
        lock.__enter__()
    try:
        os.chmod(staging, 0o777 & ~umask())  # readers of the destination may also read this folder
        (staging / "new").mkdir()
        (staging / "old").mkdir()
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        lock.__exit__(None, None, None)


@contextmanager
def _locked(path: Path, wait: bool = True) -> Iterator[bool]:
    """Hold the lock of a folder, which ends with the process at the latest; yield whether it is held."""
    try:
        import fcntl
    except ImportError:
        yield False
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            held = True
        except OSError:  # another process holds it, or the file system has no locks
            held = False
        yield held
    finally:
        os.close(handle)


def _sync(path: Path) -> None:
    """Write a file or a folder through to the disk, so that the order of operations survives a power failure."""
    with suppress(OSError):  # a folder cannot be opened on Windows
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
