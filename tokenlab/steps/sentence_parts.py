"""The sentence of a step as a list of parts, which become plain text here and HTML in `tokenlab.show`.

Adds: symbols as parts, which a view shows as chips; numbers; and counts with their nouns.
Leaves out: the HTML; see `as_html` in `show/views/elements/rows.py`.

>>> as_text([SymbolPart(" a"), " occurs ", 2000, " times"])
'␣a occurs 2,000 times'
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

from tokenlab.printing.printable import Symbol, printable

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


def symbol_parts(symbols: Iterable[Symbol], mark: Mark = "", between: str = " ") -> Parts:
    """Return the parts for some symbols, with a text between them."""
    parts: Parts = [part for symbol in symbols for part in (between, SymbolPart(symbol, mark))]
    return parts[1:]


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
