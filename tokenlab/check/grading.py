"""The check as a grader: it says the input, what the learner's function did, and the rule, and never the right answer.

>>> from hypothesis import strategies as st
>>> grade(lambda word: word[::-1], lambda word: word, st.tuples(st.text("ab")), "Nothing is turned round.")
Traceback (most recent call last):
...
AssertionError: <lambda>('ab') gives 'ba'. The rule: Nothing is turned round.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from tokenlab.check.borrowed import borrowed
from tokenlab.check.functions import FICKLE, call
from tokenlab.check.given import complaint, unwritten
from tokenlab.check.running import Outcome, run, shown
from tokenlab.check.searching import TRIED, Tally, smallest
from tokenlab.check.traces import alike

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def grade(
    function: Any,
    reference: Callable[..., Any],
    inputs: SearchStrategy[Any],
    rule: str | Callable[..., str],
    examples: Iterable[tuple[Any, ...]] = (),
    tried: int = TRIED,
    same: Callable[[Any, Any], bool] = alike,
) -> None:
    """Pass if the function does what the reference does on every input that is tried; lists count as tuples.

    Args:
        function: what the learner wrote.
        reference: the right function.
        inputs: a hypothesis strategy for tuples of positional arguments.
        rule: one sentence, or a function from the arguments to one.
        examples: tuples of arguments that are tried first.
        tried: how many inputs are drawn.
        same: whether a result is right, given the right one; lists count as tuples unless this says otherwise.

    Raises:
        AssertionError: it does not, or it is no function, not written yet, or calls a library that does the work.
    """
    if problem := _not_graded(function, tuple(inspect.signature(reference).parameters)):
        raise AssertionError(f"{problem}.")

    patience = Tally()

    def passes(outcome: Outcome, arguments: tuple[Any, ...]) -> bool:
        return not outcome.problem and _compared(same, outcome.value, reference(*arguments))

    def fails(arguments: tuple[Any, ...]) -> bool:
        outcome = run(function, arguments)
        if passes(outcome, arguments):
            return False
        patience.add(outcome)  # only the search for a smaller input may be cut short
        return True

    failing: tuple[Any, ...] | None = smallest(inputs, fails, examples, tried=tried)
    if failing is not None:
        outcome = run(function, failing)
        if passes(outcome, failing):
            raise AssertionError(f"{call(function, failing)} {FICKLE}")
        said = rule if isinstance(rule, str) else rule(*failing)
        raise AssertionError(f"{call(function, failing)} {outcome}. The rule: {said}")


def grade_answer(
    sheet: Mapping[str, Any], name: str, right: Any, rule: str, same: Callable[[Any, Any], bool] = alike
) -> None:
    """Pass if what a sheet calls by this name is right; the right answer is not told.

    Raises:
        AssertionError: it is not, or it is not written yet.

    >>> grade_answer({"count": 3}, "count", 4, "Each place counts.")
    Traceback (most recent call last):
    ...
    AssertionError: count = 3 is not right for your data. The rule: Each place counts.
    """
    given = sheet.get(name, ...)
    if given is ...:
        raise AssertionError(f"{name} is not written yet.")
    if not _compared(same, given, right):
        raise AssertionError(f"{name} = {shown(given)} is not right for your data. The rule: {rule}")


def _compared(same: Callable[[Any, Any], bool], given: Any, right: Any) -> bool:
    """Whether a result is right; one of another shape, which cannot be compared, is not."""
    try:
        return bool(same(given, right))
    except Exception:
        return False


def _not_graded(function: Any, arguments: tuple[str, ...]) -> str:
    """Why there are no points before anything is tried; nothing, where something is to be tried."""
    if problem := complaint(function, arguments):
        return problem
    name = getattr(function, "__name__", "your function")
    if unwritten(function):
        return f"{name} is not written yet"
    if used := borrowed(function):
        return f"{name} uses {used}; this task is to write it yourself, so there are no points for it"
    return ""
