"""The table of a normalizer as model files hold it: a double array of bytes, and the replacements that it points to.

Adds: reading that array. A state is a place in it, a byte leads to the place `state XOR byte`, and a place that is
right carries the byte as its label. So a step costs one look-up, and nothing has to be unpacked first.
Leaves out: white space, which is `normalizing`.

Source: google/sentencepiece, src/normalizer.cc, DecodePrecompiledCharsMap; Darts-clone by Susumu Yata, darts.h.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

HEAD = 4  # bytes: how long the array is
BLOCK = 1024  # bytes: 256 places, which a byte chooses among
LEAF = 0x100  # a key ends in a place that has this bit
LABEL = 0x800000FF  # a place that holds a value has the highest bit, so its label is no byte
VALUE = 0x7FFFFFFF


class Found(NamedTuple):
    """Where some characters lead: the state, and the longest key among their beginnings with its replacement."""

    state: int | None  # None where no key goes on
    length: int  # of that key, in characters; 0 where there is none
    replacement: str


class CharsMap:
    """The replacements of a normalizer, looked up by what stands at a place of a text."""

    def __init__(self, blob: bytes) -> None:
        """Take the field `precompiled_charsmap` of a model.

        Raises:
            RuntimeError: it is damaged.
        """
        self.blob = blob
        self._units, self._texts = _split(blob)
        _check(self._units, len(self._texts))
        self._found: dict[str, Found] = {"": Found(self._next(0), 0, "")}

    def longest(self, text: str, start: int) -> Found:
        """The longest key that stands at a place; where there is none, its length is 0."""
        found_for = self._found
        # Nearly always, no key goes on after the first character, and the answer is known.
        found = found_for.get(text[start]) or self._look_up(text[start])
        end = start + 1
        while found.state is not None and end < len(text):
            end += 1
            part = text[start:end]
            found = found_for.get(part) or self._look_up(part)
        return found

    def _look_up(self, part: str) -> Found:
        """Where a part leads, when it is known where the part without its last character does."""
        before = self._found[part[:-1]]
        found = before._replace(state=None)
        place = None if before.state is None else self._walk(before.state, part[-1])
        if place is not None:
            if self._units[place] & LEAF:
                found = Found(None, len(part), self._value(place))
            if self._goes_on(place):
                found = found._replace(state=self._next(place))
        return self._found.setdefault(part, found)

    def followers(self, character: str) -> Iterator[str]:
        """The characters that come second in keys that begin with this one."""
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
        """Every key with its replacement, in the order of their bytes.

        Raises:
            RuntimeError: a key is not UTF-8.
        """
        leading_on: dict[int, list[tuple[int, int]]] = {}  # many keys end alike, and share the places of their ends
        waiting = [(0, b"")]
        while waiting:
            place, key = waiting.pop()
            if key and self._units[place] & LEAF:
                yield _utf8(key), self._value(place)
            if place not in leading_on:
                leading_on[place] = self._places(self._next(place))[::-1]
            waiting += [(child, key + bytes([byte])) for child, byte in leading_on[place]]

    # --- the double array -------------------------------------------------------------------------

    def _next(self, place: int) -> int:
        """The state that a place leads to."""
        unit = self._units[place]
        return place ^ ((unit >> 10) << ((unit & 0x200) >> 6))

    def _walk(self, state: int, character: str) -> int | None:
        """The place where the bytes of a character lead; None where no key goes on like this."""
        place = None
        if "\ud800" <= character <= "\udfff":
            return None  # subtle: a byte that is not UTF-8 may still begin a key
        for byte in character.encode():
            if place is not None:
                state = self._next(place)
            place = state ^ byte
            if not byte or self._units[place] & LABEL != byte:
                return None
        return place

    def _places(self, state: int) -> list[tuple[int, int]]:
        """Each byte that leads on from a state, and the place where it leads."""
        units = self._units
        return [(state ^ byte, byte) for byte in range(1, 256) if units[state ^ byte] & LABEL == byte]

    def _goes_on(self, place: int) -> bool:
        return bool(self._places(self._next(place)))

    def _value(self, place: int) -> str:
        value = self._units[self._next(place)] & VALUE
        return _utf8(self._texts[value : self._texts.index(b"\0", value)])


@lru_cache(maxsize=8)
def read_charsmap(blob: bytes) -> CharsMap:
    """The table in the field `precompiled_charsmap` of a model; models trained alike share one.

    Raises:
        RuntimeError: it is damaged.
    """
    return CharsMap(blob)


def _width(first: int) -> int:
    """How many bytes a character has that starts with this one."""
    return 1 if first < 0x80 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4


def _split(blob: bytes) -> tuple[array[int], bytes]:
    """The array, and the replacements, each with a null after it."""
    size = int.from_bytes(blob[:HEAD], "little")
    if len(blob) <= HEAD or size >= len(blob) - HEAD or size < BLOCK or size % BLOCK:
        raise RuntimeError(f"precompiled_charsmap of {len(blob)} bytes is damaged: its array cannot have {size} bytes")
    units = array("I", blob[HEAD : HEAD + size])
    if sys.byteorder == "big":
        units.byteswap()
    texts = blob[HEAD + size :]
    if not texts.endswith(b"\0"):
        raise RuntimeError("precompiled_charsmap is damaged: no null stands after its last replacement")
    return units, texts


def _check(units: array[int], texts: int) -> None:
    """No step may lead out of the array, and no value out of the replacements."""
    size = len(units)
    broken = bool(units[0] & 0x800001FF) or not units[0] >> 10
    for place, unit in enumerate(units):
        state = place ^ ((unit >> 10) << ((unit & 0x200) >> 6))
        if unit >> 31:
            broken |= unit & VALUE >= texts
        else:
            broken |= state | 0xFF >= size or bool(unit & LEAF and not units[state] >> 31)
        if broken:
            raise RuntimeError(f"precompiled_charsmap is damaged: place {place} of its array leads nowhere")


def _utf8(text: bytes) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError:
        raise RuntimeError(f"precompiled_charsmap is damaged: {text!r:.60} is not UTF-8") from None
