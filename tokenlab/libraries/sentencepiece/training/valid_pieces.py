"""Validity of pieces in training: which strings may become pieces.

Adds: the rules that keep words, scripts and digits separate. The scripts are those of Unicode's table in `regex`, but
as in the library, kana counts as Han, and scripts newer than the library's table count as Common.

Source: google/sentencepiece, src/trainer_interface.cc, IsValidSentencePiece; src/unicode_script.h.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import regex

from tokenlab.libraries.sentencepiece.model_proto import SPACE_SYMBOL

UNKNOWN_CHARACTER = "▅"  # replaces characters that are in no piece, and symbols cut out before training
NEVER_IN_PIECES = frozenset((UNKNOWN_CHARACTER, "\0", "\x1f", " "))
DIGITS = frozenset("0123456789０１２３４５６７８９")
LONG_VOWEL = "ー"  # Common in Unicode, but kana to the library
NAMES = """
Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Bhaiksuki Bopomofo
Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham Cherokee Coptic Cuneiform
Cypriot Cyrillic Deseret Devanagari Duployan Egyptian_Hieroglyphs Elbasan Ethiopic Georgian Glagolitic Gothic
Grantha Greek Gujarati Gurmukhi Han Hangul Hanunoo Hatran Hebrew Hiragana Imperial_Aramaic Inherited
Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada Katakana Kayah_Li Kharoshthi Khmer Khojki
Khudawadi Lao Latin Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian Mahajani Malayalam Mandaic Manichaean Marchen
Meetei_Mayek Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani Myanmar Nabataean
New_Tai_Lue Newa Nko Ogham Ol_Chiki Old_Hungarian Old_Italic Old_North_Arabian Old_Permic Old_Persian
Old_South_Arabian Old_Turkic Oriya Osage Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags_Pa Phoenician
Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham SignWriting Sinhala Sora_Sompeng Sundanese
Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet Takri Tamil Tangut Telugu Thaana Thai Tibetan Tifinagh
Tirhuta Ugaritic Vai Warang_Citi Yi
"""


class PieceValidator:
    """A predicate: whether a string may be a piece."""

    def __init__(self, spec: Any) -> None:
        self.spec = spec

    def __call__(self, piece: str) -> bool:
        """Whether the length, the spaces, the digits and the scripts of a string satisfy the spec."""
        if not 0 < len(piece) <= self.spec.max_sentencepiece_length or not NEVER_IN_PIECES.isdisjoint(piece):
            return False
        if self.spec.split_digits and len(piece) > 1 and not DIGITS.isdisjoint(piece):
            return False
        return self._valid_space_position(piece) and (
            not self.spec.split_by_unicode_script or self._single_script(piece)
        )

    def _valid_space_position(self, piece: str) -> bool:
        """Whether `▁` occurs only where a word starts (or ends), or inside, if pieces may cross words."""
        if SPACE_SYMBOL not in piece or (self.spec.allow_whitespace_only_pieces and not piece.strip(SPACE_SYMBOL)):
            return True
        if self.spec.treat_whitespace_as_suffix:
            return SPACE_SYMBOL not in (piece[:-1] if self.spec.split_by_whitespace else piece[:-1][:1])
        return SPACE_SYMBOL not in (piece[1:] if self.spec.split_by_whitespace else piece[1:][-1:])

    def _single_script(self, piece: str) -> bool:
        previous = ""  # compatible with any script
        for character in piece:
            if character == SPACE_SYMBOL:
                continue
            current = script(character)
            if current == "Inherited":
                current = previous
            if not self.spec.split_by_number and character in DIGITS:
                current = ""
            if current and previous and current != previous:
                return False
            previous = current
        return True


@cache
def script(character: str) -> str:
    """Return the script of a character; kana counts as Han, and a character without a script as Common.

    >>> script("a"), script("カ"), script("1"), script("\u0301")
    ('Latin', 'Han', 'Common', 'Inherited')
    """
    if character == LONG_VOWEL:
        return "Han"
    found = next((name for name in _likely_first() if _pattern(name).match(character)), "Common")
    return "Han" if found in ("Hiragana", "Katakana") else found


@cache
def _likely_first() -> list[str]:
    likely = ["Latin", "Han", "Hiragana", "Katakana", "Cyrillic", "Arabic", "Hangul", "Inherited"]
    return likely + [name for name in NAMES.split() if name not in likely]


@cache
def _pattern(name: str) -> regex.Pattern[str]:
    return regex.compile(rf"\p{{Script={name}}}")
