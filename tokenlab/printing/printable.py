"""Symbols and sentences as text: invisible characters are visible, and a sentence is a list of parts.

A step names its symbols and numbers as parts, which become plain text here (`as_text`) and HTML in a player
(`as_html` in `show/frames.py`).

>>> as_text([SymbolPart(" a"), " occurs ", 2000, " times"])
'␣a occurs 2,000 times'
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

Symbol: TypeAlias = "str | bytes"

_NAMED = {" ": "␣", "\n": "↵", "\t": "⇥", "\r": "␍"}


def unit(symbol: Symbol) -> str:
    """Return the unit that the length of a symbol counts: "character", or "byte".

    >>> unit("ab"), unit(b"ab")
    ('character', 'byte')
    """
    return "byte" if isinstance(symbol, bytes) else "character"


def printable(symbol: Symbol) -> str:
    """Return the symbol with whitespace, controls, lone surrogates and initial combining marks made visible.

    >>> printable(" a\\n"), printable("\\u0301"), printable(b"\\xe6\\x97\\xa5"), printable(b"\\xe6\\x97")
    ('␣a↵', '◌́', '日', '\\\\xe6\\\\x97')
    """
    if isinstance(symbol, bytes):
        try:
            return printable(symbol.decode("utf-8"))
        except UnicodeDecodeError:
            return "".join(chr(b) if 32 < b < 127 else f"\\x{b:02x}" for b in symbol)
    shown = "".join(map(_character, symbol))
    return "◌" + shown if symbol and unicodedata.category(symbol[0]).startswith("M") else shown


# A line break and a tab lay text out; the two joiners are part of emoji and of words in Persian and Indic scripts.
_LAYOUT = frozenset("\n\t\u200c\u200d")


def readable(text: str) -> str:
    """Return the text with controls, bidirectional controls and lone surrogates made visible; spaces are unchanged.

    For sentences and captions: a terminal or a browser would interpret these characters instead of showing them.

    >>> readable("a b\\n\\x1b[2J \\u202ecba")
    'a b\\n\\\\x1b[2J \\\\u202ecba'
    """
    if text.isprintable():
        return text
    return "".join(_character(c) if unicodedata.category(c) in _OBEYED and c not in _LAYOUT else c for c in text)


_OBEYED = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))


def _character(character: str) -> str:
    if character in _NAMED:
        return _NAMED[character]
    # Zs, Zl, Zp: other spaces; Cc, Cf, Cs, Co, Cn: controls, joiners, surrogates, private, unassigned.
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


Mark: TypeAlias = Literal["", "new", "left", "right", "unknown"]


class SymbolPart(NamedTuple):
    """A symbol in a sentence, and how a view marks it."""

    symbol: Symbol
    mark: Mark = ""


Part: TypeAlias = str | int | SymbolPart
Parts: TypeAlias = list[Part]


def as_text(parts: Iterable[Part]) -> str:
    """Return the parts as plain text: symbols with visible whitespace, numbers with thousands separators."""
    return "".join(
        part if isinstance(part, str) else printable(part.symbol) if isinstance(part, SymbolPart) else f"{part:,}"
        for part in parts
    )


NAMED = 12  # symbols of a long list that a sentence names


def symbol_parts(symbols: Iterable[Symbol], mark: Mark = "", between: str = " ", most: int | None = None) -> Parts:
    """Return the parts for some symbols, with a text between them; of more than `most`, the first and how many more.

    >>> as_text(symbol_parts("abcd", most=2)), as_text(symbol_parts(""))
    ('a b … and 2 more', 'nothing')
    """
    shown = list(symbols)
    parts: Parts = [part for symbol in shown[:most] for part in (between, SymbolPart(symbol, mark))]
    more = f" … and {len(shown) - most:,} more" if most is not None and len(shown) > most else ""
    return [*parts[1:], more] if parts else ["nothing"]


def merge_parts(pair: Iterable[Symbol], made: Symbol) -> Parts:
    """Return the parts that name the merge of a pair.

    >>> as_text(merge_parts(("pu", "n"), "pun"))
    'pu + n became pun'
    """
    return [*symbol_parts(pair, between=" + "), " became ", SymbolPart(made, "new")]


def count_noun(number: int, thing: str) -> str:
    """Format a count with its noun in the singular or plural.

    >>> count_noun(1, "beam"), count_noun(2000, "beam")
    ('1 beam', '2,000 beams')
    """
    return f"{number:,} {thing}{'s' * (number != 1)}"


def times(count: float) -> str:
    """Format how often something occurs.

    >>> times(1), times(2000)
    ('once', '2,000 times')
    """
    return "once" if count == 1 else f"{count:,} times"
