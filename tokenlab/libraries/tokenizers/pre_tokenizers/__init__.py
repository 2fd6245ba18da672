"""Pre-tokenizers: where a text is split before the model finds tokens.

Differences from tokenizers 0.23.3:

- `ByteLevel.alphabet()` has one order; the library's changes from call to call.
- `FixedLength(0)` raises a ValueError where the library panics.
- An exception in a custom pre-tokenizer becomes a ValueError that names it; the library raises a bare Exception.
- A custom pre-tokenizer may keep the PreTokenizedString that it is given; in the library it is unusable afterwards.
- Assigning an item of a `Sequence` leaves an item taken out before as it was; in the library it becomes the new one.
- Characters newer than the library's Unicode versions are treated as in the library if the `regex` module has release
  2026.11.15 (see `tokenlab.algorithms.pipeline.unicode_versions`).

Source: tokenizers 0.23.3, tokenizers/src/pre_tokenizers/mod.rs.
"""

from typing import Any

from tokenlab.libraries.tokenizers.components.component import Types, by_name, load_component
from tokenlab.libraries.tokenizers.pre_tokenizers.pre_tokenizer import PreTokenizer, Sequence
from tokenlab.libraries.tokenizers.pre_tokenizers.splitters import (
    BertPreTokenizer,
    CharDelimiterSplit,
    Digits,
    FixedLength,
    Punctuation,
    Split,
    UnicodeScripts,
    Whitespace,
    WhitespaceSplit,
)
from tokenlab.libraries.tokenizers.pre_tokenizers.symbols import ByteLevel, Metaspace

TYPES: Types[PreTokenizer] = {
    **by_name([BertPreTokenizer, ByteLevel, CharDelimiterSplit, Digits, FixedLength, Metaspace, Punctuation, Sequence]),
    **by_name([Split, UnicodeScripts, Whitespace, WhitespaceSplit]),
}


def from_json(fields: dict[str, Any]) -> PreTokenizer:
    """Return the pre-tokenizer with these fields of tokenizer.json; a ValueError names a wrong type or field."""
    return load_component("pre-tokenizer", fields, TYPES)


__all__ = [
    "BertPreTokenizer", "ByteLevel", "CharDelimiterSplit", "Digits", "FixedLength", "Metaspace", "PreTokenizer",
    "Punctuation", "Sequence", "Split", "UnicodeScripts", "Whitespace", "WhitespaceSplit",
]  # fmt: skip
