"""The functions in which a program spends its time, found by Python's profiler.

>>> print(hot_functions(lambda: sorted(range(99)), most=1).splitlines()[0])
  share     calls  function
"""

from __future__ import annotations

import cProfile
import pstats
import re
from collections.abc import Callable
from pathlib import PurePath
from typing import Any


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
