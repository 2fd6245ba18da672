"""IPython extension: a cell that needs names from the cells above says so, and keeps its old output.

Adds: one sentence instead of the NameError of a cell that is run alone. Below it, the cell's stored output is shown
again, because JupyterLab removes it when the cell starts. `lab.py` has every kernel of `.venv` load the extension.
Leaves out: notebook programs that send no cell ids or run where the notebook's file is not; they show the NameError.
"""

from __future__ import annotations

import json
import os
import symtable
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display

ADVICE = "Run the cells above first: Run > Run All Above Selected Cell."


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Answer the NameErrors of cells that are run alone."""
    shell.set_custom_exc((NameError,), answer)  # type: ignore[no-untyped-call]


def answer(
    shell: InteractiveShell,
    kind: type[NameError],
    error: NameError,
    traceback: TracebackType,
    tb_offset: int | None = None,
) -> None:
    """Give the advice and show the old output if a cell above makes the name, or else show the traceback."""
    above, cell = running_cell(shell)
    if error.name not in shell.user_ns and error.name in names_made_in(above):
        show(f"This cell needs {error.name} from a cell above. {ADVICE}")
        show_again(cell["outputs"])
    else:
        shell.showtraceback((kind, error, traceback), tb_offset=tb_offset)


def running_cell(shell: Any) -> tuple[list[str], dict[str, Any]]:
    """Return the code cells above the running one, and that cell, as the notebook's file stores them.

    Jupyter's server names the file in a variable of the environment, and JupyterLab sends the id of the cell.
    """
    above: list[str] = []
    try:
        wanted = shell.get_parent()["metadata"]["cellId"]
        cells = json.loads(Path(os.environ["JPY_SESSION_NAME"]).read_text(encoding="utf-8"))["cells"]
        for cell in cells:
            if cell["id"] == wanted:
                return above, cell
            if cell["cell_type"] == "code":
                above.append(shell.transform_cell("".join(cell["source"])))
    except (AttributeError, LookupError, TypeError, OSError, ValueError):  # no cell id, or no such notebook
        pass
    return [], {}


def names_made_in(cells: Iterable[str]) -> set[str]:
    """Return the names that these cells define, assign or import.

    >>> sorted(names_made_in(["import a.b", "def f(x): y = 1", "z = f(g)", "no Python"]))
    ['a', 'f', 'z']
    """
    return {name for source in cells for name in _names_made_in(source)}


def _names_made_in(source: str) -> Iterator[str]:
    try:
        table = symtable.symtable(source, "cell", "exec")
    except SyntaxError:
        return
    for symbol in table.get_symbols():
        if symbol.is_assigned() or symbol.is_imported():
            yield symbol.get_name()


def show(sentence: str) -> None:
    """Display a sentence as a message."""
    html = f'<p role="alert" style="padding:4px 10px;border-left:4px solid #d55e00">{sentence}</p>'
    display({"text/html": html, "text/plain": sentence}, raw=True)  # type: ignore[no-untyped-call]


def show_again(outputs: list[dict[str, Any]]) -> None:
    """Display stored outputs, except errors, widgets (they have no plain text) and an earlier advice."""
    for output in outputs:
        data = {kind: _joined(value) for kind, value in output.get("data", {}).items()}
        if "text" in output:
            print(_joined(output["text"]), end="", file=getattr(sys, output["name"]))
        elif ADVICE not in data.get("text/plain", ADVICE):
            display(data, raw=True, metadata=output["metadata"])  # type: ignore[no-untyped-call]


def _joined(value: Any) -> Any:
    """Return the text that a notebook stores as lines."""
    return "".join(value) if isinstance(value, list) else value
