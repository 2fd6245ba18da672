"""Loading a normalizer of any type from tokenizer.json.

Source: tokenizers 0.23.3, tokenizers/src/normalizers/mod.rs, NormalizerWrapper::deserialize.

>>> from_json({"type": "Strip", "strip_left": True, "strip_right": False})
Strip(strip_left=True, strip_right=False)
"""

from __future__ import annotations

from typing import Any, Final

from tokenlab.libraries.tokenizers.components.registry import Types, Untyped, by_name, load_component
from tokenlab.libraries.tokenizers.normalizers.bert_normalizer import BertNormalizer
from tokenlab.libraries.tokenizers.normalizers.characters import ByteLevel, Lowercase, Nmt, StripAccents
from tokenlab.libraries.tokenizers.normalizers.ends import Prepend, Strip
from tokenlab.libraries.tokenizers.normalizers.normalizer import Normalizer
from tokenlab.libraries.tokenizers.normalizers.precompiled import Precompiled
from tokenlab.libraries.tokenizers.normalizers.replace import Replace
from tokenlab.libraries.tokenizers.normalizers.sequence import Sequence
from tokenlab.libraries.tokenizers.normalizers.unicode_forms import NFC, NFD, NFKC, NFKD

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
    """Return the normalizer with these fields of tokenizer.json.

    Raises:
        ValueError: its type is not known, or a field is missing or wrong.
    """
    return load_component("normalizer", fields, TYPES, _BY_FIELDS)
