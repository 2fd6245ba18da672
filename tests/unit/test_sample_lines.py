"""The lines that a vocabulary sees: spread over the file, within a budget that is spent in characters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import texts
from tokenlab.algorithms.training_data.sample_lines import LineSampled, SamplingEnded, lines_to_skip, sample_lines

LINES = ["red", "green", "blue", "white", "black", "grey"]


def test_of_skipped_lines_and_one_the_one_is_taken() -> None:
    # The note on this function says that every fifth line is taken where five are skipped.
    steps = list(sample_lines.steps(map(str, range(1, 31)), size=100, budget=10))
    assert lines_to_skip(100, 10) == 5
    assert [step.number for step in steps if isinstance(step, LineSampled)] == [6, 12, 18, 24, 30]


def test_half_of_what_would_just_spend_the_budget_is_skipped() -> None:
    assert [lines_to_skip(size, 10) for size in (0, 10, 19, 20, 39, 40, 100, 1000)] == [0, 0, 0, 1, 1, 2, 5, 50]


def test_the_budget_is_looked_at_before_a_line_is_taken_and_may_be_overdrawn_by_the_last() -> None:
    assert sample_lines(LINES, 10, 6) == ["red", "green"]
    assert sample_lines(LINES, 10, 8) == ["red", "green"]
    assert sample_lines(LINES, 10, 8.5) == ["red", "green", "blue"]


def test_the_budget_is_spent_in_characters_not_bytes() -> None:
    chinese = ["茶饭鱼"] * 4  # 36 bytes and 4 line ends
    assert sample_lines(chinese, 40, 30) == chinese
    assert sample_lines(["abcdefghi"] * 4, 40, 30) == ["abcdefghi"] * 4
    assert sample_lines(["abcdefghi"] * 4, 40, 27) == ["abcdefghi"] * 3


def test_white_space_at_the_ends_is_no_part_of_a_line_and_costs_nothing() -> None:
    steps = list(sample_lines.steps([" a b \r\n", "\u3000\n", "\n"], 3, 10))
    sampled = [(step.line, step.budget_left) for step in steps if isinstance(step, LineSampled)]
    assert sampled == [("a b", 7), ("", 7), ("", 7)]


def test_lines_are_read_no_further_than_needed() -> None:
    def lines() -> Iterator[str]:
        yield from LINES[:3]
        raise AssertionError("read too far")

    assert sample_lines(lines(), 4, 3) == ["red"]


@pytest.mark.parametrize("lines", [[], [""], ["a"]])
def test_short_files_are_taken_whole(lines: list[str]) -> None:
    assert sample_lines(lines, 2, 1e6) == lines


@pytest.mark.parametrize("budget", [0, -1, float("nan")])
def test_a_budget_that_buys_nothing_is_refused(budget: float) -> None:
    with pytest.raises(ValueError, match=r"file_byte_budget=.*give more than 0"):
        sample_lines(LINES, 10, budget)


def test_the_last_step_says_why_the_sample_ends() -> None:
    assert str(sample_lines.record(LINES, 10, 3)[-1]) == "line 4 would be next, but the budget is spent: reading stops"
    assert str(sample_lines.record(LINES, 10, 99)[-1]) == "the file ends after line 6"
    assert "4 characters, and the budget is spent" in str(sample_lines.record(LINES, 31, 7)[1])


def by_definition(lines: list[str], size: int, budget: float) -> list[str]:
    """Every line whose number is a multiple of the period, while what the ones before cost is below the budget."""
    period = int(size / budget / 2) + 1
    candidates = [line.strip() for line in lines[period - 1 :: period]]
    return [line for n, line in enumerate(candidates) if sum(map(len, candidates[:n])) < budget]


@given(st.lists(texts(max_snippets=3), max_size=30), st.integers(0, 500), st.floats(0.5, 200))
def test_the_sample_is_what_the_definition_says(lines: list[str], size: int, budget: float) -> None:
    taken = sample_lines(lines, size, budget)
    wanted = by_definition(lines, size, budget)
    # A line that costs nothing leaves the budget as it is; once it is spent, no line is taken.
    assert taken == wanted
    recording: Any = sample_lines.record(lines, size, budget)
    assert recording.result == taken == [step.line for step in recording if isinstance(step, LineSampled)]
    assert isinstance(recording[-1], SamplingEnded) and sum(isinstance(step, SamplingEnded) for step in recording) == 1
