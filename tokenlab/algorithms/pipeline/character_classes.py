r"""The classes of characters that tokenizers' added tokens and pre-tokenizers use, as parts of regular expressions.

Adds: `PUNCTUATION` and `NUMBER`, for use inside brackets in `regex` version 1; `WORD_CHARACTER`, a pattern for one
character; `compile_words`, patterns whose letters, numbers and word characters are those of the library.
Leaves out: scripts (`UnicodeScripts` of `tokenlab.libraries.tokenizers`).

The library has the characters of Unicode 16 (letters and words), 17 (`Digits`) and 8 (punctuation); the `regex` module
of a later version. The lists here name what `regex` has in addition. They also contain characters between that belong
to no class, which makes them short. Release 2026.11.15 of `regex` gives the library's class for all code points; a
later release may have more new characters.
Source: tokenizers 0.23.3, the crates regex, onig and unicode_categories, and char::is_numeric of Rust.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import regex


def code_points(ranges: str) -> str:
    r"""Return ranges of hexadecimal code points as the inside of a bracket expression.

    >>> code_points("61D 12FF1-12FF2")
    '\\U0000061D\\U00012FF1-\\U00012FF2'
    """
    return "".join("-".join(f"\\U{bound:0>8}" for bound in part.split("-")) for part in ranges.split())


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

# Letters, marks, decimal digits, connectors and joiners, as Rust's \w.
WORD_CHARACTER = regex.compile(rf"(?V1)[\w--[{_NEW_WORDS}]]")


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
