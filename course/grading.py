"""The checks as graders: a failure names the input, the learner's result and the rule, but never the right answer.

A function or class may be in another process (`course.sandbox`); the reference is always in this one.

>>> from hypothesis import strategies as st
>>> grade(lambda word: word[::-1], lambda word: word, st.tuples(st.text("ab")), "Nothing is turned round.")
Traceback (most recent call last):
...
course.grading.FailedInputError: <lambda>('ab') gives 'ba'. The rule: Nothing is turned round.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import partial, wraps
from math import inf, isclose
from numbers import Real
from typing import TYPE_CHECKING, Any

from course.course_seed import seed
from course.sandbox.gradable import class_problem, function_problem
from tokenlab.check.function_check import NONDETERMINISTIC, NUM_INPUTS, SearchStatistics, call, smallest_failure
from tokenlab.check.isolated_run import Outcome, display, run
from tokenlab.check.tensor_values import has_tensors, is_tensor, tensor_type
from tokenlab.check.trace_comparison import equal_values

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


TOLERANCE = 1e-4  # absolute or relative
MOST_PARTS, LARGEST = 10_000, 1_000_000  # of a result that is compared, unless the right one has more


class FailedInputError(AssertionError):
    """A function fails on an input; `without_input` says what can be said without it."""

    def __init__(self, message: str, without_input: str) -> None:
        super().__init__(message)
        self.without_input = without_input


def grade(
    function: Any,
    reference: Callable[..., Any],
    inputs: SearchStrategy[Any],
    rule: str,
    examples: Iterable[tuple[Any, ...]] = (),
    tried: int = NUM_INPUTS,
    same: Callable[[Any, Any], bool] = equal_values,
    tensors: float | None = None,
) -> None:
    """Pass if the function agrees with the reference on every input that is tried; lists equal tuples.

    Args:
        function: the learner's function.
        reference: the right function.
        inputs: a hypothesis strategy for tuples of positional arguments.
        rule: one sentence.
        examples: tuples of arguments that are tried first.
        tried: the number of random inputs.
        same: compares the learner's result with the expected one; by default lists equal tuples.
        tensors: allow tensors of torch as arguments and results, and torch without `torch.nn`; the tolerance with
            which they are compared after dtype and shape, such as 1e-4. By default, torch is not allowed.

    Raises:
        AssertionError: the function fails, is not a function, is not written yet, or calls a library.

    >>> import torch
    >>> from hypothesis import strategies as st
    >>> inputs = st.just((torch.tensor([3.0, 4.0]),))
    >>> grade(lambda x: x.sum(0, keepdim=True), lambda x: x * 2, inputs, "Each number is doubled.", tensors=1e-4)
    Traceback (most recent call last):
    ...
    course.grading.FailedInputError: <lambda>(tensor([3.0, 4.0])) gives a float32 tensor of shape (1,): [7.0]; ...
    """
    problem_of = getattr(function, "problem", None) or partial(function_problem, function)
    if problem := problem_of(tuple(inspect.signature(reference).parameters), tensors is not None):
        raise AssertionError(f"{problem}.")
    described, name = partial(call, function), getattr(function, "__name__", "your function")
    _compare(name, function, reference, inputs, rule, examples, tried, same, lambda *given: described(given), tensors)


def grade_class(
    cls: Any,
    reference: type,
    use: Callable[..., Any],
    written: Callable[..., str],
    inputs: SearchStrategy[Any],
    rule: str,
    examples: Iterable[tuple[Any, ...]] = (),
    tried: int = NUM_INPUTS,
    same: Callable[[Any, Any], bool] = equal_values,
    tensors: float | None = None,
) -> None:
    """Pass if an object of the learner's class behaves like one of the reference class on every input that is tried.

    Args:
        cls: the learner's class.
        reference: the right class; the learner's class must have all of its methods.
        use: creates an object of the given class, calls its methods with the input, and returns the value to compare.
        written: maps the name of the class and the input to this use as source code.
        inputs: a hypothesis strategy for tuples of the arguments that `use` takes after the class.
        rule: one sentence.
        examples: inputs that are tried first.
        tried: the number of random inputs.
        same: compares the learner's result with the expected one.
        tensors: as in `grade`.

    Raises:
        AssertionError: the class fails, is not a class, lacks a method, or calls a library.

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
    course.grading.FailedInputError: Mine().double(1) gives 1. The rule: Doubling adds a number to itself.
    """
    methods = [name for name, method in vars(reference).items() if inspect.isfunction(method)]
    problem_of = getattr(cls, "class_problem", None) or partial(class_problem, cls)
    if problem := problem_of(methods, tensors is not None):
        raise AssertionError(f"{problem}.")

    def used(*arguments: Any) -> Any:
        return use(cls, *arguments)

    if inspect.isclass(cls):
        # subtle: `run` counts the lines in the namespace of the wrapped function.
        used = wraps(getattr(cls, methods[-1]), assigned=())(used)

    def right(*arguments: Any) -> Any:
        return use(reference, *arguments)

    _compare(
        cls.__name__,
        used,
        right,
        inputs,
        rule,
        examples,
        tried,
        same,
        lambda *given: written(cls.__name__, *given),
        tensors,
    )


def _compare(
    name: str,
    function: Any,
    reference: Callable[..., Any],
    inputs: SearchStrategy[Any],
    rule: str,
    examples: Iterable[tuple[Any, ...]],
    tried: int,
    same: Callable[[Any, Any], bool],
    written: Callable[..., str],
    tensors: float | None,
) -> None:
    """Raise a FailedInputError that describes the smallest input on which the two differ, if there is one."""
    patience = SearchStatistics()
    if tensors is not None and same is equal_values:
        same = partial(close_values, tolerance=tensors)

    def kind(outcome: Outcome, right: Any) -> str:
        """Return the type that the result should have, if it has another one."""
        return "" if outcome.problem or tensors is None else kind_expected(outcome.value, right)

    def passes(outcome: Outcome, arguments: tuple[Any, ...]) -> bool:
        right = reference(*arguments)
        return not outcome.problem and not kind(outcome, right) and _compared(same, outcome.value, right)

    def fails(arguments: tuple[Any, ...]) -> bool:
        outcome = run(function, arguments, tensors=tensors is not None)
        if passes(outcome, arguments):
            return False
        patience.add(outcome)  # counts failures only, so only shrinking can stop early
        return True

    failing: tuple[Any, ...] | None = smallest_failure(inputs, fails, examples, tried=tried, seed=seed(0))
    if failing is not None:
        outcome = run(function, failing, tensors=tensors is not None)
        if passes(outcome, failing):
            raise FailedInputError(f"{written(*failing)} {NONDETERMINISTIC}", f"{name} {NONDETERMINISTIC}")
        wanted = kind(outcome, reference(*failing))
        raise FailedInputError(
            f"{written(*failing)} {outcome}{wanted and f'; it should be {wanted}'}. The rule: {rule}",
            f"{name} fails on an input that is not shown here. The rule: {rule}",
        )


def grade_answer(
    sheet: Mapping[str, Any], name: str, right: Any, rule: str, same: Callable[[Any, Any], bool] = equal_values
) -> None:
    """Pass if the variable with this name in a sheet has the right value; the message does not reveal the value.

    Raises:
        AssertionError: the value is wrong, or not written yet.

    >>> grade_answer({"count": 3}, "count", 4, "Each occurrence counts.")
    Traceback (most recent call last):
    ...
    AssertionError: count = 3 is not right for your data. The rule: Each occurrence counts.
    """
    given = sheet.get(name, ...)
    if given is ...:
        raise AssertionError(f"{name} is not written yet.")
    if not _compared(same, given, right):
        raise AssertionError(f"{name} = {display(given)} is not right for your data. The rule: {rule}")


def _compared(same: Callable[[Any, Any], bool], given: Any, right: Any) -> bool:
    """Whether a result is right; a result that cannot be compared is wrong."""
    parts, largest = extent(right)
    parts, largest = max(MOST_PARTS, 2 * parts), max(LARGEST, 2 * largest)
    mine = extent(given, parts)
    if mine[0] > parts or mine[1] > largest:
        return False
    try:
        return bool(same(given, right))
    except Exception:
        return False


def extent(value: Any, most: float = inf) -> tuple[int, int]:
    """Return the number of parts of a plain value, those of all levels together, and the largest size of its integers.

    It stops counting after `most` parts.

    >>> extent([(0, -7), {"ab": 3}]), extent(range(10))
    ((9, 7), (1, 0))
    """
    parts, largest, left = 0, 0, [value]
    while left and parts <= most:
        one = left.pop()
        parts += 1
        if isinstance(one, int):
            largest = max(largest, abs(one))
        elif isinstance(one, str | bytes):
            parts += len(one)
        elif isinstance(one, Mapping):
            left += [*one.keys(), *one.values()]
        elif isinstance(one, list | tuple | set | frozenset):
            left += one
        elif is_tensor(one):
            parts += one.numel()
    return parts, largest


def kind_expected(given: Any, right: Any) -> str:
    """Return the type that a result should have, in words, if it has another one, or "".

    Only tensors are named, and tuples of them; a number may take the place of a tensor without dimensions.

    >>> import torch
    >>> kind_expected([1.0], torch.tensor([1.0])), kind_expected(1.0, torch.tensor(1.0))
    ('a float32 tensor of shape (1,)', '')
    """
    if is_tensor(right):
        if right.ndim == 0 and _is_number(given):
            return ""
        same = is_tensor(given) and (given.dtype, given.shape) == (right.dtype, right.shape)
        return "" if same else tensor_type(right)
    if isinstance(right, tuple) and has_tensors(right):
        if not isinstance(given, list | tuple) or len(given) != len(right):
            return f"a tuple of {len(right)} values"
        kinds = map(kind_expected, given, right)
        return next((f"{kind} at index {place}" for place, kind in enumerate(kinds) if kind), "")
    return "plain numbers, without tensors" if has_tensors(given) else ""


def close_values(given: Any, right: Any, tolerance: float = TOLERANCE) -> bool:
    """Whether a result has the type and shape of the right one, and numbers that differ by at most the tolerance.

    Integers and Booleans must be equal, and so must infinite numbers. A list equals a tuple.

    >>> import torch
    >>> close_values(torch.tensor([0.1 + 0.2]), torch.tensor([0.3])), close_values([0.3], torch.tensor([0.3]))
    (True, False)
    """
    if kind_expected(given, right):
        return False
    if is_tensor(right):
        if not right.is_floating_point():
            return bool((given == right).all()) if is_tensor(given) else bool(given == right.item())
        if not is_tensor(given):
            return isclose(given, right.item(), rel_tol=tolerance, abs_tol=tolerance)
        return bool(given.isclose(right, rtol=tolerance, atol=tolerance, equal_nan=True).all())
    if isinstance(right, list | tuple):
        if not isinstance(given, list | tuple) or len(given) != len(right):
            return False
        return all(close_values(mine, other, tolerance) for mine, other in zip(given, right, strict=True))
    if isinstance(right, float) and _is_number(given):
        return isclose(given, right, rel_tol=tolerance, abs_tol=tolerance)
    return type(given) is type(right) and bool(given == right)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
