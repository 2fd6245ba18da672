"""What a check is given where a function is wanted: is it one, can it be called like that, is it written yet?

>>> complaint(len, ("split", "pair"))
'len takes (obj, /), but it is called with two arguments: split, pair'
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from types import CodeType
from typing import Any

from tokenlab.check.running import shown

NUMBERS = ("no arguments", "one argument", "two arguments", "three arguments", "four arguments")


def complaint(given: Any, arguments: Sequence[str]) -> str:
    """What keeps this from being checked as a function of these arguments; nothing, where nothing does.

    >>> complaint(("aa", "b"), ("split", "pair"))
    "('aa', 'b') is no function; give the function itself, by its name alone, without brackets behind it"
    """
    if given is None or given is ...:
        return f"{given} is no function; define one, and give it by its name alone"
    name = getattr(given, "__name__", "your function")
    if inspect.isclass(given):
        return f"{name} is a class; give a function that takes {' and '.join(arguments)}"
    if not callable(given):
        return f"{shown(given)} is no function; give the function itself, by its name alone, without brackets behind it"
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


def unwritten(function: Any) -> bool:
    """Whether three dots still stand in a function's code.

    >>> unwritten(lambda split: ...), unwritten(lambda split: split)
    (True, False)
    """
    code = getattr(function, "__code__", None)
    return isinstance(code, CodeType) and any(... in part.co_consts for part in nested(code))


def untouched(function: Any) -> bool:
    """Whether a function has three dots, and makes nothing of any name: it is as it was handed out.

    Dots behind code of the learner's own do no harm in a method for whose result nobody asks.

    >>> untouched(lambda self: ...), untouched(lambda self: self.clear() or ...)
    (True, False)
    """
    return unwritten(function) and not function.__code__.co_names


def nested(code: CodeType) -> Iterator[CodeType]:
    """A function's code, and that of the functions inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from nested(constant)
