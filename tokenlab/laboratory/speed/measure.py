"""Compare the times of several programs in one run.

Adds: programs that take turns, set-up that is not timed, and the median of the ratios.
Leaves out: seconds. They depend on the machine, and ratios of one run depend on it much less.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from tokenlab.printing.errors import lookup

Program: TypeAlias = Callable[..., Any]
Prepared: TypeAlias = tuple[Callable[[], Any], Program]

CLOCKS: dict[str, Callable[[], float]] = {"cpu": time.process_time, "wall": time.perf_counter}


def measure(
    programs: Mapping[str, Program | Prepared], repeats: int = 5, clock: Literal["cpu", "wall"] = "cpu"
) -> dict[str, float]:
    """Return the time of each program divided by the time of the first one: the median over all turns.

    In each turn, every program runs once. So a busy machine slows down all programs of this turn.

    Args:
        programs: functions without arguments; or pairs of a set-up function, and a function that gets its result
            as an argument. The set-up runs before each run and is not timed.
        repeats: the number of turns.
        clock: "cpu" counts the CPU time of all threads of this process, "wall" the time that passes.

    Raises:
        ValueError: there is no program, no turn, or no such clock.

    >>> list(measure({"first": lambda: sum(range(999)), "second": (list, sorted)}, repeats=1))
    ['first', 'second']
    """
    turns = times(programs, repeats, clock)
    first = next(iter(turns.values()))
    return {
        name: statistics.median(mine / other for mine, other in zip(seconds, first, strict=True))
        for name, seconds in turns.items()
    }


def times(
    programs: Mapping[str, Program | Prepared], repeats: int = 5, clock: Literal["cpu", "wall"] = "cpu"
) -> dict[str, list[float]]:
    """Return the seconds of each program in each turn. Arguments and errors as in `measure`.

    >>> [len(seconds) for seconds in times({"sum": lambda: sum(range(9))}, repeats=3).values()]
    [3]
    """
    if not programs:
        raise ValueError("programs is empty; give at least one name with a function")
    if repeats < 1:
        raise ValueError(f"repeats={repeats}: a measurement needs at least one turn; give 1 or more")
    now = lookup("clock", clock, CLOCKS)
    found: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(repeats):
        for name, program in programs.items():
            found[name].append(run_time(program, now))
    return found


def run_time(program: Program | Prepared, now: Callable[[], float]) -> float:
    """Return the seconds of one run, without its set-up.

    Args:
        program: a function, or a pair of a set-up function and a function, as in `measure`.
        now: the clock: a function that returns seconds.

    >>> run_time((list, sorted), iter((2.0, 5.0)).__next__)
    3.0
    """
    prepare, run = program if isinstance(program, tuple) else (None, program)
    prepared = () if prepare is None else (prepare(),)
    was_enabled = gc.isenabled()
    gc.disable()  # as timeit: the garbage of one program should not cost time in the next one
    try:
        start = now()
        run(*prepared)
        # subtle: a clock with coarse steps can return the same time twice, and a ratio must not divide by 0.
        return max(now() - start, 1e-9)
    finally:
        if was_enabled:
            gc.enable()
