"""Normalization before segmentation: the table of replacements, whitespace, and `▁` for a space.

The table is stored in model files as a double-array trie of bytes, and the replacements it points to. A state is an
index, a byte leads to the index `state XOR byte`, and a valid transition has the byte as its label there. So a
transition costs one look-up, and nothing has to be decompressed first.

Adds: at each position the longest key is replaced; runs of spaces are collapsed, and both ends are stripped; a space is
added in front, so that the first word is like all others; user-defined symbols are kept.

Source: google/sentencepiece, src/normalizer.cc, Normalizer::Normalize and DecodePrecompiledCharsMap; Darts-clone by
Susumu Yata, darts.h.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import takewhile
from typing import Any, NamedTuple

from tokenlab.algorithms.text.alignment import Replacement
from tokenlab.libraries.sentencepiece.model_interface import SPACE_SYMBOL

HEADER = 4  # bytes; the length of the array
BLOCK = 1024  # bytes: 256 units, one for each byte value
LEAF = 0x100  # a key ends at a unit with this bit
LABEL = 0x800000FF  # a unit that holds a value has the highest bit, so its label is no byte
VALUE = 0x7FFFFFFF
MAX_KEYS = 1 << 21  # ten times the keys of the library's largest table


class LookupResult(NamedTuple):
    """The state after some characters, and the longest key that is a prefix of them, with its replacement."""

    state: int | None  # None if no longer key starts with these characters
    length: int  # of that key, in characters; 0 if no key matches
    replacement: str


class CharsMap:
    """The replacements of a normalizer, looked up by the longest key at a position of a text."""

    def __init__(self, blob: bytes) -> None:
        """Take and check the field `precompiled_charsmap` of a model; a RuntimeError if it is damaged."""
        self.blob = blob
        self._units, self._texts = _split(blob)
        _check(self._units, len(self._texts))
        self._found: dict[str, LookupResult] = {"": LookupResult(self._next(0), 0, "")}

    def longest_prefix(self, text: str, start: int) -> LookupResult:
        """Return the longest key at a position; its length is 0 if no key matches."""
        found_for = self._found
        # Nearly always, no key continues after the first character, and the result is cached.
        found = found_for.get(text[start]) or self._look_up(text[start])
        end = start + 1
        while found.state is not None and end < len(text):
            end += 1
            part = text[start:end]
            found = found_for.get(part) or self._look_up(part)
        return found

    def _look_up(self, part: str) -> LookupResult:
        """Look up a string, given the cached result for the string without its last character."""
        before = self._found[part[:-1]]
        found = before._replace(state=None)
        place = None if before.state is None else self._walk(before.state, part[-1])
        if place is not None:
            if self._units[place] & LEAF:
                found = LookupResult(None, len(part), self._value(place))
            if self._places(self._next(place)):
                found = found._replace(state=self._next(place))
        return self._found.setdefault(part, found)

    def second_characters(self, character: str) -> Iterator[str]:
        """Yield the second characters of the keys that start with this character."""
        found = self._found.get(character) or self._look_up(character)
        waiting = [] if found.state is None else [(found.state, b"")]
        while waiting:
            state, part = waiting.pop()
            for place, byte in self._places(state):
                longer = part + bytes([byte])
                if len(longer) == _width(longer[0]):
                    yield _utf8(longer)
                else:
                    waiting.append((self._next(place), longer))

    def items(self) -> Iterator[tuple[str, str]]:
        """Yield every key with its replacement, in the order of their bytes.

        Raises:
            RuntimeError: a key is not UTF-8, or never ends, or there are more than `MAX_KEYS`.
        """
        children = self._reachable()
        waiting = [(0, b"")]
        while waiting:
            place, key = waiting.pop()
            if key and self._units[place] & LEAF:
                yield _utf8(key), self._value(place)
            waiting += [(child, key + bytes([byte])) for child, byte in reversed(children[place])]

    def _reachable(self) -> dict[int, list[tuple[int, int]]]:
        """Return the transitions from each unit that a key leads to; keys with equal suffixes share units."""
        children: dict[int, list[tuple[int, int]]] = {}
        keys: dict[int, int] = {}  # the number of keys that end at a unit or beyond, once it is known
        waiting = [0]
        while waiting:
            place = waiting[-1]
            if place not in children:
                children[place] = self._places(self._next(place))
                waiting += [child for child, _ in children[place] if child not in keys]
                # subtle: a unit whose keys are still being counted comes before this one in the key.
                if any(child in children and child not in keys for child, _ in children[place]):
                    raise RuntimeError("precompiled_charsmap is damaged: a key of its array never ends")
            else:
                waiting.pop()
                keys[place] = bool(self._units[place] & LEAF) + sum(keys[child] for child, _ in children[place])
        if keys[0] > MAX_KEYS:
            raise RuntimeError(f"precompiled_charsmap is damaged: its array has {keys[0]} keys, more than {MAX_KEYS}")
        return children

    # --- the double array -------------------------------------------------------------------------

    def _next(self, place: int) -> int:
        """Return the state that a unit leads to."""
        unit = self._units[place]
        return place ^ ((unit >> 10) << ((unit & 0x200) >> 6))

    def _walk(self, state: int, character: str) -> int | None:
        """Return the unit that the bytes of a character lead to; None if no key continues with this character."""
        place = None
        if "\ud800" <= character <= "\udfff":
            return None  # subtle: a key may still start with a byte that is not UTF-8
        for byte in character.encode():
            if place is not None:
                state = self._next(place)
            place = state ^ byte
            if not byte or self._units[place] & LABEL != byte:
                return None
        return place

    def _places(self, state: int) -> list[tuple[int, int]]:
        """Return the transitions of a state: pairs of a unit and the byte that leads to it."""
        units = self._units
        return [(state ^ byte, byte) for byte in range(1, 256) if units[state ^ byte] & LABEL == byte]

    def _value(self, place: int) -> str:
        value = self._units[self._next(place)] & VALUE
        return _utf8(self._texts[value : self._texts.index(b"\0", value)])


@lru_cache(maxsize=8)
def read_charsmap(blob: bytes) -> CharsMap:
    """Return the `CharsMap` of a model's field `precompiled_charsmap`; models with equal tables share one object."""
    return CharsMap(blob)


