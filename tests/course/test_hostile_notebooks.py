"""Notebooks that are odd, by accident or on purpose, are graded; nothing of the tests or of HTML comes out of them."""

from __future__ import annotations

from typing import Any

import nbformat
import pytest

from course.assignment import Assignment
from course.demo import Demo
from course.sandbox import commands
from course.submissions import Sheet, answered
from tests.course.graded import Graded
from tests.course.handed_in import put

pytestmark = pytest.mark.slow

NAME = "assignment5"
FULL = sum(Assignment(NAME).most_points.values())
LOGS = """
seen = []
right = fold_text


def fold_text(text, replacements):
    seen.append(("INPUT", text))
    return right(text, replacements)
"""


def _log_inputs(sheet: Sheet) -> None:
    """Write down the inputs of the hidden tests, and print them at the end."""
    sheet.write("fold_text", sheet.read("fold_text") + LOGS)
    sheet.notebook.cells.append(nbformat.v4.new_code_cell("print(len(seen), seen)"))


def _surrogate(sheet: Sheet) -> None:
    sheet.insert(0, "print('\\ud83d')")
    sheet.insert(1, "raise ValueError('\\udc00')")


def _markup(sheet: Sheet) -> None:
    source = "<script>alert(1)</script> <img src=x onerror=alert(2)> [a](javascript:alert(3)) `<s>` 1 < 2"
    sheet.notebook.cells.insert(0, nbformat.v4.new_markdown_cell(source))
    sheet.insert(1, "print('<script>alert(4)</script>')")


def _metadata(sheet: Sheet) -> None:
    """A number where nbgrader expects a dictionary."""
    cell = nbformat.v4.new_code_cell("1")
    cell.metadata = nbformat.from_dict({"nbgrader": 5})
    sheet.notebook.cells.insert(0, cell)


def _large(sheet: Sheet) -> None:
    sheet.insert(0, "\n".join(f"large{number} = 'x' * 990_000" for number in range(6)))


def _language(sheet: Sheet) -> None:
    """The lexer for this language takes minutes to color this comment, in a cell and in a text."""
    sheet.notebook.metadata["language_info"] = {"name": "php"}
    comment = "<?php " + 60_000 * "/* "
    sheet.insert(0, f"# {comment}")
    sheet.notebook.cells.insert(0, nbformat.v4.new_markdown_cell(f"1. > ~~~~ php\n   > {comment}\n   > ~~~~"))


ODD = {
    "logs inputs": _log_inputs,
    "prints a surrogate": _surrogate,
    "has markup": _markup,
    "has odd metadata": _metadata,
    "has large variables": _large,
    "names another language": _language,
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Graded:
    demo = Demo(tmp_path_factory.mktemp("odd") / "course", NAME)
    demo.members = {f"student {number}": answered(what, edit) for number, (what, edit) in enumerate(ODD.items())}
    demo.hand_in()
    put(demo.course.root, f"submitted/student 0/{NAME}/page.html", b"what nbgrader would send as feedback")
    return Graded(demo, demo.grade())


@pytest.mark.parametrize("what", ODD)
def test_right_answers_have_all_points(graded: Graded, what: str) -> None:
    points = graded.named(what).points
    assert points and sum(points.values()) == FULL


def test_inputs_of_hidden_tests_are_not_printed(graded: Graded) -> None:
    page = graded.feedback("logs inputs")
    assert "0 []" in page and page.count("INPUT") <= 1  # in the source of the student's own cell


def test_a_page_that_was_handed_in_is_no_feedback(graded: Graded) -> None:
    pages = (graded.demo.course.root / "feedback" / "student 0").rglob("*.html")
    assert [page.name for page in pages] == [f"{NAME}.html"]


def test_the_language_is_that_of_the_sheet(graded: Graded) -> None:
    page = graded.feedback("names another language")  # there is none after 15 minutes
    assert "/* /*" in page and "hl-php" not in page and "hl-python" in page


def test_a_surrogate_is_shown_as_an_escape(graded: Graded) -> None:
    page = graded.feedback("prints a surrogate")
    assert r"\ud83d" in page and r"\udc00" in page


def test_html_and_links_of_a_student_are_text(graded: Graded) -> None:
    student = graded.named("has markup").student
    file = next((graded.demo.course.root / "autograded" / student).rglob("*.ipynb"))
    (cell,) = (cell for cell in nbformat.read(file, as_version=4).cells if "alert(1)" in cell.source)
    assert "<script" not in cell.source and "<img" not in cell.source and "](" not in cell.source
    assert "1 < 2" in cell.source
    page = graded.feedback("has markup")
    assert "<script>alert" not in page and "onerror=alert(2)>" not in page.replace("&gt;", "")


def test_the_processes_use_the_sandbox_that_was_announced(graded: Graded, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(commands, "chosen", lambda: asked.append(1) or "none")
    monkeypatch.delenv(commands.VARIABLE, raising=False)
    graded.demo.course._run(1, "autograde", NAME, [], lambda student: None)
    import os

    assert asked and os.environ[commands.VARIABLE] == "none"
