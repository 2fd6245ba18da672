"""Which characters of a text became which: changes, and texts that remember where each character came from.

Adds: `Change`, one replacement; `Aligned`, a text with a span of the original for each of its characters.
Leaves out: the rules that change a text, which are `char_map` and the files named `normalize`.

>>> shouted = Aligned.start("the ﬁsh").changed([Change(4, "ﬁ", "fi")])
>>> shouted.text, shouted.span(4, 6)
('the fish', (4, 5))
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from tokenlab.steps import step
from tokenlab.visible import visible

Span: TypeAlias = tuple[int, int]  # start and end in the original, in characters


@step
class Change:
    """At `start` the characters `old` became `new`; either may be empty."""

    start: int
    old: str
    new: str

    def __str__(self) -> str:
        """Say what became what, and where."""
        old, new = (" ".join(map(visible, part)) or "nothing" for part in (self.old, self.new))
        return f"{old} became {new}, at {self.start}"


def rewrite(text: str, changes: Iterable[Change]) -> str:
    """The text after changes that stand from left to right and do not overlap.

    >>> rewrite("a b", [Change(0, "", "▁"), Change(1, " ", "▁")])
    '▁a▁b'
    """
    parts: list[str] = []
    done = 0
    for change in changes:
        parts += text[done : change.start], change.new
        done = change.start + len(change.old)
    return "".join(parts) + text[done:]


@dataclass(frozen=True, slots=True)
class Aligned:
    """A text, and for each of its characters the span of the original that it came from.

    Starts never go back, and neither do ends. What was inserted between two characters has an empty span.
    """

    text: str
    spans: tuple[Span, ...]

    @staticmethod
    def start(text: str) -> Aligned:
        """The original itself: each character comes from its own place.

        >>> Aligned.start("ab")
        Aligned(text='ab', spans=((0, 1), (1, 2)))
        """
        return Aligned(text, tuple((place, place + 1) for place in range(len(text))))

    def span(self, start: int, end: int) -> Span:
        """The span of the original behind the characters from `start` to `end`.

        A place between two characters has an empty span, unless both came from the same part of the original.

        >>> dots = Aligned("..a", ((0, 1), (0, 1), (1, 2)))
        >>> dots.span(1, 3), dots.span(2, 2), dots.span(1, 1)
        ((0, 2), (1, 1), (0, 1))
        """
        if start < end:
            return self.spans[start][0], self.spans[end - 1][1]
        before = self.spans[start - 1][1] if start else 0
        behind = self.spans[start][0] if start < len(self.spans) else before
        return behind, max(before, behind)

    def changed(self, changes: Iterable[Change]) -> Aligned:
        """The text after changes, aligned with the same original.

        Every character of what is new comes from the whole of what is old.

        >>> Aligned.start("…").changed([Change(0, "…", "...")])
        Aligned(text='...', spans=((0, 1), (0, 1), (0, 1)))
        """
        changes = list(changes)
        spans: list[Span] = []
        done = 0
        for change in changes:
            end = change.start + len(change.old)
            spans += self.spans[done : change.start]
            spans += [self.span(change.start, end)] * len(change.new)
            done = end
        return Aligned(rewrite(self.text, changes), (*spans, *self.spans[done:]))

    def then(self, later: Aligned) -> Aligned:
        """Compose two alignments: `later` is aligned with this text, the result with this text's original.

        Raises:
            ValueError: `later` points behind the end of this text.

        >>> Aligned("fi", ((4, 5), (4, 5))).then(Aligned("FI", ((0, 1), (1, 2))))
        Aligned(text='FI', spans=((4, 5), (4, 5)))
        """
        if later.spans and later.spans[-1][1] > len(self.text):
            raise ValueError(
                f"later points at character {later.spans[-1][1]} of a text that has {len(self.text)}; "
                "align it with the text of the earlier alignment"
            )
        return Aligned(later.text, tuple(self.span(start, end) for start, end in later.spans))
