"""Worked solutions of the lessons' practice: an explanation and code, from the Markdown files in `solutions/`.

A file has a section `## name` for each exercise, with the name of its check or, for "find the bug", of the wrong
program: a few lines that say how to find the solution, then one block of Python.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tokenlab.show.frames import Html, text
from tokenlab.storage import files

FOLDER = Path(__file__).parent / "solutions"
SECTION = re.compile(r"(?ms)^## (\S+)\n(.*?)^```python\n(.*?)^```$")


@dataclass(frozen=True)
class Solution:
    """The worked solution of an exercise."""

    exercise: str
    explanation: str
    code: str

    def __str__(self) -> str:
        return f"{self.explanation}\n\n{self.code}"

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        return f"{self.explanation}\n\n```python\n{self.code}\n```"

    @property
    def html(self) -> Html:
        """The folded solution."""
        return (
            "<details style='margin:.4em 0'><summary>Worked solution</summary>"
            f"{_html(self.explanation)}<pre style='margin:.4em 0'><code>{text(self.code)}</code></pre></details>"
        )


@cache
def solutions() -> dict[str, Solution]:
    """Return all worked solutions by the name of their exercise."""
    return {one.exercise: one for path in sorted(FOLDER.glob("*.md")) for one in read_solutions(path)}


def read_solutions(path: Path) -> list[Solution]:
    """Return the solutions of a file, in order."""
    found = SECTION.findall(files.read_text(path))
    return [Solution(exercise, explanation.strip(), code.rstrip("\n")) for exercise, explanation, code in found]


def _html(markdown: str) -> Html:
    """Convert paragraphs and lists with `code`, **strong** and *emphasis*.

    >>> _html("Is `a<b`?\\n\\n- **no**\\n- it *is* not")
    '<p>Is <code>a&lt;b</code>?</p><ul><li><strong>no</strong></li><li>it <em>is</em> not</li></ul>'
    """
    return "".join(map(_block, re.split(r"\n{2,}", markdown)))


def _block(block: str) -> Html:
    if not block.startswith("- "):
        return f"<p>{_line(block)}</p>"
    items = re.split(r"(?:^|\n)- ", block)[1:]
    return f"<ul>{''.join(f'<li>{_line(item)}</li>' for item in items)}</ul>"


def _line(line: str) -> Html:
    parts = re.split("`([^`]+)`", " ".join(line.split()))
    return "".join(f"<code>{text(part)}</code>" if n % 2 else _marked(text(part)) for n, part in enumerate(parts))


def _marked(html: Html) -> Html:
    html = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", html)
    return re.sub(r"\*(.+?)\*", r"<em>\1</em>", html)
