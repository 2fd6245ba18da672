"""IPython extension for the kernel in a browser tab: a cell that needs a library that is not there keeps its output.

Adds: one sentence and the output from JupyterLab instead of the traceback of a cell that imports a compiled library
without a version for the browser, and of the cells below that use its names. A cell that is run before those above it
gets the advice of `tokenlab.cells_above`. The outputs come with the kit (`publish/lite.py`), because a kernel in a tab
does not see the notebook's file. Leaves out: cells that the learner has changed, which show the sentence alone.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from IPython.core.interactiveshell import InteractiveShell

from tokenlab import data
from tokenlab.cells_above import ADVICE, names_made_in, show, show_again

STORED = "stored_outputs.json"  # in the data of the kit: of each lesson the sources and outputs of the code cells
# The libraries that lessons import and that a tab may not have.
LIBRARIES = {"google", "matplotlib", "numpy", "regex", "sentencepiece", "tiktoken", "tokenizers", "torch", "transformers"}


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Answer errors about libraries that are not there, and about names from the cells above."""
    lessons = json.loads((data.FOLDER / STORED).read_text(encoding="utf-8"))
    shell.set_custom_exc((ImportError, NameError), Answers(lessons))  # type: ignore[no-untyped-call]


@dataclass
class Answers:
    """Answers to errors of the cells that are run.

    Args:
        lessons: of each lesson the source and the outputs of its code cells.
    """

    lessons: list[list[tuple[str, list[dict[str, Any]]]]]
    _lacking: dict[str, str] = field(default_factory=dict)  # names that a cell could not make, with the library

    def __call__(
        self,
        shell: InteractiveShell,
        kind: type[BaseException],
        error: Any,
        traceback: TracebackType,
        tb_offset: int | None = None,
    ) -> None:
        """Show a sentence and the output from JupyterLab, or the traceback if neither a library nor a cell lacks."""
        source = shell.history_manager.input_hist_raw[-1].strip()  # type: ignore[union-attr]
        above, outputs = self._find(source)
        library = (error.name or "").partition(".")[0]
        if isinstance(error, NameError):
            library = self._lacking.get(error.name, "") if error.name not in shell.user_ns else ""
        if library in LIBRARIES:
            self._lacking |= dict.fromkeys(names_made_in([shell.transform_cell(source)]), library)
            below = " Its output from JupyterLab follows." if outputs else " It runs in JupyterLab, with make lab."
            show(f"This cell needs the library {library}, which is not available in the browser tab.{below}")
            show_again(outputs)
        elif isinstance(error, NameError) and error.name not in shell.user_ns and error.name in names_made_in(above):
            show(f"This cell needs {error.name} from a cell above. {ADVICE}")
            show_again(outputs)
        else:
            shell.showtraceback((kind, error, traceback), tb_offset=tb_offset)  # type: ignore[arg-type]

    def _find(self, source: str) -> tuple[list[str], list[dict[str, Any]]]:
        """Return the sources of the code cells above the one with this source, and its outputs."""
        for cells in self.lessons:
            sources = [cell[0] for cell in cells]
            if source in sources:
                place = sources.index(source)
                return sources[:place], cells[place][1]
        return [], []
