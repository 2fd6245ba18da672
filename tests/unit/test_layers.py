"""Who may import whom: downwards only, and the kit without its mirrors of libraries runs its first lessons."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOUNDATIONS = {"__init__", "steps", "printing", "storage", "data", "cells_above", "cells_in_browser"}
LAYERS = [  # each imports itself and what stands before it
    FOUNDATIONS,
    {"algorithms"},
    {"misconceptions", "libraries"},
    {"laboratory", "traces"},
    {"minimal", "show"},
    {"check", "why"},
    {"__main__"},
    {"publish"},
    {"course"},
]
SHOWN = "tokenlab/steps/recording.py"  # a recording shows itself in JupyterLab: it imports its player when asked to
PAGES_OF = {"check", "minimal"}  # what may import a page


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """Yield the part of the kit that each import of a file is about, and whether it is at the top of the file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{one.name}" for one in node.names]
        elif isinstance(node, ast.Import):
            names = [one.name for one in node.names]
        for name in names:
            top, _, rest = name.partition(".")
            if top in ("course", "publish"):
                yield top, node in tree.body
            elif top == "tokenlab":
                part = rest.partition(".")[0] or "__init__"
                yield (
                    {"Recording": "steps", "step": "steps", "Stepwise": "steps", "stepwise": "steps"}.get(part, part),
                    node in tree.body,
                )


def layer(part: str) -> int:
    """Return the number of the layer of a part of the kit; an unknown part is an error."""
    return next(number for number, parts in enumerate(LAYERS) if part in parts)


FILES = sorted(path for folder in ("tokenlab", "course", "publish") for path in (ROOT / folder).rglob("*.py"))


def test_imports_point_downwards() -> None:
    upwards = set()
    for path in FILES:
        name = path.relative_to(ROOT).as_posix()
        me = path.relative_to(ROOT).with_suffix("").parts[1 if name.startswith("tokenlab") else 0]
        for part, _ in imports(path):
            allowed = part == me or layer(part) < layer(me) or {part, me} <= FOUNDATIONS
            if part == "minimal":
                allowed = me in PAGES_OF
            if not allowed and (name, part) != (SHOWN, "show"):
                upwards.add((name, part))
    assert upwards == set()


def test_a_page_imports_nothing_of_the_kit_but_in_its_script() -> None:
    for path in (ROOT / "tokenlab/minimal").glob("*.py"):
        assert not [part for part, at_top in imports(path) if at_top], path


def test_the_test_finds_an_import_upwards(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(
        "import os\nfrom tokenlab import step\ndef f():\n    from tokenlab.show import play\n", encoding="utf-8"
    )
    assert list(imports(file)) == [("steps", True), ("show", False)]
    assert layer("show") > layer("algorithms") > layer("steps")


# Runs the cells of a lesson without the libraries, and prints the numbers of the cells that fail.
WITHOUT_LIBRARIES = """
import contextlib, io, json, sys
import jupytext
from IPython.core.interactiveshell import InteractiveShell

class NoLibraries:
    def find_spec(self, name, path, target=None):
        if name.partition(".libraries")[:2] == ("tokenlab", ".libraries"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, NoLibraries())
shell, failed, missing = InteractiveShell.instance(), [], set()
for number, cell in enumerate(jupytext.read(sys.argv[1]).cells):
    if cell.cell_type == "code":
        with contextlib.redirect_stdout(io.StringIO()):
            error = shell.run_cell(cell.source).error_in_exec
        if error is not None:
            failed.append([number, type(error).__name__, str(error), cell.source])
print(json.dumps(failed))
"""


@pytest.mark.slow
@pytest.mark.cases(1)
@pytest.mark.parametrize("lesson", ["00", "01", "02", "03", "05", "06", "07"])
def test_without_the_libraries_a_lesson_runs_but_for_the_cells_that_use_one(lesson: str) -> None:
    (source,) = (ROOT / "notebooks/source").glob(f"{lesson}_*.py")
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT_LIBRARIES, str(source)],
        capture_output=True,
        encoding="utf-8",
        cwd=source.parents[1],
    )
    failed = json.loads(run.stdout.splitlines()[-1])
    assert len(failed) <= 4, failed
    made = ""  # by cells that failed, so that cells which use it fail as well
    for _, kind, message, cell in failed:
        if kind == "ModuleNotFoundError" and "from tokenlab.libraries" in cell:
            made += cell
        else:
            assert kind == "NameError" and message.split("'")[1] in made, (message, cell)
