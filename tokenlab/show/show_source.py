"""Show the source of a function in a lesson."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import Any


class Source:
    """The source of some functions without their docstrings, which `help` shows."""

    def __init__(self, *functions: Any) -> None:
        self.text = "\n\n".join(_without_docstring(function) for function in functions)

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        return f"```python\n{self.text}\n```"


def source(*functions: Any) -> Source:
    """Return the source of these functions, to display at the end of a cell.

    >>> from tokenlab.algorithms.bpe.training_state import merged_symbol
    >>> source(merged_symbol)
    def merged_symbol(pair: Pair) -> Symbol:
        left, right = pair
        return left + right  # type: ignore[operator]  # both are str, or both are bytes
    """
    return Source(*functions)


def _without_docstring(function: Any) -> str:
    text = textwrap.dedent(inspect.getsource(inspect.unwrap(function)))
    definition = ast.parse(text).body[0]
    assert isinstance(definition, ast.FunctionDef | ast.ClassDef)
    lines = text.splitlines()
    if ast.get_docstring(definition) is not None:
        docstring = definition.body[0]
        del lines[docstring.lineno - 1 : docstring.end_lineno]
    return "\n".join(lines)
