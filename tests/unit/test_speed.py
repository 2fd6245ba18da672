"""Measuring: turns, preparation, growth, shares and profiles; no test looks at a real time."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest

from tokenlab.laboratory.speed import measure as module
from tokenlab.laboratory.speed.measure import growth_exponent, hot_functions, knock_out, measure, measure_growth, times
from tokenlab.show.plots import plot_growth, plot_ratios


class Clock:
    """A clock that only `wait` moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(module.time, "process_time", clock)
    return clock


def test_ratios_are_relative_to_the_first_and_the_median_of_the_turns(clock: Clock) -> None:
    slow: Iterator[float] = iter([2, 90, 4])
    programs = {"one": lambda: clock.wait(1), "two": lambda: clock.wait(next(slow))}
    assert measure(programs, repeats=3) == {"one": 1, "two": 4}


def test_the_ratio_is_taken_within_a_turn(clock: Clock) -> None:
    busy = [1, 10, 100]
    first, second = iter(busy), iter(busy)
    programs = {"one": lambda: clock.wait(next(first)), "two": lambda: clock.wait(3 * next(second))}
    assert measure(programs, repeats=3)["two"] == pytest.approx(3)


def test_programs_take_turns_and_preparation_is_not_timed(clock: Clock) -> None:
    order: list[str] = []

    def prepare() -> str:
        clock.wait(50)
        order.append("prepare")
        return "new"

    def run(prepared: str) -> None:
        order.append(prepared)
        clock.wait(2)

    assert times({"a": lambda: order.append("a"), "b": (prepare, run)}, repeats=2)["b"] == [2, 2]
    assert order == ["a", "prepare", "new"] * 2


def test_a_clock_that_does_not_move_gives_no_division_by_zero(clock: Clock) -> None:
    assert measure({"a": lambda: None, "b": lambda: None}) == {"a": 1, "b": 1}


def test_garbage_collection_is_as_before_also_after_an_error() -> None:
    assert gc.isenabled()
    seen: list[bool] = []

    def fail() -> None:
        seen.append(gc.isenabled())
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        measure({"a": fail})
    assert seen == [False] and gc.isenabled()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (({},), "programs is empty; give at least one name with a function"),
        (({"a": print}, 0), "repeats=0: a measurement needs at least one turn; give 1 or more"),
    ],
)
def test_a_measurement_that_cannot_be_made_is_refused(arguments: tuple[Any, ...], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        measure(*arguments)


def test_growth_is_measured_on_prefixes_at_the_sizes_of_each_program(clock: Clock) -> None:
    programs = {"linear": lambda text: clock.wait(len(text)), "square": lambda text: clock.wait(len(text) ** 2)}
    found = measure_growth(programs, "a" * 99, {"linear": (10, 90), "square": (2, 4, 8)})
    assert found == {"linear": [(10, 10), (90, 90)], "square": [(2, 4), (4, 16), (8, 64)]}
    exponents = {name: growth_exponent(*curve[0], *curve[-1]) for name, curve in found.items()}
    assert exponents == {"linear": 1, "square": 2}


def test_a_text_that_is_too_short_is_refused() -> None:
    with pytest.raises(ValueError, match="the text has 3 elements, and the largest size is 5; give a longer text"):
        measure_growth({"a": len}, "abc", {"a": (1, 5)})


@pytest.mark.parametrize("numbers", [(1, 1, 1, 2), (0, 1, 2, 2), (1, 0, 2, 2), (1, 1, 2, -2)])
def test_an_exponent_of_impossible_numbers_is_refused(numbers: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="give two different sizes, and sizes and times above 0"):
        growth_exponent(*numbers)


def test_each_part_has_a_step_with_its_share() -> None:
    recording = knock_out.record(10.0, {"a": 5, "b": 12.5})
    assert recording.result == {"a": 0.5, "b": -0.25}
    assert [step.speedup for step in recording] == [2, 0.8]
    with pytest.raises(ValueError, match="a: a time of 0 is not possible; give a number above 0"):
        knock_out(1, {"a": 0})


def busy() -> int:
    return sum(number * number for number in range(20_000))


def test_a_profile_names_the_hot_function_and_its_line() -> None:
    head, *lines = hot_functions(lambda: [busy() for _ in range(5)], most=2).splitlines()
    assert head.split() == ["share", "calls", "function"]
    assert len(lines) == 2
    assert any("<genexpr> (test_speed.py, line " in line for line in lines)


def test_bars_have_a_label_each_and_curves_start_at_one() -> None:
    (axes,) = plot_ratios({"one": 1.0, "two": 2.5}).axes
    assert [bar.get_width() for bar in axes.patches] == [1, 2.5]
    assert [label.get_text() for label in axes.texts] == ["1.00", "2.50"]
    (axes,) = plot_growth({"one": [(1, 0.5), (2, 1.0)], "two": [(4, 8.0), (8, 64.0)]}).axes
    assert [[*line.get_ydata()] for line in axes.lines] == [[1, 2], [16, 128]]
    assert axes.get_xscale() == axes.get_yscale() == "log"
