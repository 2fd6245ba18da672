"""Pairs of submissions that resemble each other."""

from __future__ import annotations

import doctest
import random
import time
from pathlib import Path
from typing import Any

import nbformat
import pytest

from course import similarity
from course.course_folder import Course
from course.similarity import FEWEST, OWN, Pair, answers, main, pairs, parts_of
from tests.course.handed_in import NAME, put

MERGE = """
def merge(symbols, pair):
    # from the left
    merged, place = [], 0
    while place < len(symbols):
        if tuple(symbols[place : place + 2]) == pair:
            merged.append("".join(pair))
            place += 2
        else:
            merged.append(symbols[place])
            place += 1
    return merged
"""
RENAMED = """
def merge(s, p):
    "My own docstring."
    out, i = [], 0   # i counts
    while (i < len(s)):
        if tuple(s[i:i + 2]) == p:
            out.append(''.join(p)); i += 2
        else:
            out.append(s[i])

            i += 1
    return out
"""
OTHER = """
def merge(symbols, pair):
    if len(symbols) < 2:
        return symbols
    first, second, *rest = symbols
    if (first, second) == pair:
        return [first + second, *merge(rest, pair)]
    return [first, *merge([second, *rest], pair)]
"""


def test_the_examples_in_the_docstring_are_right() -> None:
    tried = doctest.testmod(similarity)
    assert tried.attempted and not tried.failed


def test_names_comments_and_layout_make_no_difference_and_another_program_does() -> None:
    assert parts_of(MERGE) == parts_of(RENAMED) != parts_of(OTHER)
    found = pairs({"anna": {"merge": MERGE}, "ben": {"merge": RENAMED}, "cem": {"merge": OTHER}})
    assert found == [Pair(("anna", "ben"), 1.0, ("merge",))]
    assert pairs({"anna": {"merge": MERGE}, "ben": {"merge": MERGE.replace("+= 2", "+= 3")}})[0].share > 0.97


def test_other_orders_of_names_differ_and_short_answers_are_left_out() -> None:
    assert parts_of("x = a - b") != parts_of("x = b - a - b")
    short = "def f(x):\n    return x"
    assert len(parts_of(short)) < FEWEST and pairs({"a": {"f": short}, "b": {"f": short}}) == []
    assert pairs({"a": {"f": MERGE}, "b": {"g": MERGE}}) == [] == pairs({"a": {}, "b": {}})


ODD = (
    "def f(:",
    "(" * 5000,
    "x\0y",
    "\ud800" * 9,
    "a" * 10**6,
    "-" * 10**5 + "1",
    "",
    "'" * 3,
    "\t\r\n  \f",
    "日本 語",
)


@pytest.mark.parametrize("number", range(len(ODD)))
def test_whatever_is_written_has_parts(number: int) -> None:
    assert len(parts_of(ODD[number])) <= similarity.LONGEST


def sheet(*own: str, **written: str) -> bytes:
    """A notebook with a text and cells of one's own before the answers to the tasks."""
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_markdown_cell("# A title"), *map(nbformat.v4.new_code_cell, own)]
    for task, source in written.items():
        marks = {"nbgrader": {"solution": True, "grade_id": task}}
        notebook.cells.append(nbformat.v4.new_code_cell(source, metadata=marks))
    return nbformat.writes(notebook).encode()


