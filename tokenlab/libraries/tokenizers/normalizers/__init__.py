"""Normalizers: steps that change a text before it is split into pre-tokens, with the names of tokenizers 0.23.3.

>>> Sequence([NFD(), StripAccents(), Lowercase()]).normalize_str("Où ça ?")
'ou ca ?'

The results equal the library's for all code points (see `tokenlab.algorithms.pipeline.unicode_versions`). Differences:

- A failing function given to `map` or `filter`, and a damaged table in tokenizer.json, raise a ValueError; the library
  panics.
- `Precompiled` checks the whole table when it is made; the library panics at the first text that uses a wrong part.
- `Replace` accepts the regular expressions that `tokenlab.libraries.tokenizers.Regex` accepts.

Source: tokenizers 0.23.3, tokenizers/src/normalizers/mod.rs.
"""

from typing import Any, Final

from tokenlab.libraries.tokenizers.components.component import Types, Untyped, by_name, load_component
from tokenlab.libraries.tokenizers.normalizers.bert_normalizer import BertNormalizer
from tokenlab.libraries.tokenizers.normalizers.normalizer import (
    NFC,
    NFD,
    NFKC,
    NFKD,
    ByteLevel,
    Lowercase,
    Nmt,
    Normalizer,
    Prepend,
    Replace,
    Sequence,
    Strip,
    StripAccents,
)
from tokenlab.libraries.tokenizers.normalizers.precompiled import Precompiled
from tokenlab.printing.errors import lookup

NORMALIZERS = {"nfc": NFC, "nfd": NFD, "nfkc": NFKC, "nfkd": NFKD}


def unicode_normalizer_from_str(normalizer: str) -> Normalizer:
    """Return the normalizer for a Unicode form, which is given in lowercase.

    Raises:
        ValueError: there is no form of this name.

    >>> unicode_normalizer_from_str("nfkc")
    NFKC()
    """
    return lookup("normalizer", normalizer, NORMALIZERS)()


TYPES: Final[Types[Normalizer]] = {
    **by_name([Strip, StripAccents, NFC, NFD, NFKC, NFKD, Sequence]),
    **by_name([Lowercase, Nmt, Precompiled, Replace, Prepend, ByteLevel, BertNormalizer]),
    "Bert": BertNormalizer,
}

# Files of old versions have no type, or another name for it: these fields tell which normalizer it is.
_BY_FIELDS: Final[Untyped[Normalizer]] = (
    (frozenset({"clean_text", "handle_chinese_chars", "lowercase"}), BertNormalizer),
    (frozenset({"strip_left", "strip_right"}), Strip),
    (frozenset({"normalizers"}), Sequence),
    (frozenset({"precompiled_charsmap"}), Precompiled),
    (frozenset({"pattern", "content"}), Replace),
    (frozenset({"prepend"}), Prepend),
)


def from_json(fields: Any) -> Normalizer:
    """Return the normalizer with these fields of tokenizer.json; a ValueError if its type or a field is wrong."""
    return load_component("normalizer", fields, TYPES, _BY_FIELDS)


__all__ = [
    "NFC", "NFD", "NFKC", "NFKD", "NORMALIZERS", "BertNormalizer", "ByteLevel", "Lowercase", "Nmt", "Normalizer",
    "Precompiled", "Prepend", "Replace", "Sequence", "Strip", "StripAccents", "unicode_normalizer_from_str",
]  # fmt: skip
