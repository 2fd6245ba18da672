"""Submissions of assignment 5 that nbgrader grades: the points and the feedback are as expected.

`make grade-demo` grades the whole class; here are one sheet with eight wrong programs, and one that calls libraries.
"""

from __future__ import annotations

import pytest

from course.assignment import Assignment
from tests.course.graded import Graded

pytestmark = pytest.mark.slow  # nbgrader grades notebooks; `test_grading_three.py` does it in `make test`

NAME = "assignment5"
ASSIGNMENT = Assignment(NAME)
WANTED = ("right answers", "normalized_positions", "calls libraries")


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Graded:
    return Graded.made(NAME, tmp_path_factory.mktemp("Übung 5") / "course", [(what,) for what in WANTED])


def test_the_points_are_as_expected(graded: Graded) -> None:
    assert len(graded.results) == len(WANTED)
    assert [result for result in graded.results if not result.ok] == []
    assert sum((graded.named("right answers").points or {}).values()) == sum(ASSIGNMENT.most_points.values())
    assert graded.named("right answers").waits


def test_each_wrong_program_in_a_sheet_loses_points_of_its_task(graded: Graded) -> None:
    right, points = graded.named("right answers").points, graded.named("normalized_positions").points
    assert right and points
    assert {task for task in right if points[task] < right[task]} == {*ASSIGNMENT.programs.WRONG}
    page = graded.feedback("normalized_positions")
    for task in ASSIGNMENT.programs.WRONG:
        assert f"AssertionError: {task}(" in page


def test_feedback_states_the_rules_and_hides_the_tests(graded: Graded) -> None:
    for what in WANTED:
        page = graded.feedback(what)
        assert not any(hidden in page for hidden in ("HIDDEN", "right_", "sheet.get", "spans_with_gaps", "same_parts"))
    assert "The rule: Each character of a replacement has the span" in graded.feedback("normalized_positions")


@pytest.mark.parametrize("said", ["full_windows uses tokenlab.algorithms.pipeline", "so there are no points for it"])
def test_feedback_has_a_sentence_for_a_library(graded: Graded, said: str) -> None:
    assert said in graded.feedback("calls libraries")
