"""The function itself, shown where a lesson speaks of it: what you read is what runs."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import Any


class Source:
    """The source of some functions, less their docstrings, which `help` shows."""

    def __init__(self, *functions: Any) -> None:
        """Take functions, stepwise ones too."""
        self.text = "\n\n".join(_without_docstring(function) for function in functions)

    def __str__(self) -> str:
        """The source as text."""
        return self.text

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        return f"```python\n{self.text}\n```"


def source(*functions: Any) -> Source:
    """The source of these functions, for the end of a cell.

    >>> from tokenlab.algorithms.bpe_start import join
    >>> source(join)
    def join(pair: Pair) -> Symbol:
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
