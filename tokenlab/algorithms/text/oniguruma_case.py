"""Case-insensitive matching of characters as Oniguruma does it, without the `regex` module's option.

Adds: `any_case`, a pattern for a text in any case; `expands`, whether a text is the case folding of one character.
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

LAST: Final = 0x1E943  # the last character with two cases in Unicode 14


@cache
def _variants() -> dict[str, str]:
    """Return the characters of each case folding; a folding may have several characters."""
    found: dict[str, str] = {}
    for character in map(chr, range(LAST + 1)):
        folded = character.casefold()
        if folded != character:
            found[folded] = found.get(folded, folded if len(folded) == 1 else "") + character
    return found


def expands(text: str) -> bool:
    """Whether some single character is folded to this text."""
    return len(text.casefold()) > 1 and text.casefold() in _variants()


def any_case(text: str) -> str:
    """Return a pattern that matches a text in any case; a character may stand for its folding of several ones."""
    folded = text.casefold()
    each = "".join(_as_set(_variants().get(character, character)) for character in folded)
    whole = _variants().get(folded, "") if len(folded) > 1 else ""
    return f"(?:{each}|{_as_set(whole)})" if whole else each


def _as_set(characters: str) -> str:
    return regex.escape(characters) if len(characters) == 1 else f"[{''.join(sorted(characters))}]"
