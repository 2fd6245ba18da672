"""Build the lessons: run each `source/NN_name.py` and store it as `NN_name.ipynb` with its outputs.

`make notebooks` builds all; with names (`make notebooks ARGS="01_bpe_training"`) only those.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbclient import NotebookClient

from tokenlab.show.explorers.explorer import WIDGET
from tokenlab.storage import files

FOLDER = Path(__file__).parents[1] / "notebooks"
SPACED = '<details style="margin-bottom:1em">'


def lesson_of(source: Path) -> Any:
    """Return the notebook of a source, without outputs; the same source gives the same notebook."""
    notebook = jupytext.read(source)
    notebook.metadata = {  # as JupyterLab stores it, but without Python's version
        "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for number, cell in enumerate(notebook.cells):
        cell.id = f"{source.stem}-{number:02}"
        if cell.cell_type == "markdown":
            cell.source = for_jupyterlab(cell.source)
    return notebook


def for_jupyterlab(markdown: str) -> str:
    """Make names of lessons links, and leave space after a folded text; `publish.lessons.stored` reverts both."""
    linked = re.sub(r"(?<![\[`])`((?:\d\d|capstone)_\w+)`", r"[\1](\1.ipynb)", markdown)
    return re.sub(r"(?s)<details>((?:(?!<details>).)*</details>\n\n(?![#<]))", rf"{SPACED}\1", linked)


def run(notebook: Any) -> Any:
    """Run all cells and keep their outputs, except widgets, which need a kernel."""
    # Join text printed in several parts, so that no viewer breaks the line between them.
    options = {"timeout": 120, "kernel_name": "python3", "coalesce_streams": True}
    NotebookClient(notebook, **options, resources={"metadata": {"path": FOLDER}}).execute()
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if WIDGET not in output.get("data", {})]
    return notebook


def main(names: list[str]) -> None:
    """Build the named lessons, or all, with one PyTorch thread, as in the tests."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    for source in sorted((FOLDER / "source").glob("*.py")):
        if not names or source.stem in names:
            print(f"building {source.stem} ...", flush=True)
            notebook = run(lesson_of(source))
            nbformat.validate(notebook)
            files.write_atomically(FOLDER / f"{source.stem}.ipynb", nbformat.writes(notebook) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
