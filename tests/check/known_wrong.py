"""The wrong programs that stand in the checks themselves, for the tables of samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tokenlab.check import FunctionCheck


def known(one: FunctionCheck, fragment: str, most: int) -> tuple[Callable[..., Any], str, int]:
    """The only program of a check whose rule has this fragment, the fragment, and the longest input that shows it."""
    (program,) = (program for program, rule in one.known_wrong if fragment in rule)
    return program, fragment, most
