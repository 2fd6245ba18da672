"""The normalizer's table as stored in model files: a double-array trie of bytes, and the replacements it points to.

Adds: reading that array. A state is an index, a byte leads to the index `state XOR byte`, and a valid transition has
the byte as its label there. So a transition costs one look-up, and nothing has to be decompressed first.
Leaves out: whitespace (`text_normalizer`).

Source: google/sentencepiece, src/normalizer.cc, DecodePrecompiledCharsMap; Darts-clone by Susumu Yata, darts.h.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

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
        """Take and check the field `precompiled_charsmap` of a model.

        Raises:
            RuntimeError: it is damaged.
        """
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
            if self._has_children(place):
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

    def _has_children(self, place: int) -> bool:
        return bool(self._places(self._next(place)))

    def _value(self, place: int) -> str:
        value = self._units[self._next(place)] & VALUE
        return _utf8(self._texts[value : self._texts.index(b"\0", value)])


@lru_cache(maxsize=8)
def read_charsmap(blob: bytes) -> CharsMap:
    """Read the table in the field `precompiled_charsmap` of a model; models with equal tables share one object.

    Raises:
        RuntimeError: it is damaged.
    """
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
