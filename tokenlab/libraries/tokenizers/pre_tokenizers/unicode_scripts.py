r"""Splitting where the script changes, such as from Latin to Cyrillic.

Adds: `UnicodeScripts`.
Leaves out: languages; Japanese is Han here, with Hiragana and Katakana, as in SentencePiece.

Spaces, and characters that Unicode 9 does not assign, belong to every script, and are dropped if no other character is
before them. Common characters, such as digits and punctuation, are a script of their own.
Source: tokenizers 0.23.3, tokenizers/src/pre_tokenizers/unicode_scripts.

>>> [part for part, _ in UnicodeScripts().pre_tokenize_str("これは Zürich, привет")]
['これは ', 'Zürich', ', ', 'привет']
"""

from __future__ import annotations

from functools import cache
from typing import Final

import regex

from tokenlab.algorithms.pipeline.unicode_versions import code_points
from tokenlab.libraries.tokenizers.pre_tokenizers.pre_tokenizer import PreTokenizer
from tokenlab.libraries.tokenizers.spans import Span

# Of Unicode 9, the most frequent first. Each has the name that `regex` knows.
_SCRIPTS: Final = """
    Latin Common Han Cyrillic Arabic Hangul Greek Hebrew Devanagari Thai Adlam Ahom AnatolianHieroglyphs Armenian
    Avestan Balinese Bamum BassaVah Batak Bengali Bhaiksuki Bopomofo Brahmi Braille Buginese Buhid CanadianAboriginal
    Carian CaucasianAlbanian Chakma Cham Cherokee Coptic Cuneiform Cypriot Deseret Duployan EgyptianHieroglyphs Elbasan
    Ethiopic Georgian Glagolitic Gothic Grantha Gujarati Gurmukhi Hanunoo Hatran ImperialAramaic Inherited
    InscriptionalPahlavi InscriptionalParthian Javanese Kaithi Kannada KayahLi Kharoshthi Khmer Khojki Khudawadi Lao
    Lepcha Limbu LinearA LinearB Lisu Lycian Lydian Mahajani Malayalam Mandaic Manichaean Marchen MeeteiMayek
    MendeKikakui MeroiticCursive MeroiticHieroglyphs Miao Modi Mongolian Mro Multani Myanmar Nabataean NewTaiLue Newa
    Nko Ogham OlChiki OldHungarian OldItalic OldNorthArabian OldPermic OldPersian OldSouthArabian OldTurkic Oriya Osage
    Osmanya PahawhHmong Palmyrene PauCinHau PhagsPa Phoenician PsalterPahlavi Rejang Runic Samaritan Saurashtra Sharada
    Shavian Siddham SignWriting Sinhala SoraSompeng Sundanese SylotiNagri Syriac Tagalog Tagbanwa TaiLe TaiTham TaiViet
    Takri Tamil Tangut Telugu Thaana Tibetan Tifinagh Tirhuta Ugaritic Vai WarangCiti Yi
"""

# Characters of these scripts, and characters between that are not assigned, since Unicode 10.
_NEW = code_points(
    "558 560 588 58B-58C 5C8-5C9 5EF 61D 7FD-7FF 860-89F 8B5 8BE-8D3 9FC-9FE A76 AFA-AFF B53-B55 C04 C3C C5C-C5D C77 "
    "C84 CDC-CDD CF3-D00 D04 D3B-D3C D81 E86 E89 E8C E8E-E93 E98 EA0 EA8-EA9 EAC EBA ECE 170D 1715-171F 180F 1878 "
    "1ABF-1AF0 1B4C-1B4F 1B7D-1B7F 1C89-1CBF 1CF7 1CFA 1DF6-1DFA 208F 209D-209F 20BF-20C4 23FF 2427-2429 2B96-2B97 "
    "2BBA-2BBC 2BC9 2BD2-2BEB 2BF0-2BFF 2C2F 2C5F 2E45-2E63 2FFC-2FFF 312E-312F 31BB-31BF 31E4-31EF 32FF 4DB6-4DBF "
    "9FD6-9FFF A7AF A7B8-A7F6 A82C A8FE-A8FF AB66-AB6D FBC2-FBD2 FD40-FD4F FD90-FD91 FDC8-FDCF FDFE-FDFF 1019C "
    "1032D-1032F 10780-107BF 10A34-10A35 10A48 10EC2-10EFF 11070-11075 110C2-110CD 11144-11147 111CE-111CF 1123F-11241 "
    "1133B 1145A 1145E-11461 116B8-116B9 116D0-116E3 1171A 11740-11746 11AB0-11ABF 11B00-11B67 11DF0-11FFF 1246F "
    "12475-1247F 12550-12686 1342F-143FA 16F45-16F4F 16F7F-16F87 16FE2-16FF6 187ED-187FF 18AF3-1AFFE 1B002-1B168 "
    "1CC00-1CFC3 1D127-1D128 1D1E9-1D1FF 1D250-1D2F3 1D372-1D378 1D6A6 1DB00-1DFFF 1E030-1E7FE 1E94B 1EC71-1ED3D "
    "1F10D-1F10F 1F12F 1F16C-1F16F 1F1AD-1F1AE 1F260-1F265 1F6D3-1F6DF 1F6F7-1F6FC 1F774-1F77F 1F7D5-1F7FF 1F8B0-1F90F "
    "1F91F 1F928-1F92F 1F931-1F932 1F93F 1F94C-1F94F 1F95F-1F97F 1F992-1F9BF 1F9C1-1FBFA 2A6D7-2A6DF 2B735-2B73F 2B81E "
    "2CEA2-2CEAD 2CEB0-2EE5D 30000-33479"
)

# Characters that were in another script, and SentencePiece's exception, the prolonged sound mark of Katakana.
_MOVED = {"Common": r"\u0589\u061C", "Devanagari": r"\u0953\u0954", "Han": r"\u30FC"}


@cache
def _runs() -> regex.Pattern[str]:
    """Return the pattern of a run: a character with a script, then characters of this script or of every script."""
    known = "".join(rf"\p{{Script={name}}}" for name in [*_SCRIPTS.split(), "Hiragana", "Katakana"])
    moved = "".join(_MOVED.values())
    # subtle: a character of every script is one that no alternative below starts with.
    of_every_script = rf" {_NEW}[^{known}{moved}]"
    runs = []
    for name in _SCRIPTS.split():
        members = rf"\p{{Script={name}}}" + (r"\p{Script=Hiragana}\p{Script=Katakana}" if name == "Han" else "")
        own = rf"[[{members}]--[ {_NEW}{moved}]]{_MOVED.get(name, '')}"
        runs.append(f"[{own}][{own}{of_every_script}]*")
    return regex.compile(f"(?V1){'|'.join(runs)}")


class UnicodeScripts(PreTokenizer):
    """Keep the longest runs of one script."""

    def __init__(self) -> None:
        pass

    def _spans(self, text: str) -> list[Span]:
        return [match.span() for match in _runs().finditer(text)]

    def _texts(self, text: str, at_start: bool) -> list[str]:
        return _runs().findall(text)
