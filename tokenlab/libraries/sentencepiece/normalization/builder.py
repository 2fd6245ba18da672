"""Sources of a normalizer's table (a rule name, a rule file, a list of pairs), and the table as a double-array trie.

The four named tables (`nfkc`, `nmt_nfkc` and their case-folding variants) are sentencepiece's own data, under the
Apache License 2.0, and are read from the installed sentencepiece. `identity` has no table, and a
`.model` file contains its own.

Adds: placement in the array that `charsmap` reads. All transitions of a state are in one block of 256 units, so a state
is placed in the first block whose units for its bytes are free.
Leaves out: sharing common suffixes, which makes sentencepiece's own tables a quarter of the size; both can be read.

Source: google/sentencepiece, src/builder.cc, GetPrecompiledCharsMap, LoadCharsMap and CompileCharsMap; Darts-clone by
Susumu Yata, darts.h.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any, TypeAlias

from tokenlab.libraries.sentencepiece.model_proto import protobuf_messages
from tokenlab.libraries.sentencepiece.normalization.charsmap import HEADER, LEAF
from tokenlab.storage.files import read_lines

Node: TypeAlias = dict[int, Any]  # a byte leads to the next node; END to the offset of the replacement

END = 0
EMPTY = 0x80000000  # marked as a value, so that no byte matches
MAX_OFFSET = 1 << 21  # exclusive; the range of a transition's bits
SEARCH_WINDOW = 4 * 256  # units at the end that are searched for free ones; earlier free units are not used
MAX_NESTED_KEYS = 32  # exclusive; keys that are prefixes of one another; src/normalizer.h, kMaxTrieResultsSize


def compile_charsmap(replacements: Mapping[str, str]) -> bytes:
    """Return the field `precompiled_charsmap` for a table.

    Raises:
        ValueError: a key is empty, or replaced by itself.
        RuntimeError: there are no keys, or too many that are prefixes of one another.

    >>> from tokenlab.libraries.sentencepiece.normalization.charsmap import CharsMap
    >>> list(CharsMap(compile_charsmap({"ﬁ": "fi"})).items())
    [('ﬁ', 'fi')]
    """
    _check(replacements)
    places: dict[str, int] = {}
    texts = bytearray()
    for replacement in sorted(set(replacements.values())):
        places[replacement] = len(texts)
        texts += replacement.encode() + b"\0"
    root: Node = {}
    for key, replacement in replacements.items():
        node = root
        for byte in key.encode():
            node = node.setdefault(byte, {})
        node[END] = places[replacement]
    units = _DoubleArray().build(root)
    if sys.byteorder == "big":
        units.byteswap()
    array_of_units = units.tobytes()
    return len(array_of_units).to_bytes(HEADER, "little") + array_of_units + bytes(texts)


def _check(replacements: Mapping[str, str]) -> None:
    if not replacements:
        raise RuntimeError("the table of replacements is empty; for no replacements use the rule name 'identity'")
    for key, replacement in replacements.items():
        if not key or "\0" in key or "\0" in replacement:
            raise ValueError(f"{key!r} to {replacement!r}: a key must not be empty, and neither may have a null in it")
        if key == replacement:
            raise ValueError(f"{key!r} is replaced by itself; leave it out")
        if sum(key[:end] in replacements for end in range(1, len(key) + 1)) >= MAX_NESTED_KEYS:
            raise RuntimeError(
                f"{key!r:.60} begins with {MAX_NESTED_KEYS - 1} other keys or more; leave some of them out"
            )


class _DoubleArray:
    """The array while it is filled, and which of its units are taken."""

    def __init__(self) -> None:
        self.units = array("I")
        self.taken = bytearray()
        self.states: set[int] = set()
        self.first_free = 0

    def build(self, root: Node) -> array[int]:
        """Return the array for a trie; its root is the first unit."""
        self._grow()
        self.units[0] = 0
        self.taken[0] = 1
        waiting = [(0, root)]
        while waiting:
            place, node = waiting.pop()
            state = self._state_for(sorted(node))
            self.units[place] |= self._step(place ^ state) | (LEAF if END in node else 0)
            for byte, child in node.items():
                self.taken[state ^ byte] = 1
                self.units[state ^ byte] = EMPTY | child if byte == END else byte
                if byte != END:
                    waiting.append((state ^ byte, child))
        return self.units

    def _state_for(self, children: Iterable[int]) -> int:
        """Return an unused state whose units for these bytes are free."""
        while self.first_free < len(self.taken) and self.taken[self.first_free]:
            self.first_free += 1
        for state in range(max(1, self.first_free - 255, len(self.taken) - SEARCH_WINDOW), len(self.taken)):
            if state not in self.states and not any(self.taken[state ^ byte] for byte in children):
                self.states.add(state)
                return state
        self._grow()
        return self._state_for(children)

    def _grow(self) -> None:
        self.units.extend([EMPTY] * 256)
        self.taken.extend(bytes(256))

    @staticmethod
    def _step(offset: int) -> int:
        if offset >= MAX_OFFSET:
            raise RuntimeError("the table of replacements is too large for a model file; leave some keys out")
        return offset << 10


DEFAULT_RULE_NAME = "nmt_nfkc"


def load_charsmap(name: str) -> bytes:
    """Return the table of a named rule.

    Raises:
        ValueError: the string cannot be a rule name.
        RuntimeError: there is no such rule.
        ImportError: sentencepiece is not installed.
    """
    if name == "identity":
        return b""
    if not re.fullmatch("[a-z_-]*", name):
        raise ValueError(f"normalization_rule_name={name!r} has characters that no name has; try 'nmt_nfkc'")
    try:
        folder = resources.files("sentencepiece") / "package_data"
    except ImportError as error:
        raise ImportError(
            f"the normalization table {name!r} is read from sentencepiece, which is not installed; install it with: "
            "pip install sentencepiece; or give the rule name 'identity', or your own rules"
        ) from error
    file = folder / f"{name}.bin"
    if not file.is_file():
        names = sorted(Path(str(one)).stem for one in folder.iterdir() if str(one).endswith(".bin"))
        raise RuntimeError(f"normalization_rule_name={name!r} is not known; there are: identity, {', '.join(names)}")
    return file.read_bytes()


def normalizer_spec_for_name(name: str) -> Any:
    """Return the NormalizerSpec of a named rule."""
    return protobuf_messages().NormalizerSpec(name=name, precompiled_charsmap=load_charsmap(name))


def normalizer_spec_from_file(path: str) -> Any:
    """Return the NormalizerSpec of a rule file: each line has code points in hexadecimal, a tab, and replacements."""
    table = compile_charsmap(read_rule_file(path))
    return protobuf_messages().NormalizerSpec(
        name="user_defined", precompiled_charsmap=table, normalization_rule_tsv=path
    )


def read_rule_file(path: str) -> dict[str, str]:
    """Return the replacements in a rule file; of several with the same key, the last one is used.

    Raises:
        RuntimeError: the file cannot be read, or a line is not a rule; the message has the file and the line.
    """
    rules: dict[str, str] = {}
    try:
        for number, line in enumerate(read_lines(path), start=1):
            fields = [*line.rstrip("\r\n").split("\t"), ""]
            rules[_characters(fields[0], path, number)] = _characters(fields[1], path, number)
    except OSError as error:
        raise RuntimeError(str(error)) from None
    if "" in rules:
        raise RuntimeError(f"{path} has a line without a code point before its tab; put one there, such as 'FB01'")
    return rules


def _characters(points: str, path: str, number: int) -> str:
    try:
        return "".join(chr(int(point.removeprefix("U+"), 16)) for point in points.split(" ") if point)
    except ValueError:
        raise RuntimeError(
            f"{path}, line {number}: {points!r:.60} should be code points in hexadecimal, such as '41 30A'"
        ) from None


def normalizer_spec_from_map(norm_map: Iterable[tuple[str, str]]) -> Any:
    """Return the NormalizerSpec of pairs of a string and its replacement.

    Raises:
        ValueError: two pairs have the same key, or `compile_charsmap` refuses one.
        TypeError: an element is not a pair of str.
    """
    rules: dict[str, str] = {}
    for pair in norm_map:
        if not (isinstance(pair, tuple | list) and len(pair) == 2 and all(isinstance(text, str) for text in pair)):
            raise TypeError(f"norm_map has {pair!r:.60}; give pairs of str, such as ('ﬁ', 'fi')")
        if pair[0] in rules:
            raise ValueError(f"norm_map replaces {pair[0]!r} twice; give it once")
        rules[pair[0]] = pair[1]
    return protobuf_messages().NormalizerSpec(precompiled_charsmap=compile_charsmap(rules))
