"""Unicode properties as the library knows them: its parts were compiled with four versions of Unicode.

Adds: case mapping (Unicode 17), marks and normalization (Unicode 9), nonspacing marks and controls (Unicode 8), and
whitespace; `CharacterTable`, a rule for single characters that `str.translate` applies.
Leaves out: the rules of the normalizers.

Python's `unicodedata` has another version (Unicode 14 in Python 3.11), so each property is corrected by the ranges that
differ. The ranges were found by comparing all code points with tokenizers 0.23.3, and include the characters that
Unicode 15 to 17 added. A range may include characters that have the property in no version.

>>> lowercased("Σ"), uppercased("ß"), is_mark("\\u0301")
('σ', 'SS', True)
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Final

import regex

# Rust's char::is_whitespace: the property White_Space. Python's str.isspace() also accepts U+001C to U+001F.
WHITESPACE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
)


class CharacterTable(dict[int, str]):
    """A rule for single characters as a table for `str.translate`, which is filled when a character is first seen.

    >>> "abc".translate(CharacterTable(lambda character: "" if character == "b" else character * 2))
    'aacc'
    """

    def __init__(self, rule: Callable[[str], str]) -> None:
        """Keep the rule; it returns the characters that replace one character."""
        self.rule = rule
        self.uneven: set[str] = set()  # the characters seen so far that are not replaced by exactly one

    def __missing__(self, code: int) -> str:
        new = self[code] = self.rule(chr(code))
        if len(new) != 1:
            self.uneven.add(chr(code))
        return new

    def keeps_length(self, text: str) -> bool:
        """Whether each character of a text that was translated before is replaced by exactly one."""
        return not self.uneven or self.uneven.isdisjoint(text)


def _characters(ranges: str) -> regex.Pattern[str]:
    """Return a pattern that matches the characters in some ranges of hexadecimal code points."""
    ends = [part.split("-") for part in ranges.split()]
    return regex.compile("[" + "".join(rf"\U{int(end[0], 16):08X}-\U{int(end[-1], 16):08X}" for end in ends) + "]")


# ---- case: Rust's standard library, Unicode 17

_NEWER_PAIRS = (  # uppercase, lowercase, and the number of pairs
    *((0x1C89, 0x1C8A, 1), (0xA7CB, 0x0264, 1), (0xA7CC, 0xA7CD, 1), (0xA7CE, 0xA7CF, 1), (0xA7D2, 0xA7D3, 1)),
    *((0xA7D4, 0xA7D5, 1), (0xA7DA, 0xA7DB, 1), (0xA7DC, 0x019B, 1), (0x10D50, 0x10D70, 22), (0x16EA0, 0x16EBB, 25)),
)
_LOWER = {chr(upper + n): chr(lower + n) for upper, lower, count in _NEWER_PAIRS for n in range(count)}
_UPPER = {lower: upper for upper, lower in _LOWER.items()}


def lowercased(character: str) -> str:
    """Return the lowercase form of one character, regardless of its neighbours."""
    return _LOWER.get(character) or character.lower()


def uppercased(character: str) -> str:
    """Return the uppercase form of one character."""
    return _UPPER.get(character) or character.upper()


LOWERCASE: Final = CharacterTable(lowercased)
UPPERCASE: Final = CharacterTable(uppercased)


# ---- marks and normalization: the crate unicode-normalization-alignments, Unicode 9

_NO_MARK_YET = _characters(
    "5C8-5C9 7FD 897-8D3 9FE AFA-AFF B53-B55 C04-C3C CF3-D00 D3B-D3C D81 EBA ECE 1715 180F 1ABF-1AF0 1CF7 1DF6-1DFA "
    "A82C A8FF 10D24-10F85 11070-11074 110C2 11145-11146 111C9 111CE-111CF 11241 1133B 113B8-113E2 1145E 1182C-11B67 "
    "11D31-1612F 16F4F 16F7F-16F87 16FE4-16FF1 1CF00-1D128 1D250-1D281 1E08F-1E6F5"
)
_NO_LONGER_MARKS = "\u1cf2\u1cf3"

# Characters that are neither decomposed nor composed nor reordered, but are in later versions.
NOT_NORMALIZED = _characters(
    "558 58B-58C 5C8-5C9 7FD 897-8D3 9FE C3C D3B-D3C EBA 1715 1ABF-1AF0 1DF6-1DFA 209D-209F 32FF A7F1-A7F4 A82C AB69 "
    "105C0-107BF 10D24-10F85 11070 1133B 11380-113FF 1145E 11839-11A99 11D42-16139 16D40-1B126 1CCD6-1D128 1D250-1D281 "
    "1D6A6 1DF95-1DFFF 1E030-1E6F5 1F16C 1FBF0-1FBF9"
)


def is_mark(character: str) -> bool:
    """Whether a character is a combining mark (category M)."""
    if unicodedata.category(character)[0] == "M":
        return not _NO_MARK_YET.match(character)
    return character in _NO_LONGER_MARKS


# ---- nonspacing marks and controls: the crate unicode_categories, Unicode 8

_NOT_NONSPACING = _characters(
    "5C8-5C9 7FD 897-8E1 9FE AFA-AFF B53-B55 C04-C3C D00 D3B-D3C D81 EBA ECE 180F-1886 1ABF-1AF0 1DF6-1DFB A82C A8C5 "
    "A8FF A9BD 10D24-10F85 11070-11074 110C2 111C9 111CF 1123E-11241 1133B 113BB-1145E 1182F-1612F 16F4F 16FE4 "
    "1CF00-1D128 1D25B-1D25C 1E000-1E6F5 1E944-1E94A"
)
_NO_LONGER_NONSPACING = "\u1734\U0001171e"
_NO_CONTROL_YET = _characters("890-891 8E2 110CD 13430-1343F")


def is_nonspacing_mark(character: str) -> bool:
    """Whether a character is a nonspacing mark (category Mn)."""
    if unicodedata.category(character) == "Mn":
        return not _NOT_NONSPACING.match(character)
    return character in _NO_LONGER_NONSPACING


def is_other(character: str) -> bool:
    """Whether a character is a control, format or private-use character (categories Cc, Cf and Co)."""
    return unicodedata.category(character) in ("Cc", "Cf", "Co") and not _NO_CONTROL_YET.match(character)
