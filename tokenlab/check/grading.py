"""The check as a grader: it says the input, what the learner's function did, and the rule, and never the right answer.

>>> from hypothesis import strategies as st
>>> grade(lambda word: word[::-1], lambda word: word, st.tuples(st.text("ab")), "Nothing is turned round.")
Traceback (most recent call last):
...
AssertionError: <lambda>('ab') gives 'ba'. The rule: Nothing is turned round.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any

from tokenlab.check.borrowed import borrowed
from tokenlab.check.functions import FICKLE, call
from tokenlab.check.given import complaint, untouched, unwritten
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
    _compare(function, reference, inputs, rule, examples, tried, same, lambda *arguments: call(function, arguments))


def grade_class(
    cls: Any,
    reference: type,
    use: Callable[..., Any],
    written: Callable[..., str],
    inputs: SearchStrategy[Any],
    rule: str,
    examples: Iterable[tuple[Any, ...]] = (),
    tried: int = TRIED,
    same: Callable[[Any, Any], bool] = alike,
) -> None:
    """Pass if an object of the learner's class does what one of the reference's does, on every input that is tried.

    Args:
        cls: what the learner wrote.
        reference: the right class; the learner's has to have all of its methods.
        use: from a class and the input to what is compared: it makes an object, and calls its methods.
        written: from the name of the class and the input to that use, in words.
        inputs: a hypothesis strategy for tuples of what `use` takes behind the class.
        rule: one sentence.
        examples: inputs that are tried first.
        tried: how many inputs are drawn.
        same: whether a result is right, given the right one.

    Raises:
        AssertionError: it does not, or it is no class, lacks a method, or calls a library that does the work.

    >>> from hypothesis import strategies as st
    >>> class Right:
    ...     def double(self, number): return 2 * number
    >>> class Mine:
    ...     def double(self, number): return number ** 2
    >>> grade_class(
    ...     Mine, Right, lambda cls, number: cls().double(number), lambda name, number: f"{name}().double({number})",
    ...     st.tuples(st.integers(0, 9)), "Doubling adds a number to itself."
    ... )
    Traceback (most recent call last):
    ...
    AssertionError: Mine().double(1) gives 1. The rule: Doubling adds a number to itself.
    """
    methods = [name for name, method in vars(reference).items() if inspect.isfunction(method)]
    if problem := _class_not_graded(cls, methods):
        raise AssertionError(f"{problem}.")

    # subtle: by what it wraps, `run` knows whose lines are counted.
    @wraps(getattr(cls, methods[-1]), assigned=())
    def used(*arguments: Any) -> Any:
        return use(cls, *arguments)

    def right(*arguments: Any) -> Any:
        return use(reference, *arguments)

    _compare(used, right, inputs, rule, examples, tried, same, lambda *given: written(cls.__name__, *given))


def _compare(
    function: Any,
    reference: Callable[..., Any],
    inputs: SearchStrategy[Any],
    rule: str | Callable[..., str],
    examples: Iterable[tuple[Any, ...]],
    tried: int,
    same: Callable[[Any, Any], bool],
    written: Callable[..., str],
) -> None:
    """Raise what is to be said about the smallest input on which the two differ, if there is one."""
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
            raise AssertionError(f"{written(*failing)} {FICKLE}")
        said = rule if isinstance(rule, str) else rule(*failing)
        raise AssertionError(f"{written(*failing)} {outcome}. The rule: {said}")


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


def _class_not_graded(cls: Any, methods: Sequence[str]) -> str:
    """Why a class gets no points before anything is tried; nothing, where something is to be tried."""
    if cls is None or cls is ...:
        return f"{cls} is no class; define one, and keep its name"
    if not inspect.isclass(cls):
        return f"{shown(cls)} is no class; define one, and keep its name"
    for name in methods:
        if not callable(getattr(cls, name, None)):
            return f"{cls.__name__} has no method {name}; it should have {', '.join(methods)}"
        if untouched(getattr(cls, name)):
            return f"{cls.__name__}.{name} is not written yet"
    parts = (part for base in inspect.getmro(cls)[:-1] for part in vars(base).values())
    if used := next(filter(None, map(borrowed, parts)), ""):
        return f"{cls.__name__} uses {used}; this task is to write it yourself, so there are no points for it"
    return ""
