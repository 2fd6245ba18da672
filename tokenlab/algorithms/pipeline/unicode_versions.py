"""Unicode properties and classes of characters as the library knows them: its parts have several versions of Unicode.

Adds: case mapping (Unicode 17), marks and normalization (Unicode 9), nonspacing marks and controls (Unicode 8), and
whitespace; `CharacterTable`, a rule for single characters that `str.translate` applies. For regular expressions,
`PUNCTUATION` (Unicode 8) and `NUMBER` (17, of `Digits`), for use inside brackets in `regex` version 1;
`word_character` (16), a pattern for one character; `compile_words`, patterns whose letters, numbers and word characters
are the library's.
Leaves out: the rules of the normalizers, and scripts (`unicode_scripts`).

Python's `unicodedata` has another version (Unicode 14 in Python 3.11), and the `regex` module a later one, so each
property is corrected by the ranges that differ. The ranges were found by comparing all code points with tokenizers
0.23.3, and include the characters that Unicode 15 to 17 added. A range may include characters that have the property in
no version. Release 2026.11.15 of `regex` gives the library's class for all code points; a later release may have more
new characters.
Source: tokenizers 0.23.3, the crates regex, onig and unicode_categories, and char::is_numeric of Rust.

>>> lowercased("Σ"), uppercased("ß"), is_mark("\\u0301")
('σ', 'SS', True)
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import regex  # imported when a pattern is compiled, since a program without patterns should not need it

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


def code_points(ranges: str) -> str:
    r"""Return ranges of hexadecimal code points as the inside of a bracket expression.

    >>> code_points("61D 12FF1-12FF2")
    '\\U0000061D\\U00012FF1-\\U00012FF2'
    """
    return "".join("-".join(f"\\U{bound:0>8}" for bound in part.split("-")) for part in ranges.split())


def _characters(ranges: str) -> re.Pattern[str]:
    """Return a pattern that matches the characters in some ranges of hexadecimal code points."""
    return re.compile(f"[{code_points(ranges)}]")


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


# ---- classes for regular expressions: the crates regex (Unicode 16) and unicode_categories (8), Rust (17)

_NEW_PUNCTUATION = code_points(
    "61D 9FD-A76 C77-C84 1B4E-1B4F 1B7D-1B7F 2E43-2E63 10D6E-10F89 113D4-1145D 11660-116B9 1183B-11FFF 12FF1-12FF2 "
    "16D6D-16FE2 1E5FF-1E95F"
)

# Punctuation since Unicode 8, the symbols of ASCII, and two characters that were punctuation then.
PUNCTUATION = rf"[[\p{{P}}$+<=>^`|~\u166D\U000111C9]--[{_NEW_PUNCTUATION}]]"
NUMBER = rf"[\p{{N}}--[{code_points('1246F-1247F 12550-12686')}]]"

# Letters, numbers and other word characters since Unicode 17.
_NEW_WORD_RANGES = (
    "558 58B-58C 5C8-5C9 88F B53-B54 C5C CDC 1ACF-1AF0 208F 209D-209F A7CE-A7CF A7D2 A7D4 A7DD-A7F1 AB6C-AB6D "
    "107BB-107BF 10940-10959 10EC5-10EFB 11B0A-11B67 11DB0-11DF1 1246F-1247F 12550-12686 16EA0-16ED3 16FF2-16FF6 "
    "187F8-187FF 18CD6-18CDA 18D09-191D2 1B123-1B128 1B168 1D127-1D128 1D250-1D281 1D6A6 1DF1F-1DF24 1DF2B-1DFFF "
    "1E6C0-1E6FF 2B73A-2B73F 2B81E 2CEA2-2CEAD 323B0-33479 3D000-3FC3F"
)
_NEW_WORDS = code_points(_NEW_WORD_RANGES)


@cache
def word_character() -> regex.Pattern[str]:
    """Return a pattern for one letter, mark, decimal digit, connector or joiner, as Rust's \\w."""
    import regex

    return regex.compile(rf"(?V1)[\w--[{_NEW_WORDS}]]")


@cache
def _new_word_characters() -> frozenset[str]:
    bounds = ([int(bound, 16) for bound in part.split("-")] for part in _NEW_WORD_RANGES.split())
    return frozenset(chr(code) for bound in bounds for code in range(bound[0], bound[-1] + 1))


def compile_words(pattern: str) -> Callable[[str], regex.Pattern[str]]:
    r"""Return a function that gives the compiled pattern for a text.

    In the pattern, {L}, {N} and {W} are the classes of letters, numbers and word characters, inside of brackets. Most
    texts have no new characters, and get the faster pattern with the classes of the `regex` module.

    >>> compile_words("[{L}]+")("aé").pattern
    '(?V1)[\\p{L}]+'
    """
    import regex

    fast = regex.compile("(?V1)" + pattern.format(L=r"\p{L}", N=r"\p{N}", W=r"\w"))
    exact: list[regex.Pattern[str]] = []  # compiled on first use

    def pattern_for(text: str) -> regex.Pattern[str]:
        if text.isascii() or _new_word_characters().isdisjoint(text):
            return fast
        if not exact:
            letters, numbers, words = (rf"[{name}--[{_NEW_WORDS}]]" for name in (r"\p{L}", r"\p{N}", r"\w"))
            exact.append(regex.compile("(?V1)" + pattern.format(L=letters, N=numbers, W=words)))
        return exact[0]

    return pattern_for
