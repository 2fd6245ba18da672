"""Search for the smallest failing input of a function: hypothesis finds one and shrinks it.

>>> from hypothesis import strategies as st
>>> words = st.lists(st.sampled_from("ab")).map(tuple)
>>> smallest_failure(words, lambda word: word.count("b") > 1)
('b', 'b')
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

from tokenlab.check.isolated_run import Outcome

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

T = TypeVar("T")

NUM_INPUTS = 300  # random inputs that a right function passes
FAILURES = 400  # failing inputs tried while shrinking
MAX_SHRINKS = 5_000_000  # lines run in one search (seconds); after that, the smallest input so far is returned


def smallest_failure(
    inputs: SearchStrategy[T],
    fails: Callable[[T], bool],
    first: Iterable[T] = (),
    last: Iterable[T] = (),
    tried: int = NUM_INPUTS,
) -> T | None:
    """Return the smallest failing input that is found, or None if all inputs pass.

    Args:
        inputs: the strategy that draws inputs.
        fails: returns True if the function fails on an input; may raise `SearchStoppedError` to end the search.
        first: inputs that are tried first; a failing one is returned if the search finds none that is smaller.
        last: inputs that are tried if all others pass, such as the empty one, on which many wrong functions fail.
        tried: the number of random inputs.
    """
    failing: T | None = None
    failures = 0

    def count(drawn: T) -> bool:
        nonlocal failing, failures
        if failures > FAILURES:
            raise SearchStoppedError
        if not fails(drawn):
            return False
        # subtle: the smallest is the one with the shortest repr; hypothesis orders inputs differently.
        failing = drawn if failing is None else min(drawn, failing, key=lambda value: len(repr(value)))
        failures += 1
        return True

    hypothesis = _hypothesis()
    settings = hypothesis.settings(
        database=None,
        deadline=None,
        derandomize=False,
        max_examples=tried,
        report_multiple_bugs=False,  # find one failure and shrink it
        phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    with contextlib.suppress(hypothesis.errors.NoSuchExample, hypothesis.errors.Flaky, SearchStoppedError):
        any(map(count, first))
        hypothesis.find(inputs, count, settings=settings, random=Random(0))
    with contextlib.suppress(SearchStoppedError):
        any(map(count, () if failing else last))
    return failing


def sample_inputs(inputs: SearchStrategy[T], number: int) -> list[T]:
    """Return the first inputs that a strategy draws."""
    seen: list[T] = []
    smallest_failure(inputs, lambda one: bool(seen.append(one)), tried=number)  # type: ignore[func-returns-value]
    return seen


class SearchStoppedError(BaseException):
    """Ends a search; not an Exception, because hypothesis would count that as a failure of the function."""


@dataclass
class SearchStatistics:
    """The number of inputs and lines run so far in a search, and whether the function printed anything."""

    inputs: int = 0
    lines: int = 0
    printed: bool = False

    def add(self, outcome: Outcome) -> Outcome:
        """Count a run.

        Raises:
            SearchStoppedError: the search has already run more than `MAX_SHRINKS` lines.
        """
        if self.lines > MAX_SHRINKS:
            raise SearchStoppedError
        self.inputs += 1
        self.lines += outcome.lines
        self.printed |= bool(outcome.printed)
        return outcome


@cache
def _hypothesis() -> Any:
    """Import hypothesis at its first use, with its storage folder outside the learner's folder."""
    if "HYPOTHESIS_STORAGE_DIRECTORY" not in os.environ:
        _hypothesis.folder = TemporaryDirectory(prefix="tokenlab-")  # type: ignore[attr-defined]
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = _hypothesis.folder.name  # type: ignore[attr-defined]
    import hypothesis

    return hypothesis
