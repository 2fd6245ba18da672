"""Write what students get: `make student-kit` creates build/tokenlab-student-kit.zip. Another file: ARGS="file".

The archive has the lessons, the package and their data, with `docs/students.md` as its README. It has no source of an
assignment, no test, no program of the made-up classes and no page for instructors, and no history.
"""

from __future__ import annotations

import io
import os
import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import nbformat

from course.build import SOURCES, notebook_of, readable

ROOT = Path(__file__).parents[1]
KIT = ROOT / "build" / "tokenlab-student-kit.zip"
FOLDER = "tokenlab-student-kit"  # that the archive unpacks into
INCLUDED = (
    "tokenlab/**/*",
    "data/**/*",
    "notebooks/*.ipynb",
    "docs/glossary.md",
    *("LICENSE", "Makefile", "lab.py", "pyproject.toml", "setup.py", "constraints.txt"),
)
PROGRAMS = Path(__file__).parent / "programs"
RUN = 3  # consecutive lines that are no coincidence, if none of them begins in one of these ways
COMMON = ("import", "from", "def", "return", '"""', "@", "#", ")", "]", "}", "else")
STUDENTS_COMMENT = b"# make lab opens the lessons, make lab-small those without PyTorch (on Windows: py lab.py)."
LEFT_OUT = ("__pycache__", ".ipynb_checkpoints")


def members() -> Iterator[tuple[str, bytes]]:
    """Yield the path of each file in the archive, and its content."""
    yield "README.md", (ROOT / "docs/students.md").read_bytes()
    for path in sorted({path for pattern in INCLUDED for path in ROOT.glob(pattern)}):
        if path.is_file() and not any(part in LEFT_OUT for part in path.parts):
            content = path.read_bytes()
            if path.name == "Makefile":  # its first line names commands that the students' kit refuses
                content = STUDENTS_COMMENT + content[content.index(b"\n") :]
            yield path.relative_to(ROOT).as_posix(), content


def secrets() -> set[tuple[str, ...]]:
    """Return all runs of lines of the solutions, hidden tests and programs of the made-up classes."""
    found = set[tuple[str, ...]]()
    for source in SOURCES.glob("*.py"):
        for cell in notebook_of(source).cells:
            for part in re.findall(r"### BEGIN .*\n([\s\S]*?)### END ", cell.source):
                found |= runs(part)
        found |= runs((PROGRAMS / source.name).read_text(encoding="utf-8"))
    return {run for run in found if not any(line.startswith(COMMON) for line in run)}


def runs(text: str) -> set[tuple[str, ...]]:
    """Return all runs of consecutive lines, without indentation and empty lines; single lines may occur anywhere.

    >>> runs("a = 1\\n\\n  b = 2\\nc = 3\\n")
    {('a = 1', 'b = 2', 'c = 3')}
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return {tuple(lines[start : start + RUN]) for start in range(len(lines) - RUN + 1)}


def leaks(name: str, content: bytes, secret: set[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return the runs of lines of a file that should be hidden."""
    text = content.decode("utf-8", "replace")
    if name.endswith(".ipynb"):
        text = "\n".join(cell.source for cell in nbformat.reads(text, as_version=4).cells)
    return sorted(runs(text) & secret)


def write(path: Path) -> None:
    """Write the archive; the same files give the same archive.

    Raises:
        ValueError: a file contains a line that should be hidden.
    """
    memory, secret = io.BytesIO(), secrets()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members():
            if found := leaks(name, content, secret):
                raise ValueError(f"{name} has what should be hidden: {found[0]}")
            archive.writestr(readable(f"{FOLDER}/{name}"), content, zipfile.ZIP_DEFLATED)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(memory.getvalue())
    os.replace(part, path)


def main(arguments: list[str]) -> int:
    """Write the archive; return 1 if that fails."""
    path = Path(arguments[0]) if arguments else KIT
    try:
        write(path)
    except ValueError as error:
        print(f"Not written: {error}")
        return 1
    print(f"To hand out: {path} ({path.stat().st_size / 1e6:.1f} MB)")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
