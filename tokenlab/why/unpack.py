"""Unpack a zip archive of a tokenizer's folder from an unknown source.

Adds: limits on the number of files and on their sizes, which are counted while they are written; no file is written
outside the folder; nothing that is unpacked is run.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from pathlib import Path, PurePosixPath

MOST_FILES = 200
LARGEST = 300_000_000  # bytes of all unpacked files
CHUNK = 1 << 20
SKIPPED = (".safetensors", ".bin", ".pt", ".pth", ".ckpt", ".h5", ".msgpack", ".gguf", ".onnx")  # weights of models


def unpack(archive: Path, folder: Path) -> Path:
    """Unpack an archive into an empty folder, and return the folder in it that contains the tokenizer.

    Weights of models and hidden files are left out. If all files of the archive are in one folder, this is returned.

    Raises:
        ValueError: the archive is damaged, encrypted or too large, or a file in it has a path outside the folder.
    """
    name = archive.name
    written = 0
    try:
        with zipfile.ZipFile(archive) as opened:
            files = [(info, _inside(name, info.filename)) for info in opened.infolist() if not info.is_dir()]
            wanted = [(info, path) for info, path in files if _is_wanted(path)]
            if len(wanted) > MOST_FILES:
                raise ValueError(
                    f"{name!r} contains {len(wanted):,} files, more than {MOST_FILES}; "
                    "zip only the folder of the tokenizer"
                )
            for info, path in wanted:
                if info.flag_bits & 1:
                    raise ValueError(f"{name!r} is encrypted; give the archive without a password")
                target = folder.joinpath(*path.parts)
                target.parent.mkdir(parents=True, exist_ok=True)
                # subtle: the sizes in an archive may be false, so the bytes are counted.
                with opened.open(info) as source, target.open("wb") as out:
                    while part := source.read(CHUNK):
                        written += len(part)
                        if written > LARGEST:
                            raise ValueError(
                                f"{name!r} unpacks to more than {LARGEST // 10**6} MB; "
                                "zip only the files of the tokenizer"
                            )
                        out.write(part)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        raise ValueError(f"{name!r} cannot be unpacked ({error}); it may be damaged: zip the folder again") from None
    if not written:
        raise ValueError(f"{name!r} contains no files; zip the folder of the tokenizer")
    return _top(folder)


def _inside(name: str, inside: str) -> PurePosixPath:
    """Return the path of a file in an archive.

    Raises:
        ValueError: it leads out of the folder.

    >>> _inside("a.zip", "x/tokenizer.json").parts
    ('x', 'tokenizer.json')
    """
    path = PurePosixPath(inside.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or re.match(r"[A-Za-z]:", inside) or "\0" in inside or not path.parts:
        raise ValueError(f"{name!r} contains {inside[:100]!r}, which leads out of the folder; zip the folder again")
    return path


def _is_wanted(path: PurePosixPath) -> bool:
    hidden = any(part.startswith(".") or part == "__MACOSX" for part in path.parts)
    return not hidden and path.suffix.lower() not in SKIPPED


def _top(folder: Path) -> Path:
    """Return the deepest folder that contains everything."""
    while len(inside := [*folder.iterdir()]) == 1 and inside[0].is_dir():
        folder = inside[0]
    return folder
