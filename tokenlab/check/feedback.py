"""Verdicts of a check: right, not written yet, or wrong with three levels of feedback.

Each kind of error has its own level: a new one begins at level 1, and the level rises when the same problem occurs
again. Level 1 shows the input and the learner's result. Level 2 adds the rule that is broken, and says what level 3
reveals. Level 3 adds both traces side by side, opened at the first step that differs, and offers the worked solution of
a lesson's exercise. A right answer offers it as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
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
THINK, AGAIN = "Think first.", "run the cell again."


@dataclass(frozen=True)
class Problem:
    """A failure: what was observed, the rule, and a function that draws both traces, or returns None."""

    seen: str
    rule: str = ""
    traces: Callable[[], Player | None] = lambda: None
    traced: tuple[str, ...] = ()  # sentences that level 3 adds
    reveals: str = "the expected result next to yours"  # what level 3 shows
    kind: str = ""  # tells errors apart that break the same rule
    code: CodeType | None = None  # of the function that fails
    arguments: tuple[Any, ...] = ()  # on which it fails


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
    """Remembers the level of each kind of error, until the answer is right.

    The level rises if the same problem of its kind occurs again. Another problem of a known kind is told the rule if
    the rule was told before, but level 3 only when it occurs again.

    Args:
        exercise: the name of the exercise in `solutions/`, or "" if it has no worked solution.
        opened: whether a right answer or level 3 was reached, so that the worked solution is offered.
    """

    last: Problem | None = None
    _reached: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict)  # level and `seen` of each kind
    exercise: str = ""
    opened: bool = False

    def wrong(self, finding: Problem) -> Verdict:
        """Return the verdict on the level that this kind of error has reached."""
        if not finding.rule:
            return Verdict(False, "✗ Not yet.", (finding.seen,))
        self.last = finding
        level = self._next_level(finding)
        if level == 1:
            return Verdict(False, "✗ Not yet.", (finding.seen,), question=f"{THINK} To be told the rule, {AGAIN}")
        said = (finding.seen, f"The rule: {finding.rule}")
        if level < LEVELS:
            offered = ", and to be offered the worked solution" if self.exercise in solutions() else ""
            return Verdict(False, "✗ Not yet.", said, question=f"{THINK} To see {finding.reveals}{offered}, {AGAIN}")
        self.opened = True
        return Verdict(False, "✗ Not yet.", said + finding.traced, finding.traces(), solution=self.solution())

    def _next_level(self, finding: Problem) -> int:
        kind = finding.kind, finding.rule
        level, seen = self._reached.get(kind, (0, ""))
        level = min(level + 1, LEVELS) if seen == finding.seen else min(max(level, 1), LEVELS - 1)
        self._reached[kind] = level, finding.seen
        return level

    def right(self, *said: str) -> Verdict:
        """Return a right verdict, and forget all problems."""
        self._forget()
        self.opened = True
        return Verdict(True, "✓ Right.", tuple(filter(None, said)), solution=self.solution())

    def solution(self) -> Solution | None:
        """Return the worked solution, or None before it may be offered and for an exercise without one."""
        return solutions().get(self.exercise) if self.opened else None

    def _forget(self) -> None:
        self.last = None
        self._reached.clear()

    def unwritten(self) -> Verdict:
        """Return the verdict for a function that is not written yet."""
        self._forget()
        return Verdict(False, "○ Not written yet.", ("Write in place of the three dots, then run the cell again.",))
