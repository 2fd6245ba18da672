"""Lesson 22 runs with one turn of each measurement, since nothing is compared with its stored times."""

from __future__ import annotations

from publish.build import FOLDER, lesson_of
from tests.notebooks.perturbed_lessons import code_cells, run_after

ONE_TURN = f"""
import sys; sys.path.insert(0, {str(FOLDER.parent)!r})
from tests.notebooks.one_turn import one_turn
from tokenlab.laboratory.speed import growth, measure

measure.times = growth.times = one_turn
"""


def test_every_cell_runs() -> None:
    lesson = run_after(ONE_TURN, lesson_of(FOLDER / "source" / "22_speed_laboratory.py"))  # raises if a cell fails
    assert all(cell.execution_count for cell in code_cells(lesson))
