"""Attacks on the grader, of which each would give points if grading ran in the student's process; none gets a point."""

from __future__ import annotations

import pytest

from course.assignment import Assignment
from course.attacks import ODD_RESULTS, attacks, escaped
from course.demo import NAMES
from course.sandbox import commands
from tests.course.graded import Graded

pytestmark = pytest.mark.slow

NAME = "assignment5"
EVERYWHERE = {
    "replaces exec and the grader",
    "forges replies",
    "prints 100 MB",
    "fills the memory",
    "starts 300 processes",
    "writes a very long answer in words",
    *(f"returns what takes long to compare ({number})" for number in range(1, len(ODD_RESULTS) + 1)),
    "returns what equals everything",
    "looks into the callers",
    "takes the names exec and globals",
    "looks at all objects",
    "forges a locked cell",
}
WITH_A_SANDBOX = {"reads solutions", "writes the gradebook", "kills the grader", "remounts the libraries"}


def all_attacks() -> set[str]:
    return EVERYWHERE | (WITH_A_SANDBOX if commands.chosen() != "none" else set())


@pytest.mark.parametrize("name", NAMES)
def test_every_assignment_is_attacked_in_every_way(name: str) -> None:
    assert {attack.what for attack in attacks(Assignment(name))} == all_attacks()


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Graded:
    wanted = [("right answers",), *((what,) for what in sorted(all_attacks()))]
    return Graded.made(NAME, tmp_path_factory.mktemp("attacked") / "course", wanted)


def test_no_attack_gets_a_point_and_none_harms_the_others(graded: Graded) -> None:
    points = {result.what: sum((result.points or {"": -1}).values()) for result in graded.results}
    assert points.pop("right answers") == sum(Assignment(NAME).most_points.values())
    assert points == dict.fromkeys(all_attacks(), 0)


def test_the_gradebook_is_as_the_grader_left_it(graded: Graded) -> None:
    scores = graded.demo.course.scores(NAME)
    assert all(
        (score.auto or 0) <= 10 and score.manual is None for cells in scores.values() for score in cells.values()
    )
    submitted = graded.demo.course.root / "submitted"
    assert {folder.name for folder in submitted.iterdir()} == set(graded.demo.members)
    assert escaped(graded.demo.places) == []


def test_feedback_says_what_a_result_must_be(graded: Graded) -> None:
    page = graded.feedback("returns what equals everything")
    assert "gives -98765" in page or "give numbers, strings, lists" in page
    assert "The rest was cut" in graded.feedback("prints 100 MB")
    assert "MemoryError" in graded.feedback("fills the memory")