def test_the_command_lists_pairs_and_shows_them_as_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    released = {"student_id": "...", "merge": "def merge(symbols, pair):\n    return ...", "words": "Write here."}
    put(tmp_path, f"release/{NAME}/{NAME}.ipynb", sheet(**released))
    words = "The rank decides which pair is merged first, because encoding repeats the training, <b>always</b>."
    handed: dict[str, dict[str, str]] = {
        "anna": released | {"merge": MERGE, "words": words},
        "ben <i>": released | {"merge": RENAMED, "words": words + "!"},
        "cem": released | {"merge": OTHER},
        "untouched": released,
        "untouched too": released,
    }
    for student, written in handed.items():
        put(tmp_path, f"submitted/{student}/{NAME}/{NAME}.ipynb", sheet(**written))
    put(tmp_path, f"submitted/broken/{NAME}/{NAME}.ipynb", b"{")
    assert main([NAME, "--course", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "Cannot be read, so it is not compared: broken" in said
    assert "6 submissions, 1 pairs" in said and "100%  anna and ben <i>: merge, words" in said
    page = (tmp_path / "similarity" / f"{NAME}.html").read_text(encoding="utf-8")
    assert "<b>always" not in page and "ben <i>" not in page and "ben &lt;i&gt;" in page
    assert main([NAME, "--course", str(tmp_path), "--at-least", "0.3"]) == 0
    assert "anna and cem" in capsys.readouterr().out
    assert main(["assignment9", "--course", str(tmp_path)]) == 2 and "run make assignments" in capsys.readouterr().out


def test_a_copy_in_a_class_is_found_in_any_order() -> None:
    drawn = random.Random(1)
    lines = MERGE.strip().splitlines()

    def variant() -> dict[str, Any]:
        return {f"task{n}": "\n".join(lines + drawn.choices(["x = 1", "y = [2]", "z = f(3)"], k=40)) for n in range(5)}

    answered = {f"student {number}": variant() for number in range(60)}
    answered["copy"] = answered["student 7"]
    first = pairs(answered)[0]
    assert first == Pair(("copy", "student 7"), 1.0, tuple(f"task{n}" for n in range(5)))
    assert pairs(dict(reversed(answered.items())))[0] == first


def course(tmp_path: Path, released: dict[str, str], **handed: bytes) -> Course:
    put(tmp_path, f"release/{NAME}/{NAME}.ipynb", sheet(**released))
    for student, content in handed.items():
        put(tmp_path, f"submitted/{student}/{NAME}/{NAME}.ipynb", content)
    return Course(tmp_path)


def test_answers_are_those_of_the_release_and_programs_in_other_cells(tmp_path: Path) -> None:
    own = sheet("hand_in('x')", "def f(): 1", merge="y", trace="t = 1", forged="exec('z')")
    made = course(tmp_path, {"merge": "x", "trace": "t = ..."}, a=own, b=b"{", c=sheet(merge="x"))
    assert answers(made, NAME, "a") == {"merge": "y", OWN: "def f(): 1\nexec('z')"}
    assert answers(made, NAME, "c") == {}
    for student in ("b", "nobody"):
        with pytest.raises(similarity.BROKEN):
            answers(made, NAME, student)


def test_of_two_copies_of_an_answer_the_last_counts_and_the_other_is_compared_too(tmp_path: Path) -> None:
    both = nbformat.reads(sheet(merge="def first(): 1"), as_version=4)
    both.cells += nbformat.reads(sheet(merge="def last(): 2"), as_version=4).cells
    odd = nbformat.v4.new_code_cell("def odd(): 3")
    odd.metadata["nbgrader"] = 5
    both.cells.append(odd)
    made = course(tmp_path, {"merge": "x"}, a=nbformat.writes(both).encode())
    assert answers(made, NAME, "a") == {"merge": "def last(): 2", OWN: "def first(): 1\ndef odd(): 3"}


def test_a_copy_in_a_cell_of_ones_own_is_compared(tmp_path: Path) -> None:
    released = {"merge": "def merge(symbols, pair):\n    return ..."}
    made = course(tmp_path, released, a=sheet(MERGE, **released), b=sheet(RENAMED, **released))
    assert pairs({name: answers(made, NAME, name) for name in "ab"}) == [Pair(("a", "b"), 1.0, (OWN,))]


def test_a_program_in_a_string_is_compared() -> None:
    hidden, other = (f"exec({text!r})" for text in (MERGE, OTHER))
    assert len(parts_of(hidden)) < FEWEST < len(parts_of(hidden, strings_are_programs=True))
    assert pairs({"a": {"merge": hidden}, "b": {"merge": hidden}, "c": {"merge": other}})[0].students == ("a", "b")


def test_a_program_in_many_strings_is_compared_word_by_word() -> None:
    lines = MERGE.splitlines()
    one, other = (f"exec('\\n'.join({[line + space for line in lines]!r}))" for space in ("", " "))
    assert pairs({"a": {"merge": one}, "b": {"merge": other}})[0].share == 1.0


def test_a_long_string_does_not_hide_a_copy() -> None:
    drawn = random.Random(4)
    padded = {name: f"{MERGE}\ntext = '{' '.join(drawn.choices('abcdefgh', k=900))}'" for name in "ab"}
    assert pairs({name: {"merge": text} for name, text in padded.items()})[0].share > 0.97


def test_different_own_cells_do_not_hide_a_copy() -> None:
    own = {"a": {"merge": MERGE, OWN: OTHER}, "b": {"merge": RENAMED, OWN: "def g(x):\n    return [x, x, (x, x, x)]"}}
    assert pairs(own) == [Pair(("a", "b"), 1.0, ("merge",))]


def test_an_answer_that_is_too_long_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    long = {name: sheet(merge=f"# {name * similarity.MOST_CHARACTERS}{MERGE}") for name in "ab"}
    course(tmp_path, {"merge": "..."}, **long)
    assert main([NAME, "--course", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "Too long to be compared: a, merge, 100,3" in said and "compared: b" in said and "0 pairs" in said


def test_lines_that_are_nearly_equal_are_shown_at_once() -> None:
    drawn = random.Random(2)
    comments = {name: "\n".join("# " + "".join(drawn.choices("ab", k=192)) for _ in range(200)) for name in "ab"}
    answered = {name: {"merge": comments[name] + MERGE} for name in "ab"}
    (pair,) = pairs(answered)
    began = time.monotonic()
    shown = similarity.page([pair], answered, NAME)
    assert shown.count("class=differs") == 400 and "def merge" not in shown  # the first 200 lines
    assert time.monotonic() - began < 60  # `difflib.HtmlDiff` takes hours


def test_the_page_marks_what_differs_and_escapes_it() -> None:
    rows = similarity._side_by_side(["same", "<b>", "x"], ["same", "y"])
    assert rows.split("\n") == [
        "<tr><td>same<td>same",
        "<tr><td class=differs>&lt;b&gt;<td class=differs>y",
        "<tr><td class=differs>x<td class=differs>",
    ]
