"""How the time of a program grows with the size of its input.

>>> growth_exponent(1000, 0.1, 2000, 0.4)
2.0
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import log
from typing import Any, TypeAlias

from tokenlab.laboratory.speed.measure import times

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
