"""Verdicts of a check: right, not written yet, or wrong with three levels of feedback.

The level rises each time that the same problem occurs again, and stays for another problem, until the answer is right.
Level 1 shows the input and the learner's result. Level 2 adds the rule that is broken. Level 3 adds both traces side by
side, opened at the first step that differs. After any attempt, the worked solution of a lesson's exercise can be
unfolded.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any

from tokenlab.show.frames import Html, text
from tokenlab.storage import files

if TYPE_CHECKING:
    from tokenlab.show.player import Player

FOLDER = Path(__file__).parent / "solutions"
SECTION = re.compile(r"(?ms)^## (\S+)\n(.*?)^```python\n(.*?)^```$")


@dataclass(frozen=True)
class Solution:
    """The worked solution of an exercise: an explanation and code, from the Markdown files in `solutions/`.

    A file has a section `## name` for each exercise, with the name of its check or, for "find the bug", of the wrong
    program: a few lines that say how to find the solution, then one block of Python.
    """

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


LEVELS = 3


@dataclass(frozen=True)
class Problem:
    """A failure: what was observed, the rule, and a function that draws both traces, or returns None."""

    seen: str
    rule: str = ""
    traces: Callable[[], Player | None] = lambda: None
    traced: str = ""  # a sentence on the traces, if they are not of the observed input
    code: CodeType | None = None  # of the function that fails
    arguments: tuple[Any, ...] = ()  # on which it fails
    is_attempt: bool = True  # False if what was given could not be checked


@dataclass(frozen=True)
class Verdict:
    """The feedback on one check: a headline, the sentences shown so far, and on the last level the traces."""

    right: bool
    headline: str
    said: tuple[str, ...] = ()
    player: Player | None = None
    question: str = ""  # what running the check again will show
    solution: Solution | None = None  # folded

    def __bool__(self) -> bool:
        return self.right

    def __str__(self) -> str:
        traces = [f"{track.title}:\n{track.sentences}" for track in self.player.tracks] if self.player else []
        solution = f'Worked solution: print(check.solution("{self.solution.exercise}"))' if self.solution else ""
        return "\n".join([self.headline, *self.said, *traces, *filter(None, [self.question, solution])])

    __repr__ = __str__

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/html": self._html(), "text/plain": str(self)}

    def _html(self) -> Html:
        edge = "#009e73" if self.right else "#d55e00"
        said = "".join(f"<p style='margin:.4em 0;white-space:pre-wrap'>{text(line)}</p>" for line in self.said)
        again = f"<p style='margin:.4em 0;opacity:.75'>{text(self.question)}</p>" if self.question else ""
        return (
            f"<div style='border-left:4px solid {edge};padding:2px 12px;margin:4px 0'>"
            f"<p style='margin:.4em 0'><strong>{text(self.headline)}</strong></p>{said}{again}"
            f"{self.solution.html if self.solution else ''}</div>"
            f"{self.player.html if self.player else ''}"
        )


@dataclass
class FeedbackLevels:
    """Remembers the last problem: if it occurs again, the next level is shown; another problem keeps the level.

    Args:
        exercise: the name of the exercise in `solutions/`, or "" if it has no worked solution.
        attempted: whether the learner has tried the exercise, so that its solution may be shown.
    """

    last: Problem | None = None
    _level: int = 0
    exercise: str = ""
    attempted: bool = False

    def wrong(self, finding: Problem) -> Verdict:
        """Return the level of the last problem, or the next one if the problem is the same."""
        repeated = self.last is not None and finding.seen == self.last.seen
        self._level = min(self._level + 1, LEVELS) if repeated else max(self._level, 1)
        self.last = finding
        self.attempted |= finding.is_attempt
        said = [finding.seen, f"The rule: {finding.rule}"] if self._level > 1 and finding.rule else [finding.seen]
        player = finding.traces() if self._level == LEVELS else None
        said += [finding.traced] if player and finding.traced else []
        return Verdict(False, "✗ Not yet.", tuple(said), player, self._question(finding), self.solution())

    def _question(self, finding: Problem) -> str:
        if not finding.rule or self._level == LEVELS:
            return ""
        asked = ("be told the rule", "see it step by step")[self._level - 1]
        return f"Think first. To {asked}, run the cell again."

    def right(self, *said: str) -> Verdict:
        """Return a right verdict, and forget the last problem."""
        self.last, self._level, self.attempted = None, 0, True
        return Verdict(True, "✓ Right.", tuple(filter(None, said)), solution=self.solution())

    def solution(self) -> Solution | None:
        """Return the worked solution, or None before the first attempt and for an exercise without one."""
        return solutions().get(self.exercise) if self.attempted else None

    def unwritten(self) -> Verdict:
        """Return the verdict for a function that is not written yet."""
        self.last, self._level = None, 0
        return Verdict(False, "○ Not written yet.", ("Write in place of the three dots, then run the cell again.",))
