"""What a text becomes before it is cut: replacements, white space, and `▁` for a blank.

Adds: the normalizer of a model. Each beginning of the text is replaced, the longest key first; blanks run together
and go at both ends; a blank in front makes the first word like all others; user-defined symbols stay as they are.
Leaves out: how a table of replacements is stored, which is `charsmap`.

Source: google/sentencepiece, src/normalizer.cc, Normalizer::Normalize.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Any, NamedTuple

from tokenlab.algorithms.align import Change
from tokenlab.sentencepiece.charsmap import CharsMap, read_charsmap
from tokenlab.sentencepiece.model import SPACE

BLANKS = re.compile("  +")
NOT_TEXT = "\ufffd"  # what a byte becomes that is not UTF-8


class Normalized(NamedTuple):
    """A normalized text, and for each of its characters, and for its end, where it came from in the original."""

    text: str
    origins: list[int]


class Part(NamedTuple):
    """The characters `old` at `start`, and what replaces them."""

    start: int
    old: str
    new: str


class Normalizer:
    """The rules of a `NormalizerSpec`."""

    def __init__(self, spec: Any, suffix: bool = False, symbols: re.Pattern[str] | None = None) -> None:
        """Take the rules.

        Args:
            spec: a NormalizerSpec.
            suffix: whether `▁` goes behind a word and not before it.
            symbols: what finds user-defined symbols.

        Raises:
            RuntimeError: the table of replacements is damaged.
        """
        self.map = read_charsmap(spec.precompiled_charsmap) if spec.precompiled_charsmap else None
        self.symbols = symbols
        self.trims: bool = spec.remove_extra_whitespaces
        self.mark = SPACE if spec.escape_whitespaces else " "
        self.before = self.mark if spec.add_dummy_prefix and not suffix else ""
        self.behind = self.mark if spec.add_dummy_prefix and suffix else ""
        self._known = _Known(self.map)

    def normalize(self, text: str) -> str:
        """The normalized text: string methods where they do, and otherwise part by part."""
        replaced = None if self.symbols and self.symbols.search(text) else self._known.replaced(text)
        if replaced is None:
            return self.align(text).text
        if self.trims:
            # subtle: what only has blanks becomes nothing, but what loses all its characters still gets its ▁.
            if len(replaced) == len(text) and not replaced.strip(" "):
                return ""
            replaced = BLANKS.sub(" ", replaced).lstrip(" ") if "  " in replaced else replaced.lstrip(" ")
            # subtle: the end is trimmed after blanks have become ▁, so a ▁ of the text goes too, and the first as well.
            return (self.before + replaced.replace(" ", self.mark)).rstrip(self.mark) + self.behind
        return self.before + replaced.replace(" ", self.mark) + self.behind if text else ""

    def align(self, text: str) -> Normalized:
        """The normalized text with the origin of each of its characters."""
        parts, end = self._trimmed(text)
        if not parts:
            return Normalized("", [])
        if self.behind:
            parts.append(Part(end, "", self.behind))
        return Normalized("".join(part.new for part in parts), [*(part.start for part in parts for _ in part.new), end])

    def changes(self, text: str) -> list[Change]:
        """What became what, from left to right.

        >>> from tokenlab.sentencepiece.rules import spec_named
        >>> for change in Normalizer(spec_named("nmt_nfkc")).changes("ﬁsh "): print(change)
        nothing became ▁, at 0
        ﬁ became f i, at 0
        ␣ became nothing, at 3
        """
        parts, _ = self._trimmed(text)
        first = self._first(text)
        blanks = [part._replace(new="") for part in takewhile(lambda part: part.start < first, self.parts(text))]
        behind = [Part(len(text), "", self.behind)] if parts else []
        return [Change(*part) for part in [*blanks, *parts, *behind] if part.old != part.new]

    def _trimmed(self, text: str) -> tuple[list[Part], int]:
        """The parts with what they become, blanks and all; and where in the text what is left of it ends."""
        start = self._first(text)
        if start == len(text):
            return [], start
        parts = [Part(start, "", self.before)]
        after_blank = self.trims
        for part in self.parts(text, start):
            kept = part.new.lstrip(" ") if after_blank else part.new
            parts.append(part._replace(new=kept.replace(" ", self.mark)))
            if kept:
                after_blank = self.trims and kept.endswith(" ")
        end = self._trim_end(parts, len(text)) if self.trims else len(text)
        return parts, end

    def _trim_end(self, parts: list[Part], end: int) -> int:
        """Take the blanks at the end off the parts; where the first of them stood is the end of what is left."""
        for place in reversed(range(len(parts))):
            part = parts[place]
            kept = part.new.rstrip(self.mark)
            if kept != part.new:
                parts[place] = part._replace(new=kept)
                end = part.start
            if kept:
                break
        return end

    def _first(self, text: str) -> int:
        """Where the blanks at the start end, if they go."""
        start = 0
        if self.trims:
            for part in self.parts(text):
                if part.new != " ":
                    break
                start = part.start + len(part.old)
        return start

    def parts(self, text: str, start: int = 0) -> Iterator[Part]:
        """The text from a place on, in parts that are replaced, or stay as they are."""
        while start < len(text):
            part = self._part(text, start)
            yield part
            start += len(part.old)

    def _part(self, text: str, start: int) -> Part:
        if self.symbols and (symbol := self.symbols.match(text, start)):
            return Part(start, symbol.group(), symbol.group())
        if self.map and (found := self.map.longest(text, start)).length:
            return Part(start, text[start : start + found.length], found.replacement)
        return Part(start, text[start], NOT_TEXT if "\ud800" <= text[start] <= "\udfff" else text[start])


class _Known:
    """What is known of characters that were met: how a text can be replaced without looking at each place.

    A key of several characters stands in a text only if one of `seconds` does. Where none does, every character is
    replaced by itself, which `str.translate` does.
    """

    def __init__(self, map: CharsMap | None) -> None:
        self.map = map
        self.met: set[str] = set()
        self.seconds: set[str] = set()
        self.replacements: dict[int, str] = dict.fromkeys(range(0xD800, 0xE000), NOT_TEXT)

    def replaced(self, text: str) -> str | None:
        """The text after all replacements; None where it takes a look at each place."""
        characters = set(text)
        if not characters <= self.met:
            for character in characters - self.met:
                self._meet(character)
        if not self.seconds.isdisjoint(characters):
            return None
        return text.translate(self.replacements)

    def _meet(self, character: str) -> None:
        self.met.add(character)
        if self.map is None:
            return
        found = self.map.longest(character, 0)
        if found.length:
            self.replacements[ord(character)] = found.replacement
            if "  " in found.replacement:
                self.seconds.add(character)  # subtle: blanks inside a replacement do not run together
        self.seconds.update(self.map.followers(character))
