"""Alignment of a normalized text with its original: replacements, and the original span of each character.

Adds: `Replacement`, one replacement; `AlignedText`, a text with a span of the original for each of its characters.
Leaves out: the rules that change a text (`normalization_rules`).

>>> shouted = AlignedText.identity("the ﬁsh").apply([Replacement(4, "ﬁ", "fi")])
>>> shouted.text, shouted.span(4, 6)
('the fish', (4, 5))
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from tokenlab.printing.printable import Parts, symbol_parts
from tokenlab.steps.recording import step

Span: TypeAlias = tuple[int, int]  # start and end in the original, in characters; the end is exclusive


@step
class Replacement:
    """The replacement of the characters `old` at `start` by `new`; either may be empty."""

    start: int
    old: str
    new: str

    def change(self) -> Parts:
        """Say what became of which characters."""
        if not self.old:
            return [*symbol_parts(self.new, "new"), " was inserted"]
        if not self.new:
            return [*symbol_parts(self.old), " was removed"]
        return [*symbol_parts(self.old), " became ", *symbol_parts(self.new, "new")]

    def sentence(self) -> Parts:
        """Name the change and its place."""
        return [*self.change(), f", at {self.start}"]


def apply_replacements(text: str, changes: Iterable[Replacement]) -> str:
    """Return the text after replacements, which are sorted by position and do not overlap.

    >>> apply_replacements("a b", [Replacement(0, "", "▁"), Replacement(1, " ", "▁")])
    '▁a▁b'
    """
    parts: list[str] = []
    done = 0
    for change in changes:
        parts += text[done : change.start], change.new
        done = change.start + len(change.old)
    return "".join(parts) + text[done:]


@dataclass(frozen=True, slots=True)
class AlignedText:
    """A text, and for each of its characters the span of the original that it came from.

    The starts and the ends of the spans never decrease. An inserted character has an empty span.
    """

    text: str
    spans: tuple[Span, ...]

    @staticmethod
    def identity(text: str) -> AlignedText:
        """Return the original, in which each character is aligned with itself.

        >>> AlignedText.identity("ab")
        AlignedText(text='ab', spans=((0, 1), (1, 2)))
        """
        return AlignedText(text, tuple((place, place + 1) for place in range(len(text))))

    def span(self, start: int, end: int) -> Span:
        """Return the span of the original that the characters from `start` to `end` came from.

        A position between two characters has an empty span, unless both came from the same part of the original.

        >>> dots = AlignedText("..a", ((0, 1), (0, 1), (1, 2)))
        >>> dots.span(1, 3), dots.span(2, 2), dots.span(1, 1)
        ((0, 2), (1, 1), (0, 1))
        """
        if start < end:
            return self.spans[start][0], self.spans[end - 1][1]
        end_before = self.spans[start - 1][1] if start else 0
        start_after = self.spans[start][0] if start < len(self.spans) else end_before
        return start_after, max(end_before, start_after)

    def apply(self, changes: Iterable[Replacement]) -> AlignedText:
        """Return the text after replacements, aligned with the same original.

        Every new character is aligned with all of the characters that it replaces.

        >>> AlignedText.identity("…").apply([Replacement(0, "…", "...")])
        AlignedText(text='...', spans=((0, 1), (0, 1), (0, 1)))
        """
        changes = list(changes)
        spans: list[Span] = []
        done = 0
        for change in changes:
            end = change.start + len(change.old)
            spans += self.spans[done : change.start]
            spans += [self.span(change.start, end)] * len(change.new)
            done = end
        return AlignedText(apply_replacements(self.text, changes), (*spans, *self.spans[done:]))

    def compose(self, later: AlignedText) -> AlignedText:
        """Compose two alignments: `later` is aligned with this text, the result with this text's original.

        Raises:
            ValueError: a span of `later` is beyond the end of this text.

        >>> AlignedText("fi", ((4, 5), (4, 5))).compose(AlignedText("FI", ((0, 1), (1, 2))))
        AlignedText(text='FI', spans=((4, 5), (4, 5)))
        """
        if later.spans and later.spans[-1][1] > len(self.text):
            raise ValueError(
                f"later points at character {later.spans[-1][1]} of a text that has {len(self.text)}; "
                "align it with the text of the earlier alignment"
            )
        return AlignedText(later.text, tuple(self.span(start, end) for start, end in later.spans))