def _width(first: int) -> int:
    """Return the number of UTF-8 bytes of a character that starts with this byte."""
    return 1 if first < 0x80 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4


def _split(blob: bytes) -> tuple[array[int], bytes]:
    """Split the field into the array and the null-terminated replacements."""
    size = int.from_bytes(blob[:HEADER], "little")
    if len(blob) <= HEADER or size >= len(blob) - HEADER or size < BLOCK or size % BLOCK:
        raise RuntimeError(f"precompiled_charsmap of {len(blob)} bytes is damaged: its array cannot have {size} bytes")
    units = array("I", blob[HEADER : HEADER + size])
    if sys.byteorder == "big":
        units.byteswap()
    texts = blob[HEADER + size :]
    if not texts.endswith(b"\0"):
        raise RuntimeError("precompiled_charsmap is damaged: its last replacement is not null-terminated")
    return units, texts


def _check(units: array[int], texts: int) -> None:
    """Check that no transition leads out of the array, and no value out of the replacements."""
    size = len(units)
    broken = bool(units[0] & 0x800001FF) or not units[0] >> 10
    for place, unit in enumerate(units):
        state = place ^ ((unit >> 10) << ((unit & 0x200) >> 6))
        if unit >> 31:
            broken |= unit & VALUE >= texts
        else:
            broken |= state | 0xFF >= size or bool(unit & LEAF and not units[state] >> 31)
        if broken:
            raise RuntimeError(f"precompiled_charsmap is damaged: unit {place} of its array leads nowhere")


def _utf8(text: bytes) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError:
        raise RuntimeError(f"precompiled_charsmap is damaged: {text!r:.60} is not UTF-8") from None


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

        >>> from tokenlab.libraries.sentencepiece.builder import normalizer_spec_for_name
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
