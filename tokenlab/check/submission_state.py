"""Detect submissions that cannot be checked: no function, a wrong signature, or a function not written yet.

>>> signature_problem(len, ("split", "pair"))
'len takes (obj, /), but it is called with two arguments: split, pair'
"""

from __future__ import annotations

import dis
import inspect
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from types import CodeType
from typing import Any

from tokenlab.check.isolated_run import display

NUMBERS = (
    "no arguments",
    "one argument",
    *(f"{number} arguments" for number in ("two", "three", "four", "five", "six")),
)


def signature_problem(given: Any, arguments: Sequence[str], wants_class: bool = False) -> str:
    """Return the reason why a value cannot be checked as a function or a class of these arguments, or "".

    >>> signature_problem(("aa", "b"), ("split", "pair"))
    "('aa', 'b') is not a function; give the function itself: its name without parentheses"
    """
    if given is None or given is ...:
        return f"{given} is not a function; define one, and give it by its name alone"
    name = getattr(given, "__name__", "your function")
    if wants_class:
        return _signature(given, name, arguments) if inspect.isclass(given) else f"{display(given)} is not a class"
    if inspect.isclass(given):
        return f"{name} is a class; give a function that takes {' and '.join(arguments)}"
    if not callable(given):
        return f"{display(given)} is not a function; give the function itself: its name without parentheses"
    if inspect.isgeneratorfunction(given):
        return f"{name} is a generator, because it says yield; collect what it yields, and return it at the end"
    if inspect.iscoroutinefunction(given) or inspect.isasyncgenfunction(given):
        return f"{name} is asynchronous; define it with def alone"
    return _signature(given, name, arguments)


def _signature(function: Callable[..., Any], name: str, arguments: Sequence[str]) -> str:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return ""
    try:
        signature.bind(*arguments)
    except TypeError:
        return f"{name} takes {signature}, but it is called with {NUMBERS[len(arguments)]}: {', '.join(arguments)}"
    return ""


def is_unwritten(function: Any, tensors: bool = False) -> bool:
    """Whether the code of a function or of a class's methods still contains `...`, other than in `x[..., n]`.

    Args:
        function: the learner's function or class.
        tensors: only a `...` that is returned or assigned counts, because `x[...]` is an index of a tensor.

    >>> is_unwritten(lambda split: ...), is_unwritten(lambda split: split), is_unwritten(lambda x, n: x[..., n])
    (True, False, False)
    >>> is_unwritten(lambda x: x[...]), is_unwritten(lambda x: x[...], tensors=True)
    (True, False)
    """
    if inspect.isclass(function):
        return any(is_unwritten(method, tensors) for method in vars(function).values() if inspect.isfunction(method))
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType):
        return False
    return any(map(_keeps_dots if tensors else _has_gap, nested_code_objects(code)))


def _has_gap(code: CodeType) -> bool:
    """Whether the code contains `...`, but not in an index of several parts, such as `x[..., n]`."""
    steps = [*dis.get_instructions(code)]
    return any(step.argval is ... and not _is_index(steps[at + 1 :]) for at, step in enumerate(steps))


def _is_index(after: Sequence[dis.Instruction]) -> bool:
    """Whether a value on the stack becomes a part of a tuple that is an index, given the instructions after it."""
    depth = 1  # of the stack, from the value on
    for step, following in pairwise(after):
        if step.opname == "BUILD_TUPLE" and (step.arg or 0) >= depth:
            return "SUBSCR" in following.opname or following.argrepr == "[]"
        depth += dis.stack_effect(step.opcode, step.arg, jump=False)
        if depth < 1:
            return False
    return False


def _keeps_dots(code: CodeType) -> bool:
    """Whether the code returns or assigns `...` itself."""
    steps = list(dis.get_instructions(code))
    pairs = [(step, step) for step in steps if step.opname == "RETURN_CONST"] + [*zip(steps, steps[1:], strict=False)]
    return any(one.argval is ... and after.opname.startswith(("RETURN_", "STORE_FAST", "STORE_DEREF"))
               for one, after in pairs)  # fmt: skip


def nested_code_objects(code: CodeType) -> Iterator[CodeType]:
    """Yield a code object and those of the functions inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from nested_code_objects(constant)
