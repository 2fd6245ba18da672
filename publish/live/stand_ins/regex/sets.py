r"""Sets of code points, for the stand-in for `regex`: operations, properties, case.

Adds: `find_property`, the set of a property such as \p{L}, from `unicodedata` or `tables`; `any_case`, the
characters that equal one without regard to case; `bracket`, a set in the syntax of `re`.
Leaves out: the syntax of patterns (`regex`).

A set is a tuple that has, in ascending order, the code points at which a range starts or is over. Sets of categories
are computed on first use, all in one pass over the characters.

>>> bracket(difference((0, 128), complement(find_property("alphabetic")())))
'[A-Za-z]'
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import pairwise
from string import punctuation
from typing import Final, TypeAlias

Set: TypeAlias = tuple[
    int, ...
]  # where ranges of code points start and end, in ascending order: start, end, start, ...
Lazy: TypeAlias = Callable[[], Set]  # a set that is computed when it is needed

END: Final = 0x110000
BMP: Final = (0, 0x10000)
SPACES: Final = (
    *(9, 14, 0x20, 0x21, 0x85, 0x86, 0xA0, 0xA1, 0x1680, 0x1681, 0x2000, 0x200B, 0x2028, 0x202A, 0x202F, 0x2030),
    *(0x205F, 0x2060, 0x3000, 0x3001),
)


def union(*sets: Set) -> Set:
    """Return the union of sets.

    >>> union((1, 5), (3, 8, 9, 10), (8, 9))
    (1, 10)
    """
    bounds: list[int] = []
    for start, end in sorted(pair for one in sets for pair in pairs(one)):
        if bounds and start <= bounds[-1]:
            bounds[-1] = max(bounds[-1], end)
        else:
            bounds += start, end
    return tuple(bounds)


def complement(one: Set) -> Set:
    """Return all other code points.

    >>> complement((0, 65))
    (65, 1114112)
    """
    return tuple(sorted({0, END} ^ {*one}))


def difference(left: Set, right: Set) -> Set:
    """Return the code points that are only in the first set."""
    return complement(union(complement(left), right))


def intersection(left: Set, right: Set) -> Set:
    """Return the code points that are in both sets."""
    return complement(union(complement(left), complement(right)))


def single(code: int) -> Set:
    """Return the set of one code point."""
    return (code, code + 1)


def bracket(one: Set) -> str:
    r"""Return a set as a bracket expression of `re`; it is negated where this is shorter.

    >>> bracket((0, 10, 11, END))
    '[^\n]'
    """
    other = complement(one)
    if one[:1] == (0,) and other:
        return f"[^{_ranges(other)}]"
    return f"[{_ranges(one)}]" if one else f"[^{_ranges((0, END))}]"


def pairs(one: Set) -> Iterator[tuple[int, int]]:
    """Return where each range starts and is over."""
    return zip(one[::2], one[1::2], strict=True)


def _ranges(one: Set) -> str:
    return "".join(literal(start) + (f"-{literal(end - 1)}" if end - start > 1 else "") for start, end in pairs(one))


def literal(code: int) -> str:
    r"""Return a pattern of `re` for one character; it also serves inside brackets."""
    character = chr(code)
    return f"\\{character}" if character in punctuation else character


# ---- properties

# Ranges whose characters all have the category of the first one, in every Unicode version since 14.
_UNIFORM: Final = (
    *((0x3400, 0x4DBF), (0x4E00, 0x9FFC), (0xAC00, 0xD7A3), (0xD800, 0xDFFF), (0xE000, 0xF8FF), (0x17000, 0x187F7)),
    *((0x18B00, 0x18CD5), (0x20000, 0x2A6DD), (0x2A700, 0x2B734), (0x2B740, 0x2B81D), (0x2B820, 0x2CEA1)),
    *((0x2CEB0, 0x2EBE0), (0x30000, 0x3134A), (0x3FFFE, 0xE0000), (0xE01F0, 0xEFFFF), (0xF0000, 0xFFFFD)),
    (0x100000, 0x10FFFD),
)
_NAMES: Final = """
letter L casedletter LC uppercaseletter Lu lowercaseletter Ll titlecaseletter Lt modifierletter Lm otherletter Lo mark M
nonspacingmark Mn spacingmark Mc enclosingmark Me number N decimalnumber Nd digit Nd letternumber Nl othernumber No
punctuation P connectorpunctuation Pc dashpunctuation Pd openpunctuation Ps closepunctuation Pe initialpunctuation Pi
finalpunctuation Pf otherpunctuation Po symbol S mathsymbol Sm currencysymbol Sc modifiersymbol Sk othersymbol So
separator Z spaceseparator Zs lineseparator Zl paragraphseparator Zp other C control Cc format Cf surrogate Cs
privateuse Co unassigned Cn
"""
_PAIRS: Final = [pair.split() for pair in re.findall(r"\w+ \w+", _NAMES)]
_CATEGORIES: Final = {name: short for long, short in _PAIRS for name in (long, short.lower())}
_TRUE: Final = ("y", "yes", "t", "true")
_FALSE: Final = ("n", "no", "f", "false")
_KEYS: Final = {"generalcategory": "gc", "script": "sc", "graphemeclusterbreak": "gcb", "indicconjunctbreak": "incb"}
_SHORT: Final = {
    "extpict": "extendedpictographic",
    "grext": "graphemeextend",
    "alpha": "alphabetic",
    "space": "whitespace",
}


@cache
def _all_categories() -> dict[str, Set]:
    codes: list[int] = []
    at = 0
    for start, last in _UNIFORM:
        codes += range(at, start + 1)
        at = last + 1
    codes += range(at, END)
    names = list(map(unicodedata.category, map(chr, codes)))
    changes = [(code, name) for code, name, before in zip(codes, names, ["", *names], strict=False) if name != before]
    bounds: dict[str, list[int]] = {}
    for (start, name), (end, _) in pairwise([*changes, (END, "")]):
        bounds.setdefault(name, []).extend((start, end))
    return {name: tuple(found) for name, found in bounds.items()}


@cache
def category(name: str) -> Set:
    """Return the characters of a general category, such as "Lu", or of all that start with a letter, such as "L"."""
    wanted = ("Lu", "Ll", "Lt") if name == "LC" else (name,)
    return union(*(found for short, found in _all_categories().items() if short.startswith(wanted)))


@cache
def _tables() -> dict[str, str]:
    from .tables import TABLES

    entries = (entry.partition(":") for entry in TABLES.split(";"))
    parts = ((*names.strip().partition("="), ranges) for names, _, ranges in entries)
    return {f"{key}{sign}{name}": ranges for key, sign, names, ranges in parts for name in names.split("/")}


@cache
def table(name: str) -> Set:
    """Return a set of `tables`."""
    ends = ([int(bound, 16) for bound in part.split("-")] for part in _tables()[name].split())
    return union(*((end[0], end[-1] + 1) for end in ends))


def _where(predicate: Callable[[str], bool], name: str) -> Set:
    members = (chr(code) for start, end in pairs(category(name)) for code in range(start, end))
    return union(*(single(ord(character)) for character in members if predicate(character)))


def _syllables() -> Set:
    return union(*map(single, range(0xAC00, 0xD7A4, 28)))  # of Hangul, without a final consonant


_OTHERS: Final[dict[str, Lazy]] = {
    "any": lambda: (0, END),
    "ascii": lambda: (0, 128),
    "whitespace": lambda: SPACES,
    "alphabetic": lambda: union(category("L"), category("Nl"), table("alphabeticmarks")),
    "word": lambda: union(_OTHERS["alphabetic"](), *map(category, ("M", "Nd", "Pc")), (0x200C, 0x200E)),
    "lowercase": lambda: union(category("Ll"), *(_where(str.islower, name) for name in ("Lm", "Lo", "Mn", "Nl", "So"))),
    "uppercase": lambda: union(category("Lu"), *(_where(str.isupper, name) for name in ("Nl", "So"))),
    "blank": lambda: union(category("Zs"), single(9)),
    "graph": lambda: complement(union(SPACES, *map(category, ("Cc", "Cs", "Cn")))),
    "print": lambda: difference(union(_OTHERS["graph"](), _OTHERS["blank"]()), category("Cc")),
    "alnum": lambda: union(_OTHERS["alphabetic"](), category("Nd")),
    "graphemeextend": lambda: difference(table("gcb=extend"), (0x1F3FB, 0x1F400)),
    "gcb=lv": _syllables,
    "gcb=lvt": lambda: difference((0xAC00, 0xD7A4), _syllables()),
}


@cache
def find_property(name: str) -> Lazy | None:
    r"""Return the set of a property, as it is written in \p{...}; None if there is none of this name.

    >>> find_property("Script=Ogham")()
    (5760, 5789)
    """
    key, _, value = re.sub("[ _-]", "", name).lower().replace(":", "=").partition("=")
    key = _KEYS.get(key, key)
    if key == "gc" or not value:
        if short := _CATEGORIES.get(value or key):
            return partial(category, short)
        value, key = (value, key) if value or f"sc={key}" not in _tables() else (key, "sc")
    found = _other(f"{key}={value}" if value else _SHORT.get(key, key))
    if found is None and value in _TRUE + _FALSE:
        found = _other(_SHORT.get(key, key))
        return apply(complement, found) if found and value in _FALSE else found
    return found


def _other(plain: str) -> Lazy | None:
    return _OTHERS.get(plain) or (partial(table, plain) if plain in _tables() else None)


def apply(operation: Callable[..., Set], *sets: Lazy) -> Lazy:
    """Return the result of an operation on sets, which is computed when it is needed."""
    return lambda: operation(*(one() for one in sets))


@cache
def _foldings() -> dict[str, Set]:
    cased: dict[str, list[int]] = {}
    for code in range(0x80, 0x1F000):
        character = chr(code)
        if character.casefold() != character or character.upper() != character:
            cased.setdefault(character.casefold(), []).append(code)
    return {folded: union(*map(single, codes)) for folded, codes in cased.items()}


_I: Final = {"i": "iI\u0130", "I": "Ii\u0131", "\u0130": "i\u0130", "\u0131": "I\u0131"}  # as `regex` has it
_NOT_ASCII: Final = {"s": "\u017f", "k": "\u212a"}  # characters whose case folding is ASCII


def any_case(code: int) -> Set:
    """Return the characters that equal one character if case is ignored.

    >>> [chr(start) for start in any_case(ord("k"))[::2]]
    ['K', 'k', '\u212a']
    """
    character, folded = chr(code), chr(code).casefold()
    if character in _I:
        return union(*map(single, map(ord, _I[character])))
    if folded.isascii() and len(folded) == 1:
        return union(*map(single, map(ord, folded + folded.upper() + _NOT_ASCII.get(folded, ""))))
    return _foldings().get(folded) or single(code)
