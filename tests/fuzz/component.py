"""A component that is fuzzed, and a search that draws inputs for some seconds and shrinks the first one that fails."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase
from hypothesis import strategies as st
from hypothesis.errors import UnsatisfiedAssumption


@dataclass(frozen=True)
class Component:
    """A part of the kit: its name, its inputs, and a check that raises an exception for an input with a wrong result.

    Inputs are values whose `repr` is Python source, so that a failing one can be stored as a test.
    """

    name: str
    inputs: st.SearchStrategy[Any]
    check: Callable[[Any], None]


@dataclass(frozen=True)
class Finding:
    """The result of a search: the number of inputs, and the smallest failing one with its error, if any."""

    tried: int
    failing: Any = None
    error: str = ""


def search(component: Component, seconds: float, seed: int, batch: int = 200) -> Finding:
    """Check inputs until the time is over or one fails; then shrink it, however long that takes.

    >>> search(Component("small", st.integers(0, 1000), lambda drawn: None), 0.01, 1).error
    ''
    >>> def less(drawn): assert drawn < 17, "not less"
    >>> found = search(Component("small", st.integers(0, 1000), less), 5, 1)
    >>> found.failing, found.error
    (17, 'AssertionError: not less')
    """
    end, tried, failing, error = time.monotonic() + seconds, 0, None, ""

    def property_(drawn: Any) -> None:
        nonlocal tried, failing, error
        if not error and time.monotonic() > end:
            return
        tried += not error
        try:
            component.check(drawn)
        except UnsatisfiedAssumption:
            raise
        except Exception as raised:
            failing, error = drawn, "".join(traceback.format_exception_only(raised)).strip()
            raise

    configured = hypothesis.settings(
        max_examples=batch, database=None, deadline=None, suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink), report_multiple_bugs=False, print_blob=False,
    )  # fmt: skip
    while not error and time.monotonic() < end:
        try:
            hypothesis.seed(seed)(configured(hypothesis.given(component.inputs)(property_)))()
        except Exception:
            if not error:
                raise
        seed += 1
    return Finding(tried, failing, error)
