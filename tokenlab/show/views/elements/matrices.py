"""Matrices as tables of shaded cells: small ones show their numbers, large ones show them on hover.

Shades are quantized and numbers are rounded to two decimals, so that the output is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tokenlab.algorithms.attention.attention_output import MASKED
from tokenlab.algorithms.vectors import Matrix
from tokenlab.printing.printable import printable
from tokenlab.printing.printed_numbers import format_number
from tokenlab.show.frames import Html, text

WITH_NUMBERS = 16  # maximum columns of a matrix that shows numbers
WIDE, NAMED = 270, 12  # pixels of a matrix without numbers; the least side of its cells, which leaves room for a name
SHADES = 8
GROUND, LESS, MORE, WEIGHT = (244, 244, 239), (86, 180, 233), (230, 159, 0), (0, 158, 115)  # Okabe-Ito under black text
HIDDEN_GROUND = "#9d9d97"

LABEL, CELL, HEAD = 54, 31, 50  # pixels: the column of labels, a column of numbers, the row of turned labels
FITTING = 2  # characters of a column header that is not turned

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
class LabeledMatrix:
    """A matrix with labels for its rows and, unless its rows are vectors, for its columns."""

    title: str
    numbers: Matrix
    rows: Sequence[str]
    columns: Sequence[str] = ()
    largest: float = 1.0  # the absolute value of the darkest shade
    weights: bool = False  # weights from 0 to 1, instead of positive and negative numbers
    whole: bool = False  # integers

    @property
    def decimals(self) -> int:
        """The number of decimals in a cell: two if all numbers are small."""
        return 0 if self.whole else 2 if self.largest < 2 else 1

    def shade(self, number: float) -> Html:
        """Return the background colour of a cell.

        >>> LabeledMatrix("", [[]], [], largest=2).shade(-5), LabeledMatrix("", [[]], [], weights=True).shade(0)
        ('#56b4e9', '#f4f4ef')
        """
        if number < MASKED:
            return HIDDEN_GROUND
        share = round(SHADES * min(1, abs(number) / (self.largest or 1))) / SHADES
        full = WEIGHT if self.weights else LESS if number < 0 else MORE
        return "#" + "".join(
            f"{round(ground + share * (end - ground)):02x}" for ground, end in zip(GROUND, full, strict=True)
        )


def matrix_rows(matrix: LabeledMatrix, operator: str = "") -> tuple[Html, Html]:
    """Return two panel rows that form one item: an operator such as "=", and the matrix after it.

    The operator has its own row, so that the row of a repeated matrix is stored only once.
    """
    before = f'<span style="font-size:20px">{text(operator)}</span>' if operator else ""
    inside = _table(matrix) if _width(matrix) <= WITH_NUMBERS else _map(matrix)
    # The player scrolls to a result.
    item = _ITEM.replace("<li", "<li data-active=1") if operator in ("=", "→") else _ITEM
    return f"{item}{before}", f'<span><span style="font-size:12px">{text(matrix.title)}</span>{inside}</span>'


def _width(matrix: LabeledMatrix) -> int:
    return max(map(len, matrix.numbers))


def _table(matrix: LabeledMatrix) -> Html:
    """Return a table of numbers with column and row headers."""
    heads = "".join(f'<th scope=col style="{_HEAD}{_turned(name)}">{_short(name)}' for name in matrix.columns)
    top = f'<tr style="background:none"><td style="width:{LABEL}px">{heads}' if heads else ""
    rows = "".join(
        f'<tr style=background:none><th scope=row style="{_HEAD};width:{LABEL}px;text-align:right">{_short(name)}'
        + "".join(_cell(matrix, name, place, number) for place, number in enumerate(numbers))
        for name, numbers in zip(matrix.rows, matrix.numbers, strict=True)
    )
    style = _TABLE.format(LABEL + _width(matrix) * (CELL + 6 * (matrix.decimals == 2)))
    return f'<table style="{style}" aria-label="{text(matrix.title)}">{top}{rows}</table>'


def _turned(name: str) -> Html:
    """Return the style that writes a column header from top to bottom, or "" if the name fits in a cell."""
    return f";{_UP}" if len(printable(name)) > FITTING else ";text-align:right;vertical-align:bottom"


def _cell(matrix: LabeledMatrix, row: str, place: int, number: float) -> Html:
    # Keep the HTML short: there are hundreds of cells.
    shown = format_cell(number, matrix.decimals)
    title = _title(matrix, row, place, number)
    return f'<td style="padding:2px;background:{matrix.shade(number)}" title="{title}">{shown}'


def _map(matrix: LabeledMatrix) -> Html:
    """Return a grid of shaded cells without numbers, which appear on hover."""
    width = _width(matrix)
    side = max(NAMED, WIDE // width)
    ground = matrix.shade(0)
    heads = "".join(f'<span style="{_UP}">{_short(name)}</span>' for name in matrix.columns)
    top = HEAD if heads else 0
    cells = f"<span></span>{heads}" if heads else ""
    cells += "".join(
        f"<span>{_short(name)}</span>"
        + "".join(
            f'<i title="{_title(matrix, name, place, number)}"{_style(matrix.shade(number), ground)}></i>'
            for place, number in enumerate(numbers)
        )
        for name, numbers in zip(matrix.rows, matrix.numbers, strict=True)
    )
    rows = f"{f'{top}px ' if top else ''}repeat({len(matrix.rows)},{side}px)"
    grid = f"display:grid;grid:{rows}/{LABEL}px repeat({width},{side}px);width:max-content"
    # Labels have no ground.
    grid += f";background:linear-gradient({ground},{ground}) {LABEL}px {top}px no-repeat"
    grid += ";font-size:10px;line-height:12px;text-align:right;white-space:nowrap"
    size = f"{len(matrix.numbers)} by {width}"
    return f'<div role=img aria-label="{text(matrix.title)}: {size}" style="{grid}">{cells}</div>'


def _style(shade: str, ground: str) -> Html:
    return "" if shade == ground else f" style=background:{shade}"


def _title(matrix: LabeledMatrix, row: str, place: int, number: float) -> Html:
    """Return the tooltip of a cell."""
    column = _short(matrix.columns[place]) if matrix.columns else place
    shown = f"hidden, {number:.1e}" if number < MASKED else format_cell(number, 0 if matrix.whole else 2)
    return f"{_short(row)} {column}: {shown}"


def format_cell(number: float, decimals: int = 2) -> str:
    """Format a number to fit a cell; a masked score becomes a cross.

    >>> format_cell(-0.001), format_cell(2.345, 1), format_cell(-1e9), format_cell(-345.6), format_cell(-9.97, 1)
    ('0.00', '2.3', '×', '−346', '−10')
    """
    if number < MASKED:
        return "×"
    return format_number(number, decimals).replace("-", "−")  # the minus sign, which allows no line break after it


def max_abs(matrices: Iterable[Matrix]) -> float:
    """Return the largest absolute value of the numbers that are not masked."""
    return max((abs(n) for matrix in matrices for row in matrix for n in row if n >= MASKED), default=1.0)


@lru_cache(maxsize=4096)  # every cell names its row and its column
def _short(name: str, most: int = 8) -> Html:
    shown = printable(name)
    return text(shown if len(shown) <= most else f"{shown[: most - 1]}…")
