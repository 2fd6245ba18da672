"""The normalizer of a sentencepiece model: replacements from the table in its model file.

Adds: `Precompiled`, which replaces grapheme clusters (characters with their marks) and single characters.
Leaves out: reading the table (`tokenlab.libraries.sentencepiece.normalization.charsmap`).

The result differs from sentencepiece's in one way. sentencepiece replaces the longest key at each position. The library
looks up whole grapheme clusters of less than 6 bytes: if a prefix of the cluster is a key, the shortest such key
replaces the whole cluster.
Source: tokenizers 0.23.3, tokenizers/src/normalizers/precompiled.rs; the crate spm_precompiled 0.1.4.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Sequence
from typing import Any, Final, Self

import regex

from tokenlab.libraries.sentencepiece.normalizer import CharsMap
from tokenlab.libraries.tokenizers.components.arguments import check_sequence, check_text, check_unsigned, read_field
from tokenlab.libraries.tokenizers.normalizers.normalizer import Normalizer
from tokenlab.libraries.tokenizers.text.normalized_string import NormalizedString

# Marks that Unicode 17 added; the library's crate unicode-segmentation has Unicode 16.
_NEWER_MARKS: Final = (
    r"\u05C8\u05C9\u0B53\u0B54\u1ADE\u1ADF\u1AEC-\u1AF0\U00010ECB-\U00010ECF\U00010EF0-\U00010EF9\U00011DF0"
    r"\U0001D127\U0001D128\U0001D250-\U0001D252\U0001D25B\U0001D25C\U0001D25F\U0001D280\U0001D281"
)

# Extended grapheme clusters: Unicode Standard Annex 29, table 1c.
GRAPHEME: Final = regex.compile(
    r"""
    \r\n | \p{GCB=Control} | [\r\n]
    | \p{GCB=Prepend}*
      (?: \p{GCB=L}* (?: \p{GCB=V}+ | \p{GCB=LV}\p{GCB=V}* | \p{GCB=LVT}) \p{GCB=T}* | \p{GCB=L}+ | \p{GCB=T}+
        | \p{GCB=RI}{2}
        | \p{ExtPict} (?: {extend}* \u200d \p{ExtPict})*
        | \p{InCB=Consonant} (?: [{extend}\u200d]* \p{InCB=Linker} [{extend}\u200d]* \p{InCB=Consonant})+
        | [^\p{GCB=Control}\r\n]
      )
      [{extend}\u200d\p{GCB=SpacingMark}]*
    | \p{GCB=Prepend}
    """.replace("{extend}", f"[\\p{{GCB=Extend}}--[{_NEWER_MARKS}]]"),
    regex.VERSION1 | regex.VERBOSE,
)
LONGEST = 5  # bytes of a grapheme cluster that is looked up as a whole


class Precompiled(Normalizer):
    """Replace characters by the table `precompiled_charsmap` of a sentencepiece model."""

    def __init__(self, precompiled_charsmap: Sequence[int]) -> None:
        """Read the table.

        Raises:
            TypeError: it is neither bytes nor a list of numbers.
            OverflowError: a number is not from 0 to 255.
            ValueError: it is damaged.
        """
        if not isinstance(precompiled_charsmap, bytes):
            numbers = check_sequence("precompiled_charsmap", precompiled_charsmap, "of numbers, or bytes")
            precompiled_charsmap = bytes(check_unsigned("a byte", number, 255) for number in numbers)
        self._blob = precompiled_charsmap
        try:
            self._map = CharsMap(self._blob)
        except RuntimeError as error:
            raise ValueError(f"Precompiled cannot parse its table: {error}") from None
        self._found: dict[str, str | None] = {}
        new = {code: self._replacement(chr(code)) for code in range(128)}
        self._ascii = {code: text for code, text in new.items() if text is not None}

    def apply(self, normalized: NormalizedString) -> None:
        """Replace characters and keep the alignment."""
        replaced = list(self._replaced(normalized.normalized))
        if any(new is not None for _, new in replaced):
            normalized.transform(_as_changes(replaced))

    def fast(self, text: str) -> str:
        """Return the text after all replacements."""
        if text.isascii() and "\r\n" not in text:  # each character is a grapheme cluster
            return text.translate(self._ascii)
        return "".join([old if new is None else new for old, new in self._replaced(text)])

    def _replaced(self, text: str) -> Iterator[tuple[str, str | None]]:
        """Yield the parts of a text, each with its replacement or None."""
        for grapheme in GRAPHEME.findall(text):
            new = self._replacement(grapheme) if len(grapheme.encode()) <= LONGEST else None
            if new is not None or len(grapheme) == 1:
                yield grapheme, new
            else:
                yield from ((character, self._replacement(character)) for character in grapheme)

    def _replacement(self, text: str) -> str | None:
        """Return the replacement of the shortest key that is a prefix of the text."""
        if text in self._found:
            return self._found[text]
        # subtle: the trie's search ends at a byte of 0.
        prefixes = (text[:end] for end in range(1, len(text.split("\0")[0]) + 1))
        matches = (self._map.longest_prefix(prefix, 0) for prefix in prefixes)
        new = next((match.replacement for match in matches if match.length), None)
        return self._found.setdefault(text, new)

    def to_json(self) -> dict[str, Any]:
        """Return the fields of tokenizer.json; the table in base 64."""
        return {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(self._blob).decode()}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """Return the normalizer with these fields of tokenizer.json; a missing or wrong one raises a ValueError."""
        try:
            return cls(base64.b64decode(read_field(fields, "precompiled_charsmap", check_text), validate=True))
        except binascii.Error as error:
            raise ValueError(f'the field "precompiled_charsmap" of Precompiled is not in base 64: {error}') from None


def _as_changes(replaced: list[tuple[str, str | None]]) -> list[tuple[str, int]]:
    """Return the changes of some replacements, as `NormalizedString.transform` takes them."""
    changes: list[tuple[str, int]] = []
    for old, new in replaced:
        if new is None:
            changes.append((old, 0))
            continue
        more = len(new) - len(old)
        changes += [(character, 0) for character in new]
        if more > 0:
            changes[-more:] = [(character, 1) for character in new[-more:]]
        elif more < 0 and changes:
            # subtle: a character that is removed at the start of the text is not counted, as in the library.
            character, change = changes[-1]
            changes[-1] = (character, change + more)
    return changes
