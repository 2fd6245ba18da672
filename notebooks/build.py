"""Builds the lessons: each `source/NN_name.py` is run and becomes `NN_name.ipynb` with its outputs.

`make notebooks` builds all; with names (`make notebooks ARGS="01_bpe_training"`) only those.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbclient import NotebookClient

from tokenlab import files

FOLDER = Path(__file__).parent
WIDGET = "application/vnd.jupyter.widget-view+json"


def lesson_of(source: Path) -> Any:
    """The notebook that a source describes, without outputs; the same source gives the same notebook."""
    notebook = jupytext.read(source)
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for number, cell in enumerate(notebook.cells):
        cell.id = f"{source.stem}-{number:02}"
    return notebook


def run(notebook: Any) -> Any:
    """Run all cells and keep what they show, less what does not outlive the kernel."""
    # Parts of a line that were printed one by one are stored as one text, so that no viewer breaks it between them.
    options = {"timeout": 120, "kernel_name": "python3", "coalesce_streams": True}
    NotebookClient(notebook, **options, resources={"metadata": {"path": FOLDER}}).execute()
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = [_lasting(output) for output in cell.outputs]
    return notebook


def _lasting(output: Any) -> Any:
    """A widget is dead without its kernel; the player beside it, which needs none, stays."""
    if "text/html" in output.get("data", {}):
        output.data.pop(WIDGET, None)
    return output


def main(names: list[str]) -> None:
    """Build the lessons of these names, or all; with one thread of PyTorch, as the tests run them."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    for source in sorted((FOLDER / "source").glob("*.py")):
        if not names or source.stem in names:
            print(f"building {source.stem} ...", flush=True)
            notebook = run(lesson_of(source))
            nbformat.validate(notebook)
            files.write_whole(FOLDER / f"{source.stem}.ipynb", nbformat.writes(notebook) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
