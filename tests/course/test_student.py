"""A student's id: what makes no difference to it, what is drawn from it, and when a notebook is refused."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

import pytest

from course.grading import grade, grade_answer
from tokenlab.check.function_check import sample_inputs, smallest_failure
from tokenlab.check.strategies import first_of, words
from tokenlab.check.student_id import check_same_student, normalized_id, variant_chooser
from tokenlab.check.trace_comparison import nearly_equal


@pytest.mark.parametrize("written", ["jörg müller", " Jörg  Müller\t", "JO\u0308RG MU\u0308LLER", "jörg\nmüller"])
def test_an_id_is_known_however_it_is_written(written: str) -> None:
    assert normalized_id(written) == "jörg müller"


@pytest.mark.parametrize("written", [1234567, None, ..., ["a"]])
def test_what_is_no_string_is_asked_for(written: Any) -> None:
    for use in (normalized_id, variant_chooser, check_same_student):
        with pytest.raises(AssertionError, match="write your id in quotes"):
            use(written)


def test_draws_depend_on_the_id_alone_and_reach_every_option() -> None:
    def first(student: str, number: int) -> list[int]:
        draw = variant_chooser(student)
        return [draw(0, 1, 2, 3) for _ in range(number)]

    assert first("s1", 20) == first(" S1 ", 20)
    assert first("s1", 20) != first("s2", 20)
    assert {tuple(first(f"s{number}", 2)) for number in range(300)} == {(a, b) for a in range(4) for b in range(4)}


def test_another_students_notebook_is_refused_only_while_it_is_graded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "Zoë" / "assignment2"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    check_same_student("somebody else")
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    check_same_student(" zoë")
    with pytest.raises(AssertionError, match="handed in by 'Zoë'; tell your instructor"):
        check_same_student("somebody else")


# --- what graders of numbers need -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "right", "is_close"),
    [
        (0.1 + 0.2, 0.3, True),
        (0.300002, 0.3, False),
        ({"a": 1}, {"a": 1.0000001}, True),
        ({"a": 1, "b": 0}, {"a": 1}, False),
        ({}, {"a": 0}, False),
        ([1.0, "a"], (1, "a"), True),
        ((1.0,), (1.0, 2.0), False),
        (float("nan"), 0.0, False),
        (0.0, float("nan"), False),
        ([1.0, float("nan")], [1.0, float("nan")], True),
        (3.00000005e38, 3e38, True),
        (3.0001e38, 3e38, False),
        (float("-inf"), -3e38, False),
        (-2e-7, 0.0, True),
        (10**8 + 1, 10**8, False),
        (10**8 + 1.0, 10**8, True),
        (1.0000001, 1, True),
        (float("-inf"), float("-inf"), True),
        (float("inf"), float("-inf"), False),
        ("1", 1, False),
        (None, 1, False),
        (None, {"a": 1}, False),
        (1, {"a": 1}, False),
    ],
)
def test_numbers_are_close_and_nothing_else_is(given: Any, right: Any, is_close: bool) -> None:
    assert nearly_equal(given, right) is is_close


@pytest.mark.slow
def test_who_gives_something_else_is_told_the_rule_whatever_compares() -> None:
    def first_alone(given: Any, right: Any) -> bool:
        return bool(given[0] == right[0])

    def length_and_more(word: str) -> tuple[int, str]:
        return len(word), "more"

    inputs = words().map(lambda word: (word,))
    grade(lambda word: (len(word), "less"), length_and_more, inputs, "The first counts.", same=first_alone)
    with pytest.raises(AssertionError, match=r"gives 0\. The rule: The first counts"):
        grade(lambda word: len(word), length_and_more, inputs, "The first counts.", same=first_alone)


def test_an_answer_is_compared_and_the_right_one_is_not_told() -> None:
    sheet = {"tokens": ["x", "yz"], "dots": ..., "wrong": 0.5}
    grade_answer(sheet, "tokens", ("x", "yz"), "The rule.")
    grade_answer({"number": 0.3333333}, "number", 1 / 3, "The rule.", same=nearly_equal)
    for name in ("dots", "missing"):
        with pytest.raises(AssertionError, match=f"{name} is not written yet"):
            grade_answer(sheet, name, 1, "The rule.")
    with pytest.raises(AssertionError) as caught:
        grade_answer(sheet, "wrong", 0.875, "Shares.", same=nearly_equal)
    assert str(caught.value) == "wrong = 0.5 is not right for your data. The rule: Shares."


def test_some_of_endlessly_many_are_the_first_ones_and_the_short_ones_come_first() -> None:
    seen = []

    def numbers() -> Any:
        for number in count():
            seen.append(number)
            yield -number

    strategy = first_of(numbers(), 12)
    assert len(seen) <= 12
    assert set(sample_inputs(strategy, 100)) == {-number for number in range(12)}
    assert smallest_failure(strategy, lambda number: number < -2) == -3
