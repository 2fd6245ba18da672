"""Which script a character belongs to, as sentencepiece's trainer sees it: no piece may mix two.

Adds: to Unicode's table, which `regex` has, that kana counts as Han. Scripts that are younger than the library's table
count as Common, as there.

Source: google/sentencepiece, src/unicode_script.h; src/trainer_interface.cc, IsValidSentencePiece.
"""

from __future__ import annotations

from functools import cache

import regex

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


@cache
def script_of(character: str) -> str:
    """The script of a character; kana counts as Han, and what Unicode has no script for as Common.

    >>> script_of("a"), script_of("カ"), script_of("1"), script_of("\u0301")
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
