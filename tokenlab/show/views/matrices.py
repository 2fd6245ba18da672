"""Matrices as tables whose cells are shaded: with their numbers where these can be read, on hover where they cannot.

Shades come in few steps, and numbers with two decimals, so that a picture is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tokenlab.algorithms.attend import HIDDEN
from tokenlab.algorithms.attention_head import Matrix
from tokenlab.show.frames import Html, text
from tokenlab.visible import visible

WITH_NUMBERS = 16  # columns, at the most, that show their numbers; and rows of shades that are named
WIDE = 270  # pixels of a matrix without numbers
SHADES = 8
GROUND, LESS, MORE, WEIGHT = (244, 244, 239), (86, 180, 233), (230, 159, 0), (0, 158, 115)  # Okabe-Ito under black text
HIDDEN_GROUND = "#9d9d97"

LABEL, CELL = 54, 31  # pixels: the column of names, a column of numbers

_TABLE = (
    "table-layout:fixed;width:{}px;font-size:10px;color:#000;text-align:right;border-collapse:collapse;"
    "white-space:nowrap"
)
_HEAD = "padding:1px 3px;font-size:11px;font-weight:400;color:var(--ink,inherit);overflow:hidden;white-space:nowrap"
_ITEM = (
    '<li style="display:inline-flex;gap:8px;align-items:center;vertical-align:middle;margin:0 8px 8px 0;max-width:100%;'
    'overflow-x:auto">'
)
_UP = "writing-mode:vertical-rl;text-orientation:sideways;text-align:right"


@dataclass(frozen=True)
class Named:
    """A matrix with the names of its rows and columns; a matrix of vectors has no names for its columns."""

    title: str
    numbers: Matrix
    rows: Sequence[str]
    columns: Sequence[str] = ()
    largest: float = 1.0  # what gets the darkest shade
    weights: bool = False  # shares of one, instead of numbers below and above zero
    whole: bool = False  # whole numbers

    @property
    def decimals(self) -> int:
        """How many a cell has: two where all numbers are small."""
        return 0 if self.whole else 2 if self.largest < 2 else 1

    def shade(self, number: float) -> Html:
        """The ground of a cell.

        >>> Named("", [[]], [], largest=2).shade(-5), Named("", [[]], [], weights=True).shade(0)
        ('#56b4e9', '#f4f4ef')
        """
        if number < HIDDEN:
            return HIDDEN_GROUND
        share = round(SHADES * min(1, abs(number) / (self.largest or 1))) / SHADES
        full = WEIGHT if self.weights else LESS if number < 0 else MORE
        return "#" + "".join(
            f"{round(ground + share * (end - ground)):02x}" for ground, end in zip(GROUND, full, strict=True)
        )


def drawn(matrix: Named, sign: str = "") -> tuple[Html, Html]:
    """A matrix to stand beside others, with a sign before it: two rows of a panel, which together are one item.

    The same matrix behind another sign is the same row, and travels once.
    """
    before = f'<span style="font-size:20px">{text(sign)}</span>' if sign else ""
    inside = _table(matrix) if _width(matrix) <= WITH_NUMBERS else _map(matrix)
    return f"{_ITEM}{before}", f'<span><span style="font-size:12px">{text(matrix.title)}</span>{inside}</span>'


def _width(matrix: Named) -> int:
    return max(map(len, matrix.numbers))


def _table(matrix: Named) -> Html:
    """Numbers to be read, under a head for each column and beside a head for each row."""
    heads = "".join(f'<th scope=col style="{_HEAD};{_UP}">{_short(name)}' for name in matrix.columns)
    top = f'<tr style="background:none"><td style="width:{LABEL}px">{heads}' if heads else ""
    rows = "".join(
        f'<tr style=background:none><th scope=row style="{_HEAD};width:{LABEL}px;text-align:right">{_short(name)}'
        + "".join(_cell(matrix, name, place, number) for place, number in enumerate(numbers))
        for name, numbers in zip(matrix.rows, matrix.numbers, strict=True)
    )
    style = _TABLE.format(LABEL + _width(matrix) * (CELL + 6 * (matrix.decimals == 2)))
    return f'<table style="{style}" aria-label="{text(matrix.title)}">{top}{rows}</table>'


def _cell(matrix: Named, row: str, place: int, number: float) -> Html:
    # As short as it can be: there are hundreds.
    shown = said(number, matrix.decimals)
    title = _title(matrix, row, place, number)
    return f'<td style="padding:2px;background:{matrix.shade(number)}" title="{title}">{shown}'


def _map(matrix: Named) -> Html:
    """Shades alone, for the eye and the pointer; a table elsewhere has the numbers that matter."""
    width = _width(matrix)
    named = len(matrix.rows) <= WITH_NUMBERS
    side = max(12 if named else 4, WIDE // width)
    ground = matrix.shade(0)
    cells = "".join(
        (f"<span>{_short(name)}</span>" if named else "")
        + "".join(
            f'<i title="{_title(matrix, name, place, number)}"{_style(matrix.shade(number), ground)}></i>'
            for place, number in enumerate(numbers)
        )
        for name, numbers in zip(matrix.rows, matrix.numbers, strict=True)
    )
    columns = f"{f'{LABEL}px ' if named else ''}repeat({width},{side}px)"
    grid = f"display:grid;grid:auto-flow {side}px/{columns};width:max-content;background:{ground}"
    grid += ";font-size:10px;line-height:12px;color:#000;white-space:nowrap" if named else ""
    size = f"{len(matrix.numbers)} by {width}"
    return f'<div role=img aria-label="{text(matrix.title)}: {size}" style="{grid}">{cells}</div>'


def _style(shade: str, ground: str) -> Html:
    return "" if shade == ground else f" style=background:{shade}"


def _title(matrix: Named, row: str, place: int, number: float) -> Html:
    """What the pointer is told about a cell."""
    column = _short(matrix.columns[place]) if matrix.columns else place
    shown = f"hidden, {number:.1e}" if number < HIDDEN else said(number, 0 if matrix.whole else 2)
    return f"{_short(row)} {column}: {shown}"


def said(number: float, decimals: int = 2) -> str:
    """A number, short enough for a cell; what is hidden is a cross.

    >>> said(-0.001), said(2.345, 1), said(-1e9), said(-345.6), said(-9.97, 1)
    ('0.00', '2.3', '×', '−346', '−10')
    """
    if number < HIDDEN:
        return "×"
    size = abs(round(number, decimals))
    decimals = max(0, decimals - (size >= 10) - (size >= 100))
    shown = f"{round(number, decimals) + 0:.{decimals}f}"  # no "-0.00"
    return shown.replace("-", "−")  # behind which no line is broken


def largest(matrices: Iterable[Matrix]) -> float:
    """The largest number, whatever its sign, of those that are not hidden."""
    return max((abs(n) for matrix in matrices for row in matrix for n in row if n >= HIDDEN), default=1.0)


def _short(name: str, most: int = 8) -> Html:
    shown = visible(name)
    return text(shown if len(shown) <= most else f"{shown[: most - 1]}…")
