"""Normalization before segmentation: replacements, whitespace, and `▁` for a space.

Adds: the normalizer of a model. At each position the longest key is replaced; runs of spaces are collapsed, and both
ends are stripped; a space is added in front, so that the first word is like all others; user-defined symbols are kept.
At the end, the same as a list of named rules, with which `algorithms.text.normalize` shows them one by one.
Leaves out: the format of the table of replacements (`charsmap`).

Source: google/sentencepiece, src/normalizer.cc, Normalizer::Normalize.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import takewhile
from typing import Any, NamedTuple

from tokenlab.algorithms.text.alignment import Replacement
from tokenlab.algorithms.text.normalize import RULES, Rule
from tokenlab.algorithms.text.normalize_whitespace import META_SPACE
from tokenlab.libraries.sentencepiece.model_proto import SPACE_SYMBOL, parse_message, read_model
from tokenlab.libraries.sentencepiece.normalization.charsmap import CharsMap, read_charsmap

SPACES = re.compile("  +")
NOT_TEXT = "\ufffd"  # replaces a byte that is not UTF-8


class Normalized(NamedTuple):
    """A normalized text, and the positions in the original that its characters and its end came from."""

    text: str
    origins: list[int]


class ReplacedSpan(NamedTuple):
    """The replacement of the characters `old` at `start` by `new`."""

    start: int
    old: str
    new: str


class Normalizer:
    """The rules of a `NormalizerSpec`."""

    def __init__(self, spec: Any, suffix: bool = False, user_defined_pattern: re.Pattern[str] | None = None) -> None:
        """Take the rules.

        Args:
            spec: a NormalizerSpec.
            suffix: whether `▁` comes after a word instead of before it.
            user_defined_pattern: finds user-defined symbols.

        Raises:
            RuntimeError: the table of replacements is damaged.
        """
        self.map = read_charsmap(spec.precompiled_charsmap) if spec.precompiled_charsmap else None
        self.user_defined_pattern = user_defined_pattern
        self._symbols_may_have_spaces = bool(
            user_defined_pattern and {" ", SPACE_SYMBOL} & set(user_defined_pattern.pattern)
        )
        self.trims: bool = spec.remove_extra_whitespaces
        self.space = SPACE_SYMBOL if spec.escape_whitespaces else " "
        self.prefix = self.space if spec.add_dummy_prefix and not suffix else ""
        self.suffix = self.space if spec.add_dummy_prefix and suffix else ""
        self._known = _KnownCharacters(self.map)

    def normalize(self, text: str) -> str:
        """Return the normalized text, with string methods if they suffice, otherwise part by part."""
        replaced = self._known.replaced(text)
        if replaced is None or not self._keeps_user_defined(text, replaced):
            return self.normalize_with_offsets(text).text
        if self.trims:
            trimmed = replaced.lstrip(" ")
            # subtle: a text of spaces becomes empty, but a text whose characters are all deleted still gets its ▁.
            if not trimmed and len(replaced) == len(text):
                return ""
            if "  " in trimmed:
                trimmed = SPACES.sub(" ", trimmed)
            # subtle: the end is trimmed after spaces have become ▁, so a typed ▁ is removed as well, even the first.
            return (self.prefix + trimmed.replace(" ", self.space)).rstrip(self.space) + self.suffix
        return self.prefix + replaced.replace(" ", self.space) + self.suffix if text else ""

    def _keeps_user_defined(self, text: str, replaced: str) -> bool:
        """Whether the rules for other characters change none of the user-defined symbols in a text."""
        if self.user_defined_pattern is None or (replaced == text and not self._symbols_may_have_spaces):
            return True
        symbols = "".join(self.user_defined_pattern.findall(text))
        return self._known.keeps(symbols) and " " not in symbols and self.space not in symbols

    def normalize_with_offsets(self, text: str) -> Normalized:
        """Return the normalized text with the origin of each of its characters."""
        parts, end = self._trimmed(text)
        if not parts:
            return Normalized("", [])
        if self.suffix:
            parts.append(ReplacedSpan(end, "", self.suffix))
        return Normalized("".join(part.new for part in parts), [*(part.start for part in parts for _ in part.new), end])

    def changes(self, text: str) -> list[Replacement]:
        """Return the replacements, from left to right.

        >>> from tokenlab.libraries.sentencepiece.normalization.builder import normalizer_spec_for_name
        >>> for change in Normalizer(normalizer_spec_for_name("nmt_nfkc")).changes("ﬁsh "): print(change)
        ▁ was inserted, at 0
        ﬁ became f i, at 0
        ␣ was removed, at 3
        """
        parts, _ = self._trimmed(text)
        content_start = self._content_start(text)
        leading = [
            part._replace(new="")
            for part in takewhile(lambda part: part.start < content_start, self.replacements(text))
        ]
        added = [ReplacedSpan(len(text), "", self.suffix)] if parts else []
        return [Replacement(*part) for part in [*leading, *parts, *added] if part.old != part.new]

    def _trimmed(self, text: str) -> tuple[list[ReplacedSpan], int]:
        """Return the replaced spans with spaces handled, and the position in the text where the content ends."""
        start = self._content_start(text)
        if start == len(text):
            return [], start
        parts = [ReplacedSpan(start, "", self.prefix)]
        after_space = self.trims
        for part in self.replacements(text, start):
            kept = part.new.lstrip(" ") if after_space else part.new
            parts.append(part._replace(new=kept.replace(" ", self.space)))
            if kept:
                after_space = self.trims and kept.endswith(" ")
        end = self._trim_end(parts, len(text)) if self.trims else len(text)
        return parts, end

    def _trim_end(self, parts: list[ReplacedSpan], end: int) -> int:
        """Remove trailing spaces from the spans; return the position of the first of them."""
        for place in reversed(range(len(parts))):
            part = parts[place]
            kept = part.new.rstrip(self.space)
            if kept != part.new:
                parts[place] = part._replace(new=kept)
                end = part.start
            if kept:
                break
        return end

    def _content_start(self, text: str) -> int:
        """Return the end of the leading spaces if they are trimmed, else 0."""
        start = 0
        if self.trims:
            for part in self.replacements(text):
                if part.new != " ":
                    break
                start = part.start + len(part.old)
        return start

    def replacements(self, text: str, start: int = 0) -> Iterator[ReplacedSpan]:
        """Yield the text from a position on, in spans that are replaced or kept."""
        while start < len(text):
            part = self._part(text, start)
            yield part
            start += len(part.old)

    def _part(self, text: str, start: int) -> ReplacedSpan:
        if self.user_defined_pattern and (symbol := self.user_defined_pattern.match(text, start)):
            return ReplacedSpan(start, symbol.group(), symbol.group())
        if self.map and (found := self.map.longest_prefix(text, start)).length:
            return ReplacedSpan(start, text[start : start + found.length], found.replacement)
        return ReplacedSpan(start, text[start], NOT_TEXT if "\ud800" <= text[start] <= "\udfff" else text[start])


class _KnownCharacters:
    """A cache of characters seen so far, with which most texts can be normalized by `str.translate`.

    A key of several characters can occur in a text only if one of `seconds`, the second characters of keys, does. If
    none does, every character is replaced separately. One pattern finds out that none of this occurs in an ASCII text.
    """

    def __init__(self, map: CharsMap | None) -> None:
        self.map = map
        self.met: set[str] = set()
        self.seconds: set[str] = set()
        self.changed: set[str] = set()
        self.translation: dict[int, str] = dict.fromkeys(range(0xD800, 0xE000), NOT_TEXT)

    def replaced(self, text: str) -> str | None:
        """Return the text after all replacements; None if every position has to be examined."""
        if self.unchanged_ascii.fullmatch(text):
            return text
        characters = set(text)
        if not characters <= self.met:
            for character in characters - self.met:
                self._meet(character)
        if not self.seconds.isdisjoint(characters):
            return None
        return text if self.changed.isdisjoint(characters) else text.translate(self.translation)

    @cached_property
    def unchanged_ascii(self) -> re.Pattern[str]:
        """A pattern for texts of ASCII characters that are replaced neither alone nor together."""
        ascii = set(map(chr, range(128)))
        for character in ascii - self.met:
            self._meet(character)
        return re.compile(f"[{re.escape(''.join(sorted(ascii - self.changed - self.seconds)))}]*")

    def keeps(self, characters: str) -> bool:
        """Whether none of some characters, which were all seen before, is replaced."""
        return self.changed.isdisjoint(characters)

    def _meet(self, character: str) -> None:
        self.met.add(character)
        if self.map is not None:
            self._look_up(self.map, character)
        if ord(character) in self.translation:
            self.changed.add(character)

    def _look_up(self, map: CharsMap, character: str) -> None:
        found = map.longest_prefix(character, 0)
        if found.length:
            self.translation[ord(character)] = found.replacement
            if "  " in found.replacement:
                self.seconds.add(character)  # subtle: spaces inside one replacement are not collapsed
        self.seconds.update(map.second_characters(character))


def normalization_rules(processor: Any, text: str) -> list[str | Rule]:
    """Return the rules, in order, with which the model of a processor (ours or the library's) normalizes a text.

    Source: google/sentencepiece, src/normalizer.cc, Normalizer::Normalize.
    """
    serialized = processor.serialized_model_proto()
    model = parse_message("ModelProto", serialized)
    spec, suffix = model.normalizer_spec, model.trainer_spec.treat_whitespace_as_suffix
    table = CharsMapRule(spec, read_model(serialized).user_defined_pattern)
    rules: list[str | Rule] = [table] if table else []
    if spec.remove_extra_whitespaces:
        rules.append("remove extra spaces")
    is_kept = table.has_content(text)
    if spec.add_dummy_prefix and not suffix:
        # subtle: with remove_extra_whitespaces, a text that is removed entirely loses its prefix, but not its suffix.
        is_kept = is_kept and not spec.remove_extra_whitespaces
        rules.append(KeptSpace("add dummy prefix") if is_kept else "add dummy prefix")
    if spec.escape_whitespaces:
        rules.append("escape spaces")
        if spec.remove_extra_whitespaces and not table.replaces(META_SPACE):
            rules.append("trim ▁")
    if spec.add_dummy_prefix and suffix:
        rules.append(KeptSpace("add dummy suffix") if is_kept else "add dummy suffix")
    return rules


class KeptSpace:
    """A rule that adds a prefix or suffix, even to a text that the rules before it have removed entirely."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, text: str) -> Iterator[Replacement]:
        """Yield the addition."""
        for added in RULES[self.__name__](text or "a"):
            yield Replacement(added.start if text else 0, "", added.new)


class CharsMapRule:
    """The replacements of a model as a rule; user-defined symbols are not changed."""

    def __init__(self, spec: Any, symbols: Any) -> None:
        self._normalizer = Normalizer(spec, user_defined_pattern=symbols)
        self.__name__ = spec.name or "replacements"

    def __call__(self, text: str) -> Iterator[Replacement]:
        """Yield the replacements, from left to right."""
        return (Replacement(*part) for part in self._normalizer.replacements(text) if part.old != part.new)

    def __bool__(self) -> bool:
        return self._normalizer.map is not None

    def has_content(self, text: str) -> bool:
        """Whether the model normalizes the text at all: it is not empty, and not all of it is removed as spaces."""
        return bool(self._normalizer.normalize_with_offsets(text).origins)

    def replaces(self, text: str) -> bool:
        """Whether the table has a replacement for a character."""
        return next(self(text), None) is not None
