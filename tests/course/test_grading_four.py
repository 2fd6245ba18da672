"""A part of the class of assignment 4 is graded by nbgrader, and everybody gets what they should.

`make grade-demo` grades the whole class; here: one sheet with seven wrong programs, and one whose class is none.
"""

from __future__ import annotations

import pytest

from course.assignment import Assignment
from tests.course.graded import Graded

pytestmark = pytest.mark.slow  # nbgrader grades notebooks; `test_grading_three.py` does it in `make test`

NAME = "assignment4"
ASSIGNMENT = Assignment(NAME)
WANTED = ("right answers", "no_neg_inf_seed", "calls libraries", "a class without its methods")


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Graded:
    return Graded.made(NAME, tmp_path_factory.mktemp("Übung 4") / "course", [(what,) for what in WANTED])


def test_everybody_gets_the_expected_points(graded: Graded) -> None:
    assert len(graded.results) == len(WANTED)
    assert [result for result in graded.results if not result.ok] == []
    assert sum((graded.named("right answers").points or {}).values()) == sum(ASSIGNMENT.most_points.values())
    assert graded.named("right answers").waits


def test_seven_wrong_programs_in_one_sheet_each_lose_at_their_task(graded: Graded) -> None:
    right, points = graded.named("right answers").points, graded.named("no_neg_inf_seed").points
    assert right and points
    assert {task for task in right if points[task] < right[task]} == {*ASSIGNMENT.programs.WRONG}
    page = graded.feedback("no_neg_inf_seed")
    for task in ASSIGNMENT.programs.WRONG:
        assert f"AssertionError: {task}(" in page


def test_feedback_says_the_rules_and_hides_the_tests(graded: Graded) -> None:
    for what in WANTED:
        page = graded.feedback(what)
        assert not any(hidden in page for hidden in ("HIDDEN", "right_", "RightPhrase", "sheet.get", "complete_before"))
    page = graded.feedback("no_neg_inf_seed")
    assert "The rule: A complete phrase stays complete" not in page
    assert "The rule: The token that breaks the phrase is tried as its first id, and if" in page


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("calls libraries", "PatientPhrase uses tokenlab.libraries.transformers.generation"),
        ("calls libraries", "so there are no points for it"),
        ("a class without its methods", "PatientPhrase has no method reset; it should have __init__, reset, advance"),
    ],
)
def test_feedback_has_a_sentence_for_who_gets_nothing(graded: Graded, what: str, said: str) -> None:
    assert said in graded.feedback(what)
