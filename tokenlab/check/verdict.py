"""What a check answers: right, not written yet, or wrong, in three levels that come one by one on asking again.

First the input and what the learner's own function did with it; then the rule that it breaks; then both traces side by
side, opened at the first step where they part.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tokenlab.show.frames import Html, text

if TYPE_CHECKING:
    from tokenlab.show.player import Player, Track

LEVELS = 3


@dataclass(frozen=True)
class Finding:
    """Something that is wrong: what was seen, the rule, and how to draw both traces, if there is anything to draw."""

    seen: str
    rule: str = ""
    traces: Callable[[], Player | None] = lambda: None
    traced: str = ""  # of what the traces are, where that is not what was seen


@dataclass(frozen=True)
class Verdict:
    """The answer to a learner: one line that says it, what is known so far, and on the last level the traces."""

    right: bool
    headline: str
    said: tuple[str, ...] = ()
    player: Player | None = None
    question: str = ""  # what asking again will answer

    def __bool__(self) -> bool:
        """Whether it is right."""
        return self.right

    def __str__(self) -> str:
        """All that is said, and the traces as numbered sentences."""
        traces = map(_sentences, self.player.tracks) if self.player else []
        return "\n".join([self.headline, *self.said, *traces, *filter(None, [self.question])])

    __repr__ = __str__

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/html": self._html(), "text/plain": str(self)}

    def _html(self) -> Html:
        edge = "#009e73" if self.right else "#d55e00"
        said = "".join(f"<p style='margin:.4em 0;white-space:pre-wrap'>{text(line)}</p>" for line in self.said)
        again = f"<p style='margin:.4em 0;opacity:.75'>{text(self.question)}</p>" if self.question else ""
        return (
            f"<div style='border-left:4px solid {edge};padding:2px 12px;margin:4px 0'>"
            f"<p style='margin:.4em 0'><strong>{text(self.headline)}</strong></p>{said}{again}</div>"
            f"{self.player.html if self.player else ''}"
        )


def _sentences(track: Track) -> str:
    return f"{track.title}:\n{track.sentences}"


@dataclass
class Ladder:
    """Remembers what was said last, so that the same finding is answered one level deeper."""

    _last: str = ""
    _level: int = field(default=0)

    def wrong(self, finding: Finding) -> Verdict:
        """One level of a finding: the first, or the next if it was the same the last time."""
        self._level = min(self._level + 1, LEVELS) if finding.seen == self._last else 1
        self._last = finding.seen
        said = [finding.seen, f"The rule: {finding.rule}"] if self._level > 1 and finding.rule else [finding.seen]
        player = finding.traces() if self._level == LEVELS else None
        said += [finding.traced] if player and finding.traced else []
        return Verdict(False, "✗ Not yet.", tuple(said), player, self._question(finding))

    def _question(self, finding: Finding) -> str:
        if not finding.rule or self._level == LEVELS:
            return ""
        asked = ("be told the rule", "see it step by step")[self._level - 1]
        return f"Think first. To {asked}, run the cell again."

    def right(self, *said: str) -> Verdict:
        """Forget what was wrong."""
        self._last, self._level = "", 0
        return Verdict(True, "✓ Right.", tuple(filter(None, said)))

    def unwritten(self) -> Verdict:
        """Say that there is nothing to check yet."""
        self._last, self._level = "", 0
        return Verdict(False, "○ Not written yet.", ("Write in place of the three dots, then run the cell again.",))
