"""Pairs of submissions that resemble each other."""

from __future__ import annotations

import doctest
import json
import random
from pathlib import Path
from typing import Any

import pytest

from course import similarity
from course.similarity import FEWEST, Pair, answers, main, pairs, parts_of
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


def sheet(**written: str) -> bytes:
    cells = [
        {"cell_type": "code", "source": source, "metadata": {"nbgrader": {"solution": True, "grade_id": task}}}
        for task, source in written.items()
    ]
    return json.dumps({"cells": [{"cell_type": "code", "source": "own", "metadata": {}}, *cells]}).encode()


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


def test_answers_are_those_of_the_release(tmp_path: Path) -> None:
    class Place:
        root = tmp_path

    put(tmp_path, f"release/{NAME}/{NAME}.ipynb", sheet(merge="x", trace="t = ..."))
    put(tmp_path, f"submitted/a/{NAME}/{NAME}.ipynb", sheet(merge="y", trace="t = 1", forged="z"))
    assert answers(Place(), NAME, "a") == {"merge": "y"}  # type: ignore[arg-type]
