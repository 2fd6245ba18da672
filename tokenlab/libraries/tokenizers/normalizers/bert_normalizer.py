"""BERT's normalizer: clean, put spaces around Chinese characters, strip accents, lowercase.

Adds: `BertNormalizer`, as one table for single characters; the four rules are applied one after the other only to a
text in which the order of the characters changes.
Leaves out: splitting into words (`tokenlab.libraries.tokenizers.pre_tokenizers.BertPreTokenizer`).

Source: tokenizers 0.23.3, tokenizers/src/normalizers/bert.rs.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from tokenlab.algorithms.pipeline.unicode_versions import (
    WHITESPACE,
    CharacterTable,
    is_nonspacing_mark,
    is_other,
    lowercased,
)
from tokenlab.libraries.tokenizers.components.arguments import Setting, check_bool, optional
from tokenlab.libraries.tokenizers.normalizers.normalizer import Normalizer, remove_and_map
from tokenlab.libraries.tokenizers.text.normalization_changes import combining_class, normalize_unicode
from tokenlab.libraries.tokenizers.text.normalized_string import NormalizedString

# Not quite google-research/bert's blocks: the sixth starts at 0x2B820 there.
_CHINESE: Final = (
    *((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F)),
    *((0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)),
)


def cleaned(character: str) -> str:
    """Return nothing for a control character, a space for whitespace, and any other character itself."""
    if character in "\t\n\r":
        return " "
    if character in "\0\ufffd" or is_other(character):
        return ""
    return " " if character in WHITESPACE else character


def spaced_chinese(character: str) -> str:
    """Return a Chinese character between two spaces, and any other character itself."""
    code = ord(character)
    return f" {character} " if any(first <= code <= last for first, last in _CHINESE) else character


def unaccented(character: str) -> str:
    """Return nothing for a nonspacing mark, and any other character itself."""
    return "" if is_nonspacing_mark(character) else character


class BertNormalizer(Normalizer):
    """Clean the text, put spaces around Chinese characters, strip accents, and lowercase, each of them optional.

    >>> BertNormalizer().normalize_str("Señor\\t日本")
    'senor  日  本 '
    """

    clean_text = Setting(check_bool, "Whether control characters are removed, and whitespace becomes spaces.")
    handle_chinese_chars = Setting(check_bool, "Whether Chinese characters get spaces around them.")
    strip_accents = Setting(optional(check_bool), "Whether accents are removed; None: if `lowercase`.", default=None)
    lowercase = Setting(check_bool, "Whether the text is lowercased.")
    _is_one_by_one = True

    def __init__(
        self,
        clean_text: bool = True,
        handle_chinese_chars: bool = True,
        strip_accents: bool | None = None,
        lowercase: bool = True,
    ) -> None:
        self.clean_text = clean_text
        self.handle_chinese_chars = handle_chinese_chars
        self.strip_accents = strip_accents
        self.lowercase = lowercase

    @property
    def _table(self) -> BertTable:
        strip = self.lowercase if self.strip_accents is None else self.strip_accents
        return bert_table(self.clean_text, self.handle_chinese_chars, strip, self.lowercase)

    def apply(self, normalized: NormalizedString) -> None:
        """Change the text and keep the alignment."""
        table = self._table
        if normalized.is_covered() and not table.reorders(normalized.normalized):
            normalized.translate(table)
            return
        if self.clean_text:
            remove_and_map(normalized, cleaned)
        if self.handle_chinese_chars:
            normalized.replace_characters(spaced_chinese)
        if table.strip:
            normalized.nfd()
            normalized.replace_characters(unaccented)
        if self.lowercase:
            normalized.lowercase()

    def fast(self, text: str) -> str | None:
        """Return the changed text."""
        table = self._table
        new = text.translate(table)
        return None if table.moving and table.reorders(text) else new


class BertTable(CharacterTable):
    """The result of all of BERT's rules for each single character.

    Decomposition sorts neighbouring marks. Nonspacing marks are removed afterwards, so only the few other marks may
    change their places; the table notes those that it has seen.
    """

    def __init__(self, clean: bool, chinese: bool, strip: bool, lower: bool) -> None:
        """Take the four rules to apply."""
        super().__init__(self._result)
        self.clean, self.chinese, self.strip, self.lower = clean, chinese, strip, lower
        self.moving: set[str] = set()

    def reorders(self, text: str) -> bool:
        """Whether the text has characters that are kept and may be sorted among their neighbours."""
        if not self.strip or text.isascii():
            return False
        text.translate(self)  # so that each of its characters has been seen
        return not self.moving.isdisjoint(text)

    def _result(self, character: str) -> str:
        text = cleaned(character) if self.clean else character
        if self.chinese and text:
            text = spaced_chinese(text)
        if self.strip:
            text = "".join(map(unaccented, normalize_unicode("NFD", text)))
            if any(map(combining_class, text)):
                self.moving.add(character)
        return "".join(map(lowercased, text)) if self.lower else text


@cache
def bert_table(clean: bool, chinese: bool, strip: bool, lower: bool) -> BertTable:
    """Return the table for four options; normalizers with equal options share it."""
    return BertTable(clean, chinese, strip, lower)
