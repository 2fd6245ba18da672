"""A part of the class of assignment 3 is graded by nbgrader, and everybody gets what they should.

`make grade-demo` grades the whole class; here are one sheet with seven wrong programs, and one that lets others work.
"""

from __future__ import annotations

import pytest

from course.assignment import Assignment
from tests.course.graded import Graded

NAME = "assignment3"
ASSIGNMENT = Assignment(NAME)
WANTED = ("right answers", "no_shift", "calls libraries")


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Graded:
    return Graded.made(NAME, tmp_path_factory.mktemp("Übung 3") / "course", [(what,) for what in WANTED])


@pytest.mark.slow
def test_everybody_gets_the_expected_points(graded: Graded) -> None:
    assert len(graded.results) == len(WANTED)
    assert [result for result in graded.results if not result.ok] == []
    assert sum((graded.named("right answers").points or {}).values()) == sum(ASSIGNMENT.most_points.values())
    assert graded.named("right answers").waits


@pytest.mark.slow
def test_seven_wrong_programs_in_one_sheet_each_lose_at_their_task(graded: Graded) -> None:
    right, points = graded.named("right answers").points, graded.named("no_shift").points
    assert right and points
    assert {task for task in right if points[task] < right[task]} == {*ASSIGNMENT.programs.WRONG}
    page = graded.feedback("no_shift")
    for task in ASSIGNMENT.programs.WRONG:
        assert f"AssertionError: {task}(" in page


@pytest.mark.slow
def test_feedback_says_the_rules_and_hides_the_tests(graded: Graded) -> None:
    for what in WANTED:
        page = graded.feedback(what)
        assert not any(hidden in page for hidden in ("HIDDEN", "right_", "sheet.get", "spans_of(", "balanced("))
    assert "The rule: The score is the dot product of query and key" in graded.feedback("no_shift")


@pytest.mark.slow
@pytest.mark.parametrize(
    "said", ["uses tokenlab.algorithms.attention.sublayers", "uses torch", "so there are no points for it"]
)
def test_feedback_has_a_sentence_for_who_lets_a_library_work(graded: Graded, said: str) -> None:
    assert said in graded.feedback("calls libraries")
