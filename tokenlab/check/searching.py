"""Looking for the smallest input on which a function is wrong: hypothesis finds one and makes it small.

>>> from hypothesis import strategies as st
>>> words = st.lists(st.sampled_from("ab")).map(tuple)
>>> smallest(words, lambda word: word.count("b") > 1)
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

from tokenlab.check.running import Outcome

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

T = TypeVar("T")

TRIED = 300  # inputs that are drawn before a function counts as right
FAILURES = 400  # failing inputs that are looked at while one is made smaller
PATIENCE = 5_000_000  # lines that run in one search, which takes seconds; then the smallest so far is the answer


def smallest(
    inputs: SearchStrategy[T],
    fails: Callable[[T], bool],
    first: Iterable[T] = (),
    last: Iterable[T] = (),
    tried: int = TRIED,
) -> T | None:
    """The smallest input that fails, as far as it can be found; None where none of those that are tried does.

    Args:
        inputs: what is drawn from.
        fails: whether the function is wrong on an input; it may raise `EnoughError`, which ends the search.
        first: inputs that are tried before; one that fails is a reason to search, and the answer if nothing is smaller.
        last: inputs that are tried if nothing else fails, such as the empty one, on which too much would go wrong.
        tried: how many are drawn.
    """
    failing: T | None = None
    failures = 0

    def count(drawn: T) -> bool:
        nonlocal failing, failures
        if failures > FAILURES:
            raise EnoughError
        if not fails(drawn):
            return False
        failing, failures = drawn if failing is None else min(drawn, failing, key=_size), failures + 1
        return True

    hypothesis = _hypothesis()
    settings = hypothesis.settings(
        database=None,
        deadline=None,
        derandomize=False,
        max_examples=tried,
        report_multiple_bugs=False,  # find one, and make it small
        phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    with contextlib.suppress(hypothesis.errors.NoSuchExample, hypothesis.errors.Flaky, EnoughError):
        any(map(count, first))
        hypothesis.find(inputs, count, settings=settings, random=Random(0))
    with contextlib.suppress(EnoughError):
        any(map(count, () if failing else last))
    return failing


def _size(value: object) -> int:
    """How much there is to read, which hypothesis does not know."""
    return len(repr(value))


def drawn(inputs: SearchStrategy[T], number: int) -> list[T]:
    """The first inputs that a strategy draws."""
    seen: list[T] = []
    smallest(inputs, lambda one: bool(seen.append(one)), tried=number)  # type: ignore[func-returns-value]
    return seen


class EnoughError(BaseException):
    """Ends a search. Not an Exception, which hypothesis would take for a failure of the function."""


@dataclass
class Tally:
    """What a search has cost so far, and whether anything was printed."""

    inputs: int = 0
    lines: int = 0
    printed: bool = False

    def add(self, outcome: Outcome) -> Outcome:
        """Count a run.

        Raises:
            EnoughError: that was the last one for which there is patience.
        """
        if self.lines > PATIENCE:
            raise EnoughError
        self.inputs += 1
        self.lines += outcome.lines
        self.printed |= bool(outcome.printed)
        return outcome


@cache
def _hypothesis() -> Any:
    """Imported when it is needed, and kept from leaving its folder where the learner works."""
    if "HYPOTHESIS_STORAGE_DIRECTORY" not in os.environ:
        _hypothesis.folder = TemporaryDirectory(prefix="tokenlab-")  # type: ignore[attr-defined]
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = _hypothesis.folder.name  # type: ignore[attr-defined]
    import hypothesis

    return hypothesis
