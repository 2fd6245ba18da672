"""The check as a grader: it says the input, what the learner's function did, and the rule, and never the right answer.

>>> from hypothesis import strategies as st
>>> grade(lambda word: word[::-1], lambda word: word, st.tuples(st.text("ab")), "Nothing is turned round.")
Traceback (most recent call last):
...
AssertionError: <lambda>('ab') gives 'ba'. The rule: Nothing is turned round.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from tokenlab.check.borrowed import borrowed
from tokenlab.check.functions import call
from tokenlab.check.given import complaint, unwritten
from tokenlab.check.running import Outcome, run, same
from tokenlab.check.searching import TRIED, smallest
from tokenlab.check.traces import loose

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def grade(
    function: Any,
    reference: Callable[..., Any],
    inputs: SearchStrategy[Any],
    rule: str | Callable[..., str],
    examples: Iterable[tuple[Any, ...]] = (),
    tried: int = TRIED,
) -> None:
    """Pass if the function does what the reference does on every input that is tried; lists count as tuples.

    Args:
        function: what the learner wrote.
        reference: the right function.
        inputs: a hypothesis strategy for tuples of positional arguments.
        rule: one sentence, or a function from the arguments to one.
        examples: tuples of arguments that are tried first.
        tried: how many inputs are drawn.

    Raises:
        AssertionError: it does not, or it is no function, not written yet, or calls a library that does the work.
    """
    problem = complaint(function, tuple(inspect.signature(reference).parameters))
    if not problem and unwritten(function):
        problem = f"{function.__name__} is not written yet"
    if not problem and (used := borrowed(function)):
        problem = f"{function.__name__} uses {used}; this task is to write it yourself, so there are no points for it"
    if problem:
        raise AssertionError(f"{problem}.")

    def passes(outcome: Outcome, arguments: tuple[Any, ...]) -> bool:
        return not outcome.problem and same(loose(outcome.value), loose(reference(*arguments)))

    failing: tuple[Any, ...] | None = smallest(
        inputs, lambda arguments: not passes(run(function, arguments), arguments), examples, tried
    )
    if failing is not None:
        said = rule if isinstance(rule, str) else rule(*failing)
        raise AssertionError(f"{call(function, failing)} {run(function, failing)}. The rule: {said}")
