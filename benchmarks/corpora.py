"""Text from the Python installation, so that measurements are repeatable: documentation as prose, library as code."""

from __future__ import annotations

import ast
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path


def write_corpora(folder: Path, megabytes: Iterable[float]) -> None:
    for name, texts in ("prose", prose()), ("code", code()):
        whole = "\n".join(texts).encode(errors="replace")
        for size in megabytes:
            length = int(size * 1e6)
            # Python's text is repeated if it is too short.
            repeated = whole * (length // len(whole) + 1)
            (folder / f"{name} {size:g} MB").write_bytes(repeated[:length].decode(errors="ignore").encode())


def prose() -> Iterator[str]:
    from pydoc_data.topics import topics

    yield from topics.values()
    for source in code():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                yield ast.get_docstring(node) or ""


def code() -> Iterator[str]:
    folder = Path(sysconfig.get_path("stdlib"))
    for path in sorted(folder.rglob("*.py")):
        # Not every installation has the tests; lib2to3's examples are not valid Python.
        if not {"site-packages", "dist-packages", "test", "tests", "lib2to3"}.intersection(path.parts):
            yield path.read_text(encoding="utf-8", errors="replace")


def has_long_words(corpus: Path) -> bool:
    """Whether a text is Japanese or similar: 3 bytes per character and few spaces, so words of about 100 bytes."""
    # subtle: read by line, because a child process starts with the peak memory of its parent.
    with corpus.open(encoding="utf-8") as lines:
        return corpus.stat().st_size > 2 * sum(map(len, lines))
