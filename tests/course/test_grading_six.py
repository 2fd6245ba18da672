"""Submissions of assignment 6 that nbgrader grades: the points and the feedback are as expected.

`make grade-demo` grades the whole class; here are one sheet with nine wrong programs, one that calls libraries, and two
with the rules or the id of another student.
"""

from __future__ import annotations

import pytest

from course.assignment import Assignment
from tests.course.graded import Graded

pytestmark = pytest.mark.slow  # nbgrader grades notebooks; `test_grading_three.py` does it in `make test`

NAME = "assignment6"
ASSIGNMENT = Assignment(NAME)
WRONG = "contractions_apart"
WANTED = ("right answers", WRONG, "calls libraries", "functions of another", "the id of another")


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Graded:
    return Graded.made(NAME, tmp_path_factory.mktemp("Übung 6") / "course", [(what,) for what in WANTED])


def test_the_points_are_as_expected(graded: Graded) -> None:
    assert len(graded.results) == len(WANTED)
    assert [result for result in graded.results if not result.ok] == []
    assert sum((graded.named("right answers").points or {}).values()) == sum(ASSIGNMENT.most_points.values())
    assert graded.named("right answers").waits


def test_each_wrong_program_in_a_sheet_loses_points_of_its_task(graded: Graded) -> None:
    right, points = graded.named("right answers").points, graded.named(WRONG).points
    assert right and points
    assert {task for task in right if points[task] < right[task]} == {*ASSIGNMENT.programs.WRONG}
    page = graded.feedback(WRONG)
    for task in ASSIGNMENT.programs.WRONG:
        assert f"AssertionError: {task}(" in page


def test_feedback_states_the_rules_and_hides_the_tests(graded: Graded) -> None:
    for what in WANTED:
        page = graded.feedback(what)
        assert not any(hidden in page for hidden in ("HIDDEN", "right_", "sheet.get", "learned_pairs", "parts_by"))
    assert "The rule: A run of letters is one pre-token" in graded.feedback(WRONG)


def test_the_rules_and_the_id_of_another_student_lose_points(graded: Graded) -> None:
    right, points = graded.named("right answers").points, graded.named("functions of another").points
    assert right and points
    assert {task for task in right if points[task] < right[task]} == {"learn_pairs", "cut_special"}
    page = graded.feedback("functions of another")
    assert "The rule: Of several pairs with the highest count, the " in page
    assert "it was handed in by " in graded.feedback("the id of another")


@pytest.mark.parametrize("said", ["merge_word uses tiktoken", "so there are no points for it"])
def test_feedback_has_a_sentence_for_a_library(graded: Graded, said: str) -> None:
    assert said in graded.feedback("calls libraries")
