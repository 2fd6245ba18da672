"""Submissions of assignment 7 that nbgrader grades: the points and the feedback are as expected.

`make grade-demo` grades the whole class; here are one sheet with eight wrong parts, a copied rule, and layers of torch.
"""

from __future__ import annotations

import pytest

from course.assignment import Assignment
from course.classes.assignment7 import LAST
from tests.course.graded import Graded

pytestmark = pytest.mark.slow  # nbgrader grades notebooks; `test_grading_three.py` does it in `make test`

NAME = "assignment7"
ASSIGNMENT = Assignment(NAME)
WANTED = (
    "right answers",
    "size_of_all",
    "the rule of another",
    "calls libraries",
    "calls a library under a hidden name",
    "a list in place of a tensor",
)


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Graded:
    return Graded.made(NAME, tmp_path_factory.mktemp("Übung 7") / "course", [(what,) for what in WANTED])


def test_the_points_are_as_expected(graded: Graded) -> None:
    assert len(graded.results) == len(WANTED)
    assert [result for result in graded.results if not result.ok] == []
    assert sum((graded.named("right answers").points or {}).values()) == sum(ASSIGNMENT.most_points.values())
    assert graded.named("right answers").waits


def test_each_wrong_part_in_a_sheet_loses_points_of_its_task_only(graded: Graded) -> None:
    right, points = graded.named("right answers").points, graded.named("size_of_all").points
    assert right and points
    assert {task for task in right if points[task] < right[task]} == {*ASSIGNMENT.programs.WRONG} - {LAST}
    page = graded.feedback("size_of_all")
    for task in ASSIGNMENT.programs.WRONG:
        assert (f"AssertionError: {task}(" in page) is (task != LAST)


def test_the_rule_of_another_student_costs_three_points(graded: Graded) -> None:
    right, points = graded.named("right answers").points, graded.named("the rule of another").points
    assert right and points
    assert {task: right[task] - points[task] for task in right if points[task] < right[task]} == {"visible_keys": 3.0}


def test_feedback_states_the_rules_and_hides_the_tests(graded: Graded) -> None:
    for what in WANTED:
        page = graded.feedback(what)
        assert not any(hidden in page for hidden in ("HIDDEN", "right_", "sheet.get"))
    assert "The rule: The size is the root mean square of a row without one number" in graded.feedback("size_of_all")


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("calls libraries", "attend uses torch._C._nn.scaled_dot_product_attention"),
        ("calls libraries", "so there are no points for it"),
        ("calls a library under a hidden name", "scaled_dot_product_attention is not available here"),
        ("a list in place of a tensor", "; it should be a float32 tensor of shape ("),
    ],
)
def test_feedback_has_a_sentence_for_libraries_and_types(graded: Graded, what: str, said: str) -> None:
    assert said in graded.feedback(what)
