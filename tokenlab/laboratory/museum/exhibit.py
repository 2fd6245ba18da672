"""An exhibit: a claim from a course or a library, the input that refutes it, and the rule.

Adds: both results, computed when you visit the exhibit. The claimed result comes from a few lines of our own that
follow the claim. The actual result comes from the kit's function, which tests compare with the library.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from textwrap import fill
from typing import Any


@dataclass(frozen=True)
class Exhibit:
    """A claim and its refutation.

    Args:
        name: a short name.
        group: the family of ideas: "BPE", "WordPiece", "Unigram", "T5" or "generation".
        lesson: the lesson that explains the terms of the exhibit.
        claim: the claim, in our own words.
        source: where the claim or the error can be looked up.
        given: the input, as sentences. The last one is the question that both results answer.
        claimed: returns the result of a program that follows the claim.
        actual: returns the right result.
        rule: the rule that the claim breaks.
    """

    name: str
    group: str
    lesson: str
    claim: str
    source: str
    given: str
    claimed: Callable[[], Any]
    actual: Callable[[], Any]
    rule: str

    def visit(self) -> Visit:
        """Run the exhibit."""
        return Visit(self, self.claimed(), self.actual())

    def __repr__(self) -> str:
        """Return the claim and the input, without the results, which you may want to predict."""
        rows = [_row("claim", self.claim), _row("input", self.given)]
        return "\n".join([f"{self.name} ({self.group}, lesson {self.lesson[:2]})", *rows])


@dataclass(frozen=True)
class Visit:
    """An exhibit with both results; its text shows them side by side."""

    exhibit: Exhibit
    claimed: Any
    actual: Any

    def __repr__(self) -> str:
        one = self.exhibit
        rows = [
            f"  claimed  {self.claimed!r}",
            f"  actual   {self.actual!r}",
            _row("rule", one.rule),
            _row("source", one.source),
        ]
        return "\n".join([repr(one), *rows])


def _row(name: str, text: str) -> str:
    """Return a name and a text in lines of at most 105 characters, which fit on a narrow screen."""
    start = f"  {name:8} "
    return fill(text, 105, initial_indent=start, subsequent_indent=" " * len(start), break_long_words=False)
