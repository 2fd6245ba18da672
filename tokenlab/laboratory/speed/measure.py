"""Compare the times of several programs in one run; how a time grows; what a part costs; where the time is spent.

Adds: programs that take turns, set-up that is not timed, and the median of the ratios.
Leaves out: seconds. They depend on the machine, and ratios of one run depend on it much less.

>>> growth_exponent(1000, 0.1, 2000, 0.4)
2.0
>>> print(knock_out.record(50, {"offsets": 30, "cache": 60}))
1. without offsets: 30 instead of 50, saves 0.4 of the time, 1.67 times as fast
2. without cache: 60 instead of 50, saves -0.2 of the time, 0.83 times as fast
>>> print(hot_functions(lambda: sorted(range(99)), most=1).splitlines()[0])
  share     calls  function
"""

from __future__ import annotations

import cProfile
import gc
import pstats
import re
import statistics
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from math import log
from pathlib import PurePath
from typing import Any, TypeAlias

from tokenlab.steps.recording import step, stepwise

Program: TypeAlias = Callable[..., Any]
Prepared: TypeAlias = tuple[Callable[[], Any], Program]


def measure(programs: Mapping[str, Program | Prepared], repeats: int = 5) -> dict[str, float]:
    """Return the time of each program divided by the time of the first one: the median over all turns.

    In each turn, every program runs once. So a busy machine slows down all programs of this turn. The time is the CPU
    time of all threads of this process.

    Args:
        programs: functions without arguments; or pairs of a set-up function, and a function that gets its result
            as an argument. The set-up runs before each run and is not timed.
        repeats: the number of turns.

    Raises:
        ValueError: there is no program or no turn.

    >>> list(measure({"first": lambda: sum(range(999)), "second": (list, sorted)}, repeats=1))
    ['first', 'second']
    """
    turns = times(programs, repeats)
    first = next(iter(turns.values()))
    return {
        name: statistics.median(mine / other for mine, other in zip(seconds, first, strict=True))
        for name, seconds in turns.items()
    }


def times(programs: Mapping[str, Program | Prepared], repeats: int = 5) -> dict[str, list[float]]:
    """Return the seconds of each program in each turn. Arguments and errors as in `measure`.

    >>> [len(seconds) for seconds in times({"sum": lambda: sum(range(9))}, repeats=3).values()]
    [3]
    """
    if not programs:
        raise ValueError("programs is empty; give at least one name with a function")
    if repeats < 1:
        raise ValueError(f"repeats={repeats}: a measurement needs at least one turn; give 1 or more")
    found: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(repeats):
        for name, program in programs.items():
            found[name].append(run_time(program))
    return found


def run_time(program: Program | Prepared) -> float:
    """Return the seconds of CPU time of one run, without its set-up.

    Args:
        program: a function, or a pair of a set-up function and a function, as in `measure`.

    >>> run_time((list, sorted)) > 0
    True
    """
    prepare, run = program if isinstance(program, tuple) else (None, program)
    prepared = () if prepare is None else (prepare(),)
    was_enabled = gc.isenabled()
    gc.disable()  # as timeit: the garbage of one program should not cost time in the next one
    try:
        start = time.process_time()
        run(*prepared)
        # subtle: a clock with coarse steps can return the same time twice, and a ratio must not divide by 0.
        return max(time.process_time() - start, 1e-9)
    finally:
        if was_enabled:
            gc.enable()


Points: TypeAlias = list[tuple[int, float]]  # sizes and seconds


def growth_exponent(size: float, time: float, larger_size: float, longer_time: float) -> float:
    """Return k if the time grows as the size to the power k.

    Raises:
        ValueError: both sizes are equal, or a number is not above 0.

    >>> growth_exponent(10, 3, 100, 30), growth_exponent(10, 3, 100, 3)
    (1.0, 0.0)
    """
    if size == larger_size or not min(size, time, larger_size, longer_time) > 0:
        given = f"sizes {size!r} and {larger_size!r}, times {time!r} and {longer_time!r}"
        raise ValueError(f"{given}: give two different sizes, and sizes and times above 0")
    return log(longer_time / time) / log(larger_size / size)


