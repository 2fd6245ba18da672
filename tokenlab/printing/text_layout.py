"""Lay out plain text for a terminal: columns, wrapped lines, and the width of characters that take two cells."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from tokenlab.printing.printable import readable


def width_of(text: str) -> int:
    """Return the number of terminal cells of a text: 2 for a wide character, 0 for a combining mark.

    >>> width_of("abc"), width_of("日本"), width_of("e\\u0301")
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
        if c.isprintable()
    )


def shorten(text: str, width: int) -> str:
    """Return the text, or its beginning and an ellipsis if it is too wide.

    >>> shorten("tokenization", 6), shorten("日本語", 5)
    ('token…', '日本…')
    """
    if width_of(text) <= width:
        return text
    while text and width_of(text) > width - 1:
        text = text[: max(min(len(text) - 1, width), 0)] if len(text) > width else text[:-1]
    return f"{text}…"


def table(
    header: Sequence[str], rows: Iterable[Sequence[str]], widest: Sequence[int], right: int, width: int
) -> Iterator[str]:
    """Yield the lines of a table; the last column takes the rest of the width.

    Args:
        header: the names of the columns.
        rows: the cells.
        widest: the maximum width of each column but the last.
        right: the number of columns, from the left, that are aligned on the right.
        width: the maximum width of a line.

    >>> [*table(["id", "token"], [["7", "a"], ["10", "abcdef"]], [4], right=1, width=8)]
    ['id  tok…', ' 7  a', '10  abc…']
    """
    rows = list(rows)
    cells = [[shorten(cell, most) for cell, most in zip(row[:-1], widest, strict=True)] for row in (header, *rows)]
    widths = [max(map(width_of, column)) for column in zip(*cells, strict=True)]
    rest = width - sum(widths) - 2 * len(widths)
    widths.append(rest)
    for row, last in zip(cells, (row[-1] for row in (header, *rows)), strict=True):
        row.append(shorten(last, rest))
        padded = []
        for place, (cell, width) in enumerate(zip(row, widths, strict=True)):
            space = " " * (width - width_of(cell))
            padded.append(space + cell if place < right else cell + space)
        yield "  ".join(padded).rstrip()


def wrapped(text: str, width: int, indent: str = "") -> Iterator[str]:
    """Yield a text in lines of a width, each with the indent; a word that is too long is divided.

    >>> [*wrapped("one two three", 9, indent="  ")]
    ['  one two', '  three']
    """
    room, line = max(width - len(indent), 8), ""
    for word in text.split(" "):
        if line and width_of(line) + 1 + width_of(word) <= room:
            line = f"{line} {word}"
            continue
        if line:
            yield indent + line
        while width_of(word) > room:
            first = shorten(word, room)[:-1]
            yield indent + first
            word = word[len(first) :]
        line = word
    yield (indent + line).rstrip()


def hanging(line: str, width: int, indent: int = 4) -> Iterator[str]:
    """Yield a line that may be indented, wrapped; further lines are indented more.

    >>> [*hanging("  one two three", 9, indent=2)]
    ['  one two', '    three']
    """
    start = " " * (len(line) - len(line.lstrip(" ")))
    first, *rest = wrapped(line.lstrip(" "), width, start)
    yield first
    if rest:
        yield from wrapped(" ".join(part.strip() for part in rest), width, start + " " * indent)


def safe(line: str) -> str:
    """Return a line that a terminal shows and does not interpret: no controls, no bidirectional overrides.

    >>> safe("a\\x1b[2J\\u202eb\\n")
    'a\\\\x1b[2J\\\\u202eb↵'
    """
    return readable(line).replace("\n", "↵").replace("\t", "⇥")
