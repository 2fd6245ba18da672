"""IPython extension for the kernel in a browser tab: a cell that needs a library that is not there keeps its output.

Adds: one sentence and the output from JupyterLab instead of the traceback of a cell that imports a compiled library
without a version for the browser, and of the cells below that use its names. A cell that is run before those above it
gets the advice of `tokenlab.cells_above`. The outputs come with the kit (`publish/lite.py`), because a kernel in a tab
does not see the notebook's file. Leaves out: cells that the learner has changed, which show the sentence alone.
"""

from __future__ import annotations

import ast
import json
import sys
from dataclasses import dataclass, field
from typing import Any

from IPython.core.interactiveshell import InteractiveShell

from tokenlab import data
from tokenlab.cells_above import ADVICE, names_made_in, show, show_again

STORED = "stored_outputs.json"  # in the data of the kit: of each lesson the sources and outputs of the code cells
# The libraries that lessons import and that a tab may not have.
LIBRARIES = {
    "google",
    "matplotlib",
    "numpy",
    "regex",
    "sentencepiece",
    "tiktoken",
    "tokenizers",
    "torch",
    "transformers",
}


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Answer errors of cells that need a library that is not there, or names from the cells above."""
    lessons = json.loads((data.FOLDER / STORED).read_text(encoding="utf-8"))
    answers, traceback = Answers(shell, lessons), shell.showtraceback

    # subtle: not `set_custom_exc`, which does not see the errors of a result that cannot be displayed.
    def show_answer(exc_tuple: Any = None, *options: Any, **more: Any) -> None:
        if not answers.answer((exc_tuple or sys.exc_info())[1]):
            traceback(exc_tuple, *options, **more)

    shell.showtraceback = show_answer  # type: ignore[method-assign]


@dataclass
class Answers:
    """Answers to the errors of cells.

    Args:
        shell: IPython's shell, in which they are run.
        lessons: of each lesson the source and the outputs of its code cells.
    """

    shell: Any
    lessons: list[list[tuple[str, list[dict[str, Any]]]]]
    # Names that a cell could not make: the library that it needs, and the value that the name had before.
    _lacking: dict[str, tuple[str, Any]] = field(default_factory=dict)

    def answer(self, error: Any) -> bool:
        """Show a sentence and the output from JupyterLab if a library or a cell above lacks; else return False."""
        source = self.shell.history_manager.input_hist_raw[-1].strip()
        code, names = self.shell.transform_cell(source), self.shell.user_ns
        above, outputs = self._find(source)
        if library := missing_library(error) or self._library_above(code, names):
            for name in names_made_in([code]):
                self._lacking[name] = library, names.get(name)
            below = " Its output from JupyterLab follows." if outputs else " It runs in JupyterLab, with make lab."
            show(f"This cell needs the library {library}, which is not available in the browser tab.{below}")
        elif isinstance(error, NameError) and error.name not in names and error.name in names_made_in(above):
            show(f"This cell needs {error.name} from a cell above. {ADVICE}")
        else:
            return False
        show_again(outputs)
        return True

    def _find(self, source: str) -> tuple[list[str], list[dict[str, Any]]]:
        """Return the sources of the code cells above the one with this source, and its outputs."""
        for cells in self.lessons:
            sources = [cell[0] for cell in cells]
            if source in sources:
                place = sources.index(source)
                return sources[:place], cells[place][1]
        return [], []

    def _library_above(self, code: str, names: dict[str, Any]) -> str:
        """Return the library that a cell above needed to make a name of this cell, or ""."""
        for name in names_used_in(code) & self._lacking.keys():
            library, before = self._lacking[name]
            if names.get(name) is before:  # no other cell has made it since
                return library
        return ""


def missing_library(error: BaseException | None) -> str:
    """Return the library whose import failed, for the error itself or for what caused it, or "".

    >>> missing_library(ModuleNotFoundError("no", name="tokenizers.models")), missing_library(ValueError())
    ('tokenizers', '')
    """
    while error:
        library = (error.name or "").partition(".")[0] if isinstance(error, ImportError) else ""
        if library in LIBRARIES:
            return library
        error = error.__cause__
    return ""


def names_used_in(code: str) -> set[str]:
    """Return the names that the code of a cell reads.

    >>> sorted(names_used_in("a = b + f(lambda x: c)")), names_used_in("no Python")
    (['b', 'c', 'f'], set())
    """
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return set()
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
