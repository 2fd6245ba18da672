"""Case-insensitive matching of characters as Oniguruma does it, without the `regex` module's option.

Adds: `any_case`, a pattern for a text in any case; `fold`, the case folding of a text; `expands`, whether a text is the
case folding of one character.
Leaves out: sets in brackets, for which the option of `regex` is used (`oniguruma`).

`regex` matches İ for i, which Oniguruma does not.

>>> any_case("k")
'[Kk\u212a]'
>>> regex.findall(any_case("ss"), "Straße SS")
['ß', 'SS']
"""

from __future__ import annotations

from functools import cache
from typing import Final

import regex

LAST: Final = 0x1E943  # the last character with two cases in Unicode 16
_SINCE_UNICODE_14: Final = {  # case foldings that Python 3.11 does not have
    **dict(zip((0x1C89, 0xA7CB, 0xA7CC, 0xA7DA, 0xA7DC), (0x1C8A, 0x264, 0xA7CD, 0xA7DB, 0x19B), strict=True)),
    **{code: code + 0x20 for code in range(0x10D50, 0x10D66)},  # Garay
}


def fold(text: str) -> str:
    """Return the case folding of a text in Unicode 16.

    >>> fold("Straße") == "strasse", fold("\ua7dc") == "\u019b"
    (True, True)
    """
    return text.casefold().translate(_SINCE_UNICODE_14)


@cache
def _variants() -> dict[str, str]:
    """Return the characters of each case folding; a folding may have several characters."""
    found: dict[str, str] = {}
    for character in map(chr, range(LAST + 1)):
        folded = fold(character)
        if folded != character:
            found[folded] = found.get(folded, folded if len(folded) == 1 else "") + character
    return found


def expands(text: str) -> bool:
    """Whether some single character is folded to this text."""
    return len(fold(text)) > 1 and fold(text) in _variants()


def any_case(text: str) -> str:
    """Return a pattern that matches a text in any case; a character also matches its folding of several ones."""
    folded = fold(text)
    each = "".join(_as_set(_variants().get(character, character)) for character in folded)
    whole = _variants().get(folded, "") if len(folded) > 1 else ""
    return f"(?:{each}|{_as_set(whole)})" if whole else each


def _as_set(characters: str) -> str:
    return regex.escape(characters) if len(characters) == 1 else f"[{''.join(sorted(characters))}]"
