"""The plans for 45 and 90 minutes in docs/instructors.md add up, and leave the tasks the minutes of their headings."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
TASK = re.compile(r"(?m)^# ### (.+?) · (?:easy|medium|hard) · (\d+) minutes · importance [1-5] of 5$")
TABLE = re.compile(r"(?m)^\| 45 minutes \| 90 minutes \| what happens(?: in (\d\d))? \|\n\|[-| ]+\n((?:\|.+\n)+)")


class Row(NamedTuple):
    """A row of a plan: the minutes from and to, or None if the shorter plan leaves it out, and what happens."""

    short: tuple[int, int] | None
    long: tuple[int, int]
    text: str


def plans() -> dict[str, list[Row]]:
    """The rows of the plan of each lesson; a plan for two lessons is that of the second one."""
    text = (ROOT / "docs" / "instructors.md").read_text(encoding="utf-8")
    found = {}
    for section in re.split(r"(?m)^### ", text[: text.index("### The capstones")])[1:]:
        title = section.split("\n", 1)[0]
        for lesson, rows in TABLE.findall(section):
            found[lesson or re.findall(r"\b\d\d\b", title)[-1]] = [_row(row) for row in rows.splitlines()]
    return found


def _row(row: str) -> Row:
    short, long, text = (cell.strip() for cell in row.strip("|").split("|", 2))
    return Row(_span(short) if short else None, _span(long), text)


def _span(cell: str) -> tuple[int, int]:
    start, end = cell.split("-")
    return int(start), int(end)


def minutes(lesson: str) -> dict[str, int]:
    """The minutes of each task of a lesson."""
    [source] = (ROOT / "notebooks" / "source").glob(f"{lesson}_*.py")
    return {task: int(time) for task, time in TASK.findall(source.read_text(encoding="utf-8"))}


def tasks_of(text: str, lesson: str) -> tuple[int, int]:
    """The minutes of the tasks that a row names: in 45 minutes, and in 90; "in 90 minutes" separates the two."""
    named = [
        sum(
            next(
                time for task, time in minutes(lesson).items() if task.removeprefix("More practice: ").startswith(name)
            )
            for name in names
        )
        for names in (re.findall(r"\*([A-Za-z][a-z ]+)\*", part) for part in (text.split("in 90 minutes")[0], text))
    ]
    return named[0], named[1]


PLANS = plans()


def test_every_lesson_has_a_plan() -> None:
    lessons = {path.name[:2] for path in (ROOT / "notebooks" / "source").glob("[0-9]*.py")}
    assert {*PLANS} == lessons - {"00"}  # 00 is taught together with 01


@pytest.mark.parametrize("lesson", PLANS)
def test_the_rows_of_a_plan_follow_each_other_from_the_start_to_the_end(lesson: str) -> None:
    for spans, end in (
        ([row.short for row in PLANS[lesson] if row.short], 45),
        ([row.long for row in PLANS[lesson]], 90),
    ):
        assert [start for start, _ in spans] == [0, *(end for _, end in spans[:-1])]
        assert spans[-1][1] == end
        assert all(start < end for start, end in spans)


@pytest.mark.parametrize("lesson", PLANS)
def test_the_practice_has_the_minutes_of_its_tasks(lesson: str) -> None:
    [practice] = [row for row in PLANS[lesson] if row.text.startswith("practice: ")]
    assert practice.short
    short, long = tasks_of(practice.text, lesson)
    assert 0 < short <= practice.short[1] - practice.short[0]
    assert short < long <= practice.long[1] - practice.long[0]


def test_the_minutes_of_named_tasks_are_added() -> None:
    times = minutes("02")
    both = times["Trace it"] + times["Find the bug"]
    assert tasks_of("practice: *Trace*, *Find the bug*; in 90 minutes *Write it*", "02") == (
        both,
        both + times["Write it"],
    )
