"""How a symbol is shown to a person: nothing invisible, nothing that breaks the line it stands in."""

from __future__ import annotations

import unicodedata
from typing import TypeAlias

Symbol: TypeAlias = "str | bytes"

_NAMED = {" ": "␣", "\n": "↵", "\t": "⇥", "\r": "␍"}


def visible(symbol: Symbol) -> str:
    """The symbol with white space, controls, lone surrogates and lone accents made visible.

    >>> visible(" a\\n"), visible("\\u0301"), visible(b"\\xe6\\x97\\xa5"), visible(b"\\xe6\\x97")
    ('␣a↵', '◌́', '日', '\\\\xe6\\\\x97')
    """
    if isinstance(symbol, bytes):
        try:
            return visible(symbol.decode("utf-8"))
        except UnicodeDecodeError:
            return "".join(chr(b) if 32 < b < 127 else f"\\x{b:02x}" for b in symbol)
    shown = "".join(map(_character, symbol))
    return "◌" + shown if symbol and unicodedata.category(symbol[0]).startswith("M") else shown


def _character(character: str) -> str:
    if character in _NAMED:
        return _NAMED[character]
    # Zs, Zl, Zp: other spaces; Cc, Cf, Cs, Co, Cn: controls, joiners, surrogates, private, unassigned.
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
