r"""The names of properties in `\p{...}` that Oniguruma accepts, and its rules on upper and lower case.

Adds: `plain_name`, a name without its separators; `property_query`, the same property in the syntax of `regex`.
Leaves out: the characters of a property (`oniguruma_classes`).

Oniguruma knows the long and short names of categories, scripts and binary properties, and of blocks only the long ones,
after "in". `regex` knows more names, which are refused here. One is missing: `\p{InCB}`, which `regex` knows only with
a value.
Source: kkos/oniguruma, src/unicode_property_data.c; the tests compare all names that `regex` knows.
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


_ONLY_REGEX: Final = regex.compile(
    "h|v|horizspace|vertspace|alphanumeric|posix(alnum|x?digit)|bidim(irrored)?|hrkt|katakanaorhiragana|nfk?[cd]q.*"
)
_SHORT_BLOCKS: Final = regex.compile(  # abbreviations of Unicode's PropertyValueAliases.txt, and older names
    "in(?:.*(sup|ext[a-j]?|pf[ab]?|math|music)|misc(?!ellaneous).*|sup(?!erscripts|plement).*|math(?!ematical).*|"
    "cjk(compat(?!ibility).*|symbols)?|diacriticals.*|enclosed(alphanum|cjk)|latin(1|extadditional)|half(andfullforms|marks)|"
    "alchemical|ascii|braille|canadiansyllabics|combiningmarksforsymbols|compatjamo|countingrod|cuneiformnumbers|"
    "cyrillicsupplementary|domino|greek|hangul|highpusurrogates|idc|ideographicsymbols|indicnumberforms|jamo|kangxi|"
    "mahjong|modifierletters|nb|ocr|phaistos|privateuse|pua|punctuation|rumi|smallforms|taixuanjing|transportandmap|ucas|"
    "vs|yijing)"
)
_SINCE_UNICODE_17: Final = regex.compile(  # scripts, then blocks
    "(in)?(beriaerfe|jurchen|seal|sidetic|taiyo|tolongsiki)|berf|jurc|pcun|protocuneiform|sidt|tayo|tols|"
    "in(archaiccuneiformnumerals|bengalisupplement|cjkunifiedideographsextensionj|jurchenradicals|"
    "miscellaneoussymbols(andarrowsextended|supplement)|(musicalsymbols|sharada|tangutcomponents)supplement)"
)


def plain_name(name: str) -> str:
    """Return a name in lower case, without spaces, hyphens and underscores.

    >>> plain_name("In_Basic Latin")
    'inbasiclatin'
    """
    return regex.sub("[ _-]", "", name).lower() if name.isascii() else name


def property_query(plain: str) -> str | None:
    """Return how `regex` asks for the property with this plain name, or None if Oniguruma does not know it.

    >>> [property_query(name) for name in ("lu", "greek", "idc", "ingreekandcoptic")]
    ['gc=lu', 'sc=greek', 'idc=yes', 'blk=greekandcoptic']
    >>> [property_query(name) for name in ("ingreek", "arrows", "infinity", "h", "beriaerfe")]
    [None, None, None, None, None]
    """
    refused = (_ONLY_REGEX, _SHORT_BLOCKS, _SINCE_UNICODE_17)
    if any(names.fullmatch(plain) for names in refused) or not regex.fullmatch("[a-z][a-z0-9]*", plain):
        return None
    block = [f"blk={plain[2:]}"] if regex.fullmatch("in[a-z].*", plain) else []
    for query in (f"gc={plain}", f"sc={plain}", f"{plain}=yes", *block):
        try:
            regex.compile(rf"\p{{{query}}}")
            return query
        except (regex.error, OverflowError):  # subtle: `regex` reads "infinity" as a numeric value
            continue
    return None
