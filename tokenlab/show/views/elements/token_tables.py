"""Tables of tokens with numbers and bars: one row per token, and a line at a cutoff."""

from __future__ import annotations

from collections.abc import Sequence

from tokenlab.show.frames import Html, Panel, text

GREY, GREEN, BLUE = "#a9a9a2", "#009e73", "#56b4e9"  # the player's grey, and Okabe-Ito's
CUTOFF_LINE = "2px dashed #d55e00"
WIDEST = 66  # width of the longest bar, in percent of its cell

_ROW = '<tr style="background:none">'
_PLAIN = "padding:1px 8px;border:0;font-weight:400;white-space:nowrap;text-align:"


def table(title: str, rows: Sequence[Html], width: str = "46rem") -> Panel:
    """Return a panel with these rows, as wide as `width`, a CSS length, or as the player if that is narrower."""
    inside = f'<table style="width:min(100%,{width});table-layout:auto">{"".join(rows)}</table>'
    return Panel(title, (f'<li style="list-style:none;overflow-x:auto">{inside}',), wide=True)


def header_row(first: str, *others: str, numbers: int = 0) -> Html:
    """Return the column headers; the `numbers` columns after the first are right-aligned."""
    sides = ["left", *["right"] * numbers, *["left"] * (len(others) - numbers)]
    cells = (
        f'<th scope=col style="{_PLAIN}{side};color:var(--soft,inherit)">{text(name)}'
        for side, name in zip(sides, (first, *others), strict=True)
    )
    return f"{_ROW}{''.join(cells)}"


def row(name: Html, *cells: Html) -> Html:
    """Return a row: a name, and cells made by `number` and `bar`."""
    return f'{_ROW}<th scope=row style="{_PLAIN}left">{name}{"".join(cells)}'


def number(shown: str) -> Html:
    """Return a right-aligned cell with a number or its placeholder."""
    return f'<td style="{_PLAIN}right;font-variant-numeric:tabular-nums">{text(shown)}'


def bar(share: float, shown: str, colour: str = GREY, width: int = 40) -> Html:
    """Return a cell with a bar and the value that it represents.

    Args:
        share: the length of the bar, as a fraction of the longest.
        shown: the value, formatted.
        colour: the fill colour.
        width: the width of the column, in percent of the table.
    """
    style = (
        f"display:inline-block;vertical-align:middle;width:{WIDEST * share:.0f}%;background:{colour};margin-right:6px"
    )
    drawn = f'<i style="{style}"></i>' if share else ""
    return f'<td style="{_PLAIN}left;width:{width}%;font-variant-numeric:tabular-nums">{drawn}{text(shown)}'


def separator_row(said: str, columns: int) -> Html:
    """Return a labelled line across all columns."""
    return f'{_ROW}<td colspan={columns} style="{_PLAIN}left;border-top:{CUTOFF_LINE};font-size:12px">{text(said)}'
