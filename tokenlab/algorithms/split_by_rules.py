"""Watching a text being split: one step for each piece, with the rule that made it.

>>> print(split_by_rules.record("don't go", "gpt2"))
1. don, by the rule for letters
2. 't, by the rule for contraction
3. ␣go, by the rule for letters
"""

from __future__ import annotations

from collections.abc import Generator

from tokenlab.algorithms.split import SPLITTERS
from tokenlab.errors import by_name
from tokenlab.steps import step, stepwise
from tokenlab.visible import visible


@step
class Piece:
    """The next piece of the text, and the name of the rule that matched it."""

    text: str
    rule: str

    def __str__(self) -> str:
        """Say what the piece is, and why."""
        return f"{visible(self.text)}, by the rule for {self.rule}"


@stepwise
def split_by_rules(text: str, pattern: str = "gpt2") -> Generator[Piece, None, list[str]]:
    """The pieces of a text, by the pattern of that name.

    Raises:
        ValueError: no pattern has that name.

    >>> split_by_rules("I'm here", "whitespace")
    ["I'm", ' ', 'here']
    """
    pieces = []
    for piece, rule in by_name("pattern", pattern, SPLITTERS).explain(text):
        pieces.append(piece)
        yield Piece(piece, rule)
    return pieces
