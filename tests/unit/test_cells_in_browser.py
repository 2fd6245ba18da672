"""In a browser tab, a cell that needs a missing library shows a sentence and its output from JupyterLab."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from tokenlab import cells_in_browser, data
from tokenlab.cells_above import ADVICE

FROM_TOKENIZERS = "from tokenizers import Missing\ntheirs = Missing()"
STORED = [
    [["a = 1", []], [FROM_TOKENIZERS, ["their output"]], ["(lambda: theirs.x)()", ["another"]], ["1 / 0", []]],
    [["b = 2", []], ["b + 1", ["3"]]],
]


class Tab:
    """A shell with the extension, and what it answered to the last cell."""

    def __init__(self) -> None:
        self.shell = InteractiveShell()
        self.said: list[Any] = []
        self.shell.showtraceback = lambda *_, **__: self.said.append("traceback")
        cells_in_browser.load_ipython_extension(self.shell)

    def run(self, source: str) -> list[Any]:
        self.said.clear()
        self.shell.run_cell(source, store_history=True)
        return [*self.said]


@pytest.fixture
def tab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tab:
    (tmp_path / cells_in_browser.STORED).write_text(json.dumps(STORED), encoding="utf-8")
    monkeypatch.setattr(data, "FOLDER", tmp_path)
    made = Tab()
    monkeypatch.setattr(cells_in_browser, "show", made.said.append)
    monkeypatch.setattr(cells_in_browser, "show_again", made.said.extend)
    # What is not installed in the tab is installed here.
    monkeypatch.setitem(__import__("sys").modules, "tokenizers", None)
    return made


def needs(library: str, stored: bool = True) -> str:
    below = "Its output from JupyterLab follows." if stored else "It runs in JupyterLab, with make lab."
    return f"This cell needs the library {library}, which is not available in the browser tab. {below}"


def test_a_cell_without_its_library_and_those_below_keep_their_outputs(tab: Tab) -> None:
    assert tab.run(FROM_TOKENIZERS + "\n") == [needs("tokenizers"), "their output"]
    assert tab.run("(lambda: theirs.x)()") == [needs("tokenizers"), "another"]


def test_a_changed_cell_has_only_the_sentence(tab: Tab) -> None:
    assert tab.run("import tokenizers.models as mine") == [needs("tokenizers", stored=False)]
    assert tab.run("mine.BPE") == [needs("tokenizers", stored=False)]


def test_an_old_value_of_a_name_that_the_cell_could_not_make_is_not_used(tab: Tab) -> None:
    tab.run("theirs = len")
    tab.run(FROM_TOKENIZERS)
    assert tab.run("(lambda: theirs.x)()") == [needs("tokenizers"), "another"]


def test_a_name_that_another_cell_made_since_is_there(tab: Tab) -> None:
    tab.run(FROM_TOKENIZERS)
    tab.run("theirs = 1")
    assert tab.run("(lambda: theirs.x)()") == ["traceback"]


def test_a_cell_that_is_run_alone_gets_the_advice(tab: Tab) -> None:
    assert tab.run("b + 1") == [f"This cell needs b from a cell above. {ADVICE}", "3"]


def test_a_learners_own_errors_are_shown(tab: Tab) -> None:
    assert tab.run("1 / 0") == ["traceback"]
    assert tab.run("unknown") == ["traceback"]
    assert tab.run("import no_such_module") == ["traceback"]


def test_a_result_that_cannot_be_displayed_without_the_library_is_answered_as_well(
    tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("IPython.core.formatters.get_ipython", lambda: tab.shell)
    tab.shell.run_cell("class Player:\n    def _repr_html_(self):\n        import tokenizers")
    assert tab.run("Player()") == [needs("tokenizers", stored=False)]


def test_the_cause_of_an_import_error_names_the_library(tab: Tab) -> None:
    wrapped = (
        "try:\n    import tokenizers\nexcept ImportError as error:\n    raise ImportError('install it') from error"
    )
    assert tab.run(wrapped) == [needs("tokenizers", stored=False)]
