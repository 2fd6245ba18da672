"""Lesson 22 runs with one turn of each measurement; all outputs but the measured ones are those that are stored."""

from __future__ import annotations

import nbformat
import pytest

from publish.build import FOLDER, lesson_of
from tests.notebooks.perturbed_lessons import changed_places, code_cells, run_after

NAME = "22_speed_laboratory"

ONE_TURN = f"""
import sys; sys.path.insert(0, {str(FOLDER.parent)!r})
from tests.notebooks.one_turn import one_turn
from tokenlab.laboratory.speed import measure

measure.times = one_turn
"""


@pytest.mark.slow
def test_every_cell_runs_and_shows_what_is_stored() -> None:
    lesson = run_after(ONE_TURN, lesson_of(FOLDER / "source" / f"{NAME}.py"))  # raises if a cell fails
    assert all(cell.execution_count for cell in code_cells(lesson))
    assert changed_places(nbformat.read(FOLDER / f"{NAME}.ipynb", as_version=4), lesson) == []
