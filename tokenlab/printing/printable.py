"""Make invisible characters and line breaks in symbols and sentences visible."""

from __future__ import annotations

import unicodedata
from typing import TypeAlias

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
