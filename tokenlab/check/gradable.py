"""Find the reason why a function or a class gets no points without being run.

>>> function_problem(lambda word: ..., ("word",))
'<lambda> is not written yet'
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from tokenlab.check.isolated_run import display
from tokenlab.check.library_use import library_use
from tokenlab.check.submission_state import is_unchanged, is_unwritten, signature_problem


def function_problem(function: Any, parameters: Sequence[str], tensors: bool = False) -> str:
    """Return the reason why a function of these parameters gets no points, or ""; with `tensors`, it may use torch."""
    if problem := signature_problem(function, tuple(parameters)):
        return problem
    name = getattr(function, "__name__", "your function")
    if is_unwritten(function, tensors):
        return f"{name} is not written yet"
    return _library_problem(name, [function], tensors)


def class_problem(cls: Any, methods: Sequence[str], tensors: bool = False) -> str:
    """Return the reason why a class with these methods gets no points, or ""; with `tensors`, it may use torch."""
    if cls is None or cls is ...:
        return f"{cls} is no class; define one, and keep its name"
    if not inspect.isclass(cls):
        return f"{display(cls)} is no class; define one, and keep its name"
    *bases, _ = inspect.getmro(cls)
    parts = [*bases[1:], *(part for base in bases for part in vars(base).values())]
    if problem := _library_problem(cls.__name__, parts, tensors):
        return problem
    for name in methods:
        if not callable(getattr(cls, name, None)):
            return f"{cls.__name__} has no method {name}; it should have {', '.join(methods)}"
        if is_unchanged(getattr(cls, name), tensors):
            return f"{cls.__name__}.{name} is not written yet"
    return ""


def _library_problem(name: str, parts: Sequence[Any], tensors: bool) -> str:
    if used := next(filter(None, (library_use(part, tensors) for part in parts)), ""):
        return f"{name} uses {used}; this task is to write it yourself, so there are no points for it"
    return ""
