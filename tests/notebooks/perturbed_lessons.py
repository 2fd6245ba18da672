"""Run a notebook with noise in all matrix products, and list the places whose text differs from the stored output."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from publish.build import FOLDER, run

NOISE = (
    "import sys; sys.path.insert(0, {root!r})\nfrom tests.perturbation import perturbed\nperturbed({seed}).__enter__()"
)
TOKEN = re.compile(r"[−+-]?\d[\d.,]*(?:e[+-]?\d+)?%?|\w+|\s+|.")


def changed_places(stored: Any, noisy: Any) -> list[str]:
    """Return a line for each text of a notebook's outputs that the noise changes."""
    cells = zip(code_cells(stored), code_cells(noisy), strict=True)
    return [
        f"cell {number}: {change}"
        for number, (before, after) in enumerate(cells)
        if "nbval-ignore-output" not in before.metadata.get("tags", [])
        for change in changes(*("\n".join(texts(cell)) for cell in (before, after)))
    ]


def run_with_noise(notebook: Any, seed: int) -> Any:
    """Run a notebook in a kernel that multiplies matrices with noise from its start."""
    return run_after(NOISE.format(root=str(FOLDER.parent), seed=seed), notebook)


def run_after(code: str, notebook: Any) -> Any:
    """Run a notebook in a kernel that has run some code before."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        startup = Path(folder, "profile_default", "startup", "code.py")
        startup.parent.mkdir(parents=True)
        startup.write_text(code, encoding="utf-8")
        patch.setenv("IPYTHONDIR", folder)
        return run(notebook)


def code_cells(notebook: Any) -> list[Any]:
    """Return the code cells of a notebook."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def texts(cell: Any) -> Iterator[str]:
    """Iterate over all that a cell shows, as text."""
    for output in cell.outputs:
        if output.output_type == "stream":
            yield output.text
        for kind, shown in sorted(output.get("data", {}).items()):
            if kind == "image/png":
                yield f"{kind} with the checksum {crc32(shown.encode())}"
            elif isinstance(shown, str):
                yield shown


def changes(before: str, after: str) -> list[str]:
    """Return the differences of two texts with their surroundings.

    >>> changes("the score is -23.76", "the score is -23.75")
    ["'the score is -23.76' became '-23.75'"]
    """
    old, new = TOKEN.findall(before), TOKEN.findall(after)
    if len(old) != len(new):
        first = next(
            (i for i, (one, two) in enumerate(zip(old, new, strict=False)) if one != two), min(len(old), len(new))
        )
        return [f"{context(old, first)!r} became {context(new, first)!r} (and the rest differs)"]
    return [
        f"{context(old, place)!r} became {two!r}"
        for place, (one, two) in enumerate(zip(old, new, strict=True))
        if one != two
    ]


def context(tokens: list[str], place: int) -> str:
    """Return a token with what surrounds it."""
    return "".join(tokens[max(0, place - 14) : place + 6])[-70:]
