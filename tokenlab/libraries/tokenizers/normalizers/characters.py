"""Normalizers that replace single characters: Lowercase, StripAccents, Nmt and ByteLevel.

Source: tokenizers 0.23.3, tokenizers/src/normalizers/{utils,strip,unicode,byte_level}.rs.
"""

from __future__ import annotations

from typing import Final

from tokenlab.algorithms.pipeline.unicode_versions import LOWERCASE, CharacterTable, is_mark
from tokenlab.algorithms.text.byte_symbols import bytes_to_symbols
from tokenlab.libraries.tokenizers.normalizers.normalizer import CharacterNormalizer, remove_and_map
from tokenlab.libraries.tokenizers.text.normalized_string import NormalizedString

_NMT_REMOVED: Final = frozenset([*range(0x01, 0x09), 0x0B, *range(0x0E, 0x20), 0x7F, 0x8F, 0x9F])
_NMT_SPACES: Final = frozenset(
    [0x09, 0x0A, 0x0C, 0x0D, 0x1680, *range(0x200B, 0x2010), 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD]
)


class Lowercase(CharacterNormalizer):
    """Lowercase each character, regardless of its neighbours.

    >>> Lowercase().normalize_str("ΟΔΟΣ")
    'οδοσ'
    """

    table = LOWERCASE
    _is_one_by_one = True

    def fast(self, text: str) -> str:
        """Return the lowercase text."""
        return text.lower() if text.isascii() else text.translate(self.table)


class StripAccents(CharacterNormalizer):
    """Remove all combining marks; letters must be decomposed before (NFD or NFKD).

    >>> StripAccents().normalize_str("e\\u0301é")
    'eé'
    """

    table = CharacterTable(lambda character: "" if is_mark(character) else character)
    _is_one_by_one = True

    def fast(self, text: str) -> str:
        """Return the text without combining marks."""
        return text if text.isascii() else text.translate(self.table)


def _nmt(character: str) -> str:
    code = ord(character)
    return "" if code in _NMT_REMOVED else " " if code in _NMT_SPACES else character


class Nmt(CharacterNormalizer):
    """Remove control characters, and replace the other characters that separate words by spaces.

    These are the rules of Google's translation system that sentencepiece adds to NFKC in `nmt_nfkc`.

    >>> Nmt().normalize_str("a\\x07\\u200bb\\n")
    'a b '
    """

    table = CharacterTable(_nmt)
    _is_one_by_one = True

    def apply(self, normalized: NormalizedString) -> None:
        """Remove and replace characters."""
        if normalized.is_covered():
            normalized.translate(self.table)
        else:
            remove_and_map(normalized, _nmt)


class ByteLevel(CharacterNormalizer):
    """Replace each character by the byte symbols of its UTF-8 bytes.

    >>> ByteLevel().normalize_str("día\\n")
    'dÃŃaĊ'
    """

    table = CharacterTable(lambda character: bytes_to_symbols(character.encode()))
