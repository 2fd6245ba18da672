"""The table of views: each of its names can be imported, and no view is missing from it."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

from tokenlab.show import views
from tokenlab.show.frames import registry
from tokenlab.show.views.elements.step_list_view import step_list_view

FOLDER = Path(views.__file__).parent


@pytest.mark.cases(40)
@pytest.mark.parametrize("function", views.VIEWS)
def test_a_recorded_function_and_its_view_exist(function: str) -> None:
    parts = function.split(".")
    for length in range(len(parts) - 1, 1, -1):
        try:
            found = import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            found = getattr(found, part)
        break
    assert callable(found)
    assert callable(views.view_of(function)) and views.view_of(function) is not step_list_view


def test_every_view_is_in_the_table() -> None:
    written = {
        f"{path.parent.name}.{path.stem}.{node.name}"
        for path in FOLDER.rglob("*_view.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
        and not node.name.startswith("_")
        and [one.arg for one in node.args.args] == ["recording", "window"]
    } - {"elements.step_list_view.step_list_view"}
    assert written == {*views.FUNCTIONS}


def test_a_view_of_ones_own_wins_over_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "tokenlab.algorithms.bpe.train.train"
    monkeypatch.setitem(registry.views, name, step_list_view)
    assert views.view_of(name) is step_list_view
    assert views.view_of("algorithms.bpe.train.train") is step_list_view  # of somebody else's module
