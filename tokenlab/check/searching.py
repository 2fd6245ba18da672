"""Looking for the smallest input on which a function is wrong: hypothesis finds one and makes it small.

>>> from hypothesis import strategies as st
>>> words = st.lists(st.sampled_from("ab")).map(tuple)
>>> smallest(words, lambda word: word.count("b") > 1)
('b', 'b')
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import cache
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

T = TypeVar("T")

TRIED = 300  # inputs that are drawn before a function counts as right
FAILURES = 400  # failing inputs that are looked at while one is made smaller


def smallest(
    inputs: SearchStrategy[T], fails: Callable[[T], bool], first: Iterable[T] = (), tried: int = TRIED
) -> T | None:
    """The smallest input that fails, as far as it can be found; None where none of those that are tried does.

    Args:
        inputs: what is drawn from.
        fails: whether the function is wrong on an input.
        first: inputs that are tried before; one that fails is a reason to search, and the answer if nothing is smaller.
        tried: how many are drawn.
    """
    failing: T | None = next(filter(fails, first), None)
    failures = 0

    def count(drawn: T) -> bool:
        nonlocal failing, failures
        if failures > FAILURES:
            raise _EnoughError
        if not fails(drawn):
            return False
        failing, failures = drawn, failures + 1
        return True

    hypothesis = _hypothesis()
    settings = hypothesis.settings(
        database=None,
        deadline=None,
        derandomize=False,
        max_examples=tried,
        phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    try:
        found: T = hypothesis.find(inputs, count, settings=settings, random=Random(0))
        return found
    except (hypothesis.errors.NoSuchExample, hypothesis.errors.Flaky, _EnoughError):
        return failing


class _EnoughError(BaseException):
    """Not an Exception, which hypothesis would take for a failure of the function."""


@cache
def _hypothesis() -> Any:
    """Imported when it is needed, and kept from leaving its folder where the learner works."""
    if "HYPOTHESIS_STORAGE_DIRECTORY" not in os.environ:
        _hypothesis.folder = TemporaryDirectory(prefix="tokenlab-")  # type: ignore[attr-defined]
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = _hypothesis.folder.name  # type: ignore[attr-defined]
    import hypothesis

    return hypothesis
