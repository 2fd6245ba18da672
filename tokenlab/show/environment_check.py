"""Check which of the kit's parts are installed: one row for each, with its version and purpose."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html import escape
from importlib.metadata import PackageNotFoundError, version

PARTS = {
    "jupyterlab": "the lessons open in it",
    "ipywidgets": "text boxes and sliders",
    "anywidget": "players that follow them",
    "matplotlib": "figures",
    "tokenizers": "comparison with Hugging Face",
    "tiktoken": "comparison with OpenAI",
    "sentencepiece": "comparison with Google",
    "torch": "T5, from lesson 13 on (installed by make lab, not by make lab-small)",
}


class EnvironmentCheck:
    """The installed parts, with their versions and purposes."""

    def __init__(self) -> None:
        self.rows = list(_rows())

    def __repr__(self) -> str:
        return "\n".join("  ".join(row) for row in self.rows)

    def _repr_html_(self) -> str:
        head = ("", "part", "version", "what for")
        cells = (map("<td style=text-align:left>{}</td>".format, map(escape, row)) for row in (head, *self.rows))
        rows = "".join(f"<tr>{''.join(row)}</tr>" for row in cells)
        return f"<table>{rows}</table>"


def _rows() -> Iterator[tuple[str, str, str, str]]:
    yield "✓", "Python", ".".join(map(str, sys.version_info[:3])), "everything"
    for name, purpose in PARTS.items():
        try:
            yield "✓", name, version(name), purpose
        except PackageNotFoundError:
            yield "–", name, "missing", purpose


def check_environment() -> EnvironmentCheck:
    """Return a table of the installed parts.

    >>> check_environment().rows[0][1]
    'Python'
    """
    return EnvironmentCheck()
