"""Worked solutions are offered after the third run or a right answer, as text, and never in graded work."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from course.grading import grade
from tokenlab import check
from tokenlab.check.feedback import FeedbackLevels, Problem, Solution, solutions

ROOT = Path(__file__).parents[2]
MENTION = 'Worked solution: print(check.solution("merge"))'


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """No exercise has offered its solution before a test."""
    for name in check.exercise_names():
        one = check.exercise_of(name)
        one.ladder.unwritten()
        one.ladder.opened = False
    yield


def html(verdict: check.Verdict) -> str:
    return verdict._repr_mimebundle_()["text/html"]


def right_merge(split, pair):  # type: ignore[no-untyped-def]
    merged: list[str] = []
    for symbol in split:
        if merged and (merged[-1], symbol) == tuple(pair) and not merged[-1].endswith("!"):
            merged[-1] += symbol + "!"
        else:
            merged.append(symbol)
    return tuple(symbol.rstrip("!") for symbol in merged)


@pytest.mark.slow
def test_a_right_answer_and_the_third_run_offer_the_folded_solution() -> None:
    wrong = [check.merge(lambda split, pair: split) for _ in range(3)]
    for verdict in wrong[:2]:
        assert not verdict and verdict.solution is None
        assert "Worked solution" not in html(verdict) + str(verdict) and "Think first." in html(verdict)
    for verdict in (wrong[2], check.merge(right_merge)):
        assert verdict.solution == solutions()["merge"] and "Think first." not in html(verdict)
        assert "<details style='margin:.4em 0'><summary>Worked solution</summary>" in html(verdict)
        assert str(verdict).splitlines()[-1] == MENTION
        assert "def my_merge" not in str(verdict)


def test_three_dots_are_no_attempt() -> None:
    for verdict in (check.merge(lambda split, pair: ...), check.first_merge(..., ...), check.bug(_bug(), ...)):
        assert "Not written yet" in str(verdict) and verdict.solution is None
        assert "Worked solution" not in html(verdict) + str(verdict)


def _bug() -> object:
    found = check.exercise_of(check.BUGS["exercises.start_here"])
    assert isinstance(found, check.BugCheck)
    return found.program


def test_what_cannot_be_checked_offers_no_solution() -> None:
    for given in (check.merge, lambda: check.merge(3), lambda: check.first_merge(1), lambda: check.bug(_bug())):
        for _ in range(4):
            verdict = given()
        assert not verdict and verdict.solution is None and not verdict.question
        assert "Worked solution" not in html(verdict) + str(verdict)


def test_after_the_offer_the_cell_may_be_emptied_again() -> None:
    check.first_merge(("a", "b"), 7)
    assert check.first_merge(..., ...).solution is None
    assert check.solution("first_merge") == solutions()["first_merge"]


@pytest.mark.slow
def test_solution_needs_a_right_answer_or_the_third_run() -> None:
    for program in (lambda split, pair: split, lambda split, pair: split, lambda split, pair: (*split, "z")):
        check.merge(program)
        with pytest.raises(ValueError, match="'merge' has not offered its solution yet; a right answer does"):
            check.solution("merge")
    check.merge(right_merge)
    assert "def my_merge(split, pair):" in str(check.solution("merge"))
    with pytest.raises(ValueError, match="not offered its solution yet"):
        check.solution("first_merge")


@pytest.mark.parametrize("name", ["", "no_such", "grade", None, ["merge"]])
def test_an_unknown_exercise_is_named(name: object) -> None:
    with pytest.raises(ValueError, match="is not one of the exercises"):
        check.solution(name)  # type: ignore[arg-type]


def test_every_exercise_of_the_lessons_has_a_solution_and_every_solution_an_exercise() -> None:
    unused = {"tokenizations_counted"}  # a check of no lesson today
    names = check.exercise_names()
    assert len(names) == len({*names})
    assert solutions().keys() <= {*names}
    assert {*names} - solutions().keys() <= unused


def test_a_check_of_somebody_elses_has_no_solution() -> None:
    verdict = FeedbackLevels().wrong(Problem("It gives 3.", "A rule."))
    assert verdict.solution is None and "Worked solution" not in html(verdict) + str(verdict)
    assert FeedbackLevels(exercise="unknown").right().solution is None


def test_markup_in_a_solution_is_text() -> None:
    made = Solution(
        "f", "Is `a</code><b>` *very* **sure**?\n<script>1</script>\n\n- one\n- two\n  lines", "if a < b:\n  </pre>"
    )
    assert made.html == (
        "<details style='margin:.4em 0'><summary>Worked solution</summary>"
        "<p>Is <code>a&lt;/code&gt;&lt;b&gt;</code> <em>very</em> <strong>sure</strong>? "
        "&lt;script&gt;1&lt;/script&gt;</p><ul><li>one</li><li>two lines</li></ul>"
        "<pre style='margin:.4em 0'><code>if a &lt; b:\n  &lt;/pre&gt;</code></pre></details>"
    )


def test_grading_neither_loads_nor_shows_a_solution() -> None:
    grading = (ROOT / "course" / "grading.py").read_text(encoding="utf-8")
    assert "solution" not in grading and "feedback" not in grading
    with pytest.raises(AssertionError) as raised:
        grade(lambda split, pair: split, check.merge.reference, check.merge.inputs(), check.merge.rule)
    assert "solution" not in str(raised.value)
    with pytest.raises(ValueError, match="not offered its solution yet"):
        check.solution("merge")


def test_assignments_use_no_check_that_has_a_solution() -> None:
    for path in sorted((ROOT / "course").rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        assert not re.search(r"\bcheck\.(solution|" + "|".join(check.exercise_names()) + r")\(", source), path.name
        assert "worked_solution" not in source and "read_solutions" not in source, path.name


def test_a_solution_in_an_assignment_is_not_found() -> None:
    """A fresh kernel, such as the one that grades, has no attempt, so it prints no solution."""
    program = "from tokenlab import check\nprint(check.solution('merge'))"
    ran = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    assert ran.returncode == 1 and not ran.stdout and "has not offered its solution yet" in ran.stderr


def test_the_solutions_are_package_data() -> None:
    """A pattern of pyproject.toml finds each file from the folder of its package."""
    import tomllib

    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = settings["tool"]["setuptools"]["package-data"]["tokenlab.check"]
    found = {path for pattern in patterns for path in (ROOT / "tokenlab" / "check").glob(pattern)}
    assert found == set((ROOT / "tokenlab" / "check" / "solutions").iterdir())
