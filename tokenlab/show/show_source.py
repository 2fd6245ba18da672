"""Show the source of a function in a lesson: a short form, with the full source folded below it."""

from __future__ import annotations

import inspect
import re
import textwrap
from typing import Any

from tokenlab.show.frames import text as escaped
from tokenlab.show.short_source import short_form


class Source:
    """The source of some functions; as text the short form or, with `full`, everything."""

    def __init__(self, *functions: Any, full: bool = False) -> None:
        texts = [textwrap.dedent(inspect.getsource(_unwrapped(function))).strip() for function in functions]
        shorts = [
            text if full or inspect.ismodule(function) else short_form(text)
            for function, text in zip(functions, texts, strict=True)
        ]
        self.modules = list(dict.fromkeys(map(_module_of, functions)))
        self.full_text, self.text = "\n\n".join(texts), "\n\n".join(shorts)

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        if self.text == self.full_text:
            return _code_block(self.text)
        modules = ", ".join(f"<code>{escaped(module)}</code>" for module in self.modules)
        summary = f"<summary>Full source, with types and checks: {modules}</summary>"
        return f"{_code_block(self.text)}\n\n<details>{summary}\n\n{_code_block(self.full_text)}\n\n</details>"


def source(*functions: Any, full: bool = False) -> Source:
    """Return the source of these functions, to display at the end of a cell.

    The short form hides what a first reader does not need: decorators, docstrings, types and argument checks. In a
    notebook the full source unfolds below it.

    Args:
        functions: functions, methods or classes; or modules, which are shown whole.
        full: show everything.

    >>> from tokenlab.algorithms.bpe.train import merged_symbol
    >>> source(merged_symbol)
    def merged_symbol(pair):
        left, right = pair
        return left + right
    >>> print(str(source(merged_symbol, full=True)).splitlines()[0])
    def merged_symbol(pair: Pair) -> Symbol:
    """
    return Source(*functions, full=full)


def _unwrapped(function: Any) -> Any:
    return inspect.unwrap(function) if callable(function) else function


def _module_of(function: Any) -> str:
    name: str = function.__name__ if inspect.ismodule(function) else _unwrapped(function).__module__
    return name


def _code_block(text: str) -> str:
    """Return a fenced block; its fence is longer than all runs of backticks in the text."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}python\n{text}\n{fence}"