def measure_growth(
    programs: Mapping[str, Callable[[Any], Any]], text: Any, sizes: Mapping[str, Sequence[int]], repeats: int = 3
) -> dict[str, Points]:
    """Return the shortest time of each program for the first part of a text, at each of its sizes.

    Args:
        programs: functions of a text.
        text: a str or bytes, at least as long as the largest size.
        sizes: the sizes at which each program is measured.
        repeats: the number of turns.

    Raises:
        ValueError: the text is too short.

    >>> found = measure_growth({"sum": sum}, bytes(100), {"sum": (50, 100)}, repeats=1)
    >>> [size for size, seconds in found["sum"]]
    [50, 100]
    """
    if (longest := max(size for name in programs for size in sizes[name])) > len(text):
        raise ValueError(f"the text has {len(text)} elements, and the largest size is {longest}; give a longer text")
    tasks = {
        (name, size): (lambda size=size: text[:size], program)
        for name, program in programs.items()
        for size in sizes[name]
    }
    found = times({f"{name} {size}": task for (name, size), task in tasks.items()}, repeats)
    return {name: [(size, min(found[f"{name} {size}"])) for size in sizes[name]] for name in programs}


@step
class PartRemoved:
    """A program was measured without one of its parts."""

    part: str
    whole: float
    without: float

    @property
    def saved(self) -> float:
        """The share of the whole time that is saved; negative if the program is slower without the part."""
        return (self.whole - self.without) / self.whole

    @property
    def speedup(self) -> float:
        """The time of the whole program divided by its time without the part."""
        return self.whole / self.without

    def __str__(self) -> str:
        return (
            f"without {self.part}: {self.without:.3g} instead of {self.whole:.3g}, "
            f"saves {self.saved:.2g} of the time, {self.speedup:.2f} times as fast"
        )


@stepwise
def knock_out(whole: float, without: Mapping[str, float]) -> Generator[PartRemoved, None, dict[str, float]]:
    """Return the share of a program's time that it saves without each part.

    Args:
        whole: the time of the whole program, in any unit.
        without: the time of the program without each part, in the same unit.

    Raises:
        ValueError: a time is not above 0.

    >>> knock_out(50, {"offsets": 30, "cache": 60})
    {'offsets': 0.4, 'cache': -0.2}
    """
    for name, given in {"whole": whole, **without}.items():
        if not given > 0:
            raise ValueError(f"{name}: a time of {given!r} is not possible; give a number above 0")
    saved = {}
    for part, rest in without.items():
        removed = PartRemoved(part, whole, rest)
        yield removed
        saved[part] = removed.saved
    return saved


def hot_functions(program: Callable[[], Any], most: int = 5) -> str:
    """Run a program under `cProfile` and return a table of the functions with the largest shares of its time.

    A share counts the time in a function itself, without the functions that it calls. Profiling slows down each call
    of a Python function, so the shares of small functions are too large.

    Args:
        program: a function without arguments.
        most: the largest number of functions in the table.
    """
    profile = cProfile.Profile()
    profile.runcall(program)
    # subtle: values are (primitive calls, calls, own time, cumulative time, callers); typeshed does not know `stats`.
    stats: dict[tuple[str, int, str], Any] = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    whole = sum(own for _, _, own, *_ in stats.values()) or 1.0
    rows = sorted(stats.items(), key=lambda item: -item[1][2])[:most]
    lines = [f"{own / whole:>7.0%}{calls:>10,}  {_name(*place)}" for place, (_, calls, own, *_) in rows]
    return "\n".join(["  share     calls  function", *lines])


def _name(file: str, line: int, function: str) -> str:
    """Return the name of a function, with its file and line if it is written in Python.

    >>> _name("/a/encode.py", 3, "merge"), _name("~", 0, "<built-in method builtins.min>")
    ('merge (encode.py, line 3)', '<built-in method builtins.min>')
    """
    return re.sub(r" at 0x\w+", "", function) if file == "~" else f"{function} ({PurePath(file).name}, line {line})"
