"""A part of the class of assignment 2 is graded by nbgrader, and everybody gets what they should.

`make grade-demo` grades the whole class; here are one sheet with six wrong programs, and who gets nothing.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from course import demo
from course.assignment import Assignment
from tests.course.graded import Graded

NAME = "assignment2"
ASSIGNMENT = Assignment(NAME)
WANTED = ("right answers", "untouched", "hard_em", "calls libraries", "the id of another")

pytestmark = pytest.mark.slow  # nbgrader grades notebooks; `test_grading_three.py` does it in `make test`


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Graded:
    return Graded.made(NAME, tmp_path_factory.mktemp("Übung 2") / "course", [(what,) for what in WANTED])


def test_everybody_gets_the_expected_points(graded: Graded) -> None:
    assert len(graded.results) == len(WANTED)
    assert [result for result in graded.results if not result.ok] == []
    assert sum((graded.named("right answers").points or {}).values()) == sum(ASSIGNMENT.most_points.values())
    assert graded.named("right answers").waits and not graded.named("untouched").waits


def test_six_wrong_programs_in_one_sheet_each_lose_at_their_task(graded: Graded) -> None:
    right, points = graded.named("right answers").points, graded.named("hard_em").points
    assert right and points
    assert {task for task in right if points[task] < right[task]} == {*ASSIGNMENT.programs.WRONG}
    page = graded.feedback("hard_em")
    for task in ASSIGNMENT.programs.WRONG:
        assert f"AssertionError: {task}(" in page


def test_feedback_says_the_rules_and_hides_the_tests(graded: Graded) -> None:
    for what in WANTED:
        page = graded.feedback(what)
        assert not any(hidden in page for hidden in ("HIDDEN", "right_", "sheet.get", "all_cuts(", "merges_with_ties("))
    page = graded.feedback("hard_em")
    assert "The rule: Every segmentation counts with its posterior probability" in page
    assert "The rule: Both characters with a meaning" in page
    assert "The rule: Escapes are decoded from left to right" in page


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("untouched", "best_cut is not written yet"),
        ("untouched", "student_id is no string; write your id in quotes"),
        ("calls libraries", "uses tokenlab.algorithms.unigram.forward_backward"),
        ("calls libraries", "uses tokenizers"),
        ("calls libraries", "uses sentencepiece"),
        ("calls libraries", "so there are no points for it"),
        ("the id of another", "tell your instructor"),
    ],
)
def test_feedback_has_a_sentence_for_who_gets_nothing(graded: Graded, what: str, said: str) -> None:
    assert said in graded.feedback(what)


# --- which classes are graded ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "graded_ones", "fine"),
    [
        ([], [*demo.NAMES], True),
        (["assignment2", "assignment3"], ["assignment2", "assignment3"], True),
        (["assignment1"], ["assignment1"], False),
    ],
)
def test_the_demo_grades_the_classes_that_are_asked_for(
    arguments: list[str], graded_ones: list[str], fine: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    monkeypatch.setattr(demo, "grade", lambda name, folder: seen.append((name, folder)) or fine)
    assert demo.main([*arguments, "--keep", str(tmp_path)]) == (0 if fine else 1)
    assert seen == [(name, tmp_path / name) for name in graded_ones]


def test_the_demo_knows_which_assignments_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        demo.main(["assignment99"])
    said = capsys.readouterr().err
    assert f"there is no assignment99; there are: {', '.join(demo.NAMES)}" in said.replace("\n", " ")
