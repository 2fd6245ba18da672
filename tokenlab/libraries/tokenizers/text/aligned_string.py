"""A text with the characters of the original that each of its characters comes from, and one rule to change both.

Adds: `AlignedString`, with `transform`, by which every change of a text keeps its alignment.
Leaves out: the changes themselves (`normalized_string`).

Positions count characters; the library counts bytes inside, which gives the same alignment.
Source: tokenizers 0.23.3, tokenizers/src/tokenizer/normalizer.rs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from operator import attrgetter
from typing import Any, Self

from tokenlab.algorithms.pipeline.unicode_versions import CharacterTable
from tokenlab.libraries.tokenizers.spans import Span


class TooManyReplacedError(ValueError):
    """The changes of `transform` replace more characters than there are; the library panics then."""


def _read_only(name: str, doc: str) -> Any:
    return property(attrgetter(name), doc=doc)


class AlignedString:
    """An original text, its normalized form, and the alignment of the two."""

    __slots__ = ("_alignments", "_normalized", "_original", "original_shift")

    original: str = _read_only("_original", "The text before all changes.")
    normalized: str = _read_only("_normalized", "The text with the changes.")
    _original: str
    _normalized: str
    original_shift: int  # where the original starts in the text that this one was cut from
    _alignments: list[Span] | None  # None while each character is aligned with itself

    @classmethod
    def unchecked(cls, original: str, normalized: str, alignments: list[Span] | None, shift: int) -> Self:
        """Return a text with these fields; `alignments` is None if the two texts are equal."""
        new = cls.__new__(cls)
        new._original, new._normalized, new._alignments, new.original_shift = original, normalized, alignments, shift
        return new

    @property
    def alignments(self) -> list[Span]:
        """The span of the original for each character of the normalized text."""
        if self._alignments is None:
            self._alignments = [(place, place + 1) for place in range(len(self.original))]
        return self._alignments

    @property
    def is_identity(self) -> bool:
        """Whether each character is known to be aligned with itself, so that offsets need no conversion."""
        return self._alignments is None

    # ---- positions

    def offsets_original(self) -> Span:
        """Return the span of the original in the text that it is a part of."""
        return self.original_shift, self.original_shift + len(self.original)

    def convert_offsets(self, start: int, end: int, referential: str = "normalized") -> Span | None:
        """Convert a span of the normalized text to one of the original; with "original", the other way around.

        Return an empty span unchanged, and None for a span that is reversed or outside of the text.

        >>> text = AlignedString.unchecked("ﬁsh", "fish", [(0, 1), (0, 1), (1, 2), (2, 3)], 0)
        >>> text.convert_offsets(1, 3), text.convert_offsets(0, 2, "original")
        ((0, 2), (0, 3))
        """
        if start >= end:
            return (start, end) if start == end else None
        if referential == "original":
            return self._from_original(start, end)
        if end > len(self.normalized):
            return None
        return (start, end) if self._alignments is None else (self._alignments[start][0], self._alignments[end - 1][1])

    def _from_original(self, start: int, end: int) -> Span | None:
        first = last = None
        for place, (begin, stop) in enumerate(self.alignments):
            if stop > end:
                break
            if first is None and start <= begin != stop:
                first = place
            last = place + 1
        if last is None:
            return None
        return (last if first is None else first), last

    def slice_normalized(self, start: int, end: int) -> Self | None:
        """Return a part of the normalized text with its part of the original, or None if the span is outside."""
        span = self.convert_offsets(start, end)
        if span is None:
            return None
        first, last = span
        alignments = None
        if self._alignments is not None:
            alignments = [(begin - first, stop - first) for begin, stop in self._alignments[start:end]]
        return self.unchecked(
            self.original[first:last], self.normalized[start:end], alignments, self.original_shift + first
        )

    def transform(self, dest: Iterable[tuple[str, int]], initial_offset: int = 0) -> None:
        """Replace the text by characters with changes, after removing `initial_offset` characters at its start.

        A change is 0 for a character that replaces one, 1 for an inserted character, and -n for a character that
        replaces one and the n characters after it.

        Raises:
            TooManyReplacedError: more characters are replaced than the text has.
        """
        span = self.convert_offsets(0, len(self.original), "original")
        if span is not None:
            self.transform_range(*span, dest, initial_offset)

    def transform_range(self, start: int, end: int, dest: Iterable[tuple[str, int]], initial_offset: int = 0) -> None:
        """Replace a range of the normalized text, as `transform` does.

        An inserted character is aligned with the one before it.
        """
        old = self.alignments
        position = min(start + initial_offset, end)
        characters: list[str] = []
        spans: list[Span] = []
        for character, change in dest:
            if change > 0:
                spans.append(old[position - 1] if position else (0, 0))
            elif position < len(old):
                spans.append(old[position])
                position = min(position + 1 - change, end)
            else:
                raise TooManyReplacedError(
                    f"the new text replaces more characters than the {end - start} that it should; "
                    f"{character!r} has the change {change}, but should be inserted (1)"
                )
            characters.append(character)
        self._alignments = old[:start] + spans + old[end:]
        self._normalized = self.normalized[:start] + "".join(characters) + self.normalized[end:]

    def replace_characters(self, rule: Callable[[str], str]) -> None:
        """Replace each character by zero or more characters; they are aligned with the character they replace."""
        self._replace_each([rule(character) for character in self.normalized])

    def _replace_each(self, parts: list[str]) -> None:
        """Replace each character by one of the parts, in order."""
        if not self.is_covered():
            self.transform(*_as_changes(parts))
            return
        self._normalized = "".join(parts)
        if any(len(part) != 1 for part in parts):
            self._alignments = [span for part, span in zip(parts, self.alignments, strict=True) for _ in part]

    def translate(self, table: CharacterTable) -> None:
        """Replace each character by the characters that a table has for it."""
        new = self.normalized.translate(table)
        if self.is_covered() and table.keeps_length(self.normalized):
            self._normalized = new
        else:
            self._replace_each(list(map(table.__getitem__, map(ord, self.normalized))))

    def is_covered(self) -> bool:
        """Whether `transform` replaces all of the normalized text.

        subtle: it replaces the part that is aligned with the original; characters at the start that are aligned with
        nothing are outside, and the library keeps them before the new text.
        """
        if self._alignments is None:
            return bool(self.original)
        return bool(self.original and self._alignments) and self._alignments[0][0] != self._alignments[0][1]


def _as_changes(parts: list[str]) -> tuple[list[tuple[str, int]], int]:
    """Return the changes of a replacement of each character, and the number of characters removed at the start."""
    changes: list[tuple[str, int]] = []
    removed = 0
    for part in parts:
        if part:
            changes += [(part[0], 0), *((character, 1) for character in islice(part, 1, None))]
        elif changes:
            changes[-1] = (changes[-1][0], changes[-1][1] - 1)
        else:
            removed += 1
    return changes, removed
