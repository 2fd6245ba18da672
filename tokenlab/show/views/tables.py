"""Tables of tokens with numbers and bars beside them: a row for each token, a line where something is cut off."""

from __future__ import annotations

from collections.abc import Sequence

from tokenlab.show.frames import Html, Panel, text

GREY, GREEN, BLUE = "#a9a9a2", "#009e73", "#56b4e9"  # the player's grey, and Okabe-Ito's
CUT = "2px dashed #d55e00"
WIDEST = 66  # percent of its cell that the longest bar takes

_ROW = '<tr style="background:none">'
_PLAIN = "padding:1px 8px;border:0;font-weight:400;white-space:nowrap;text-align:"


def table(title: str, rows: Sequence[Html]) -> Panel:
    """The rows as a panel."""
    inside = f'<table style="width:100%;max-width:46rem;table-layout:auto">{"".join(rows)}</table>'
    return Panel(title, (f'<li style="list-style:none;overflow-x:auto">{inside}',), wide=True)


def heads(first: str, *others: str, numbers: int = 0) -> Html:
    """What the columns are called; those of numbers come after the first, and stand on the right."""
    sides = ["left", *["right"] * numbers, *["left"] * (len(others) - numbers)]
    cells = (
        f'<th scope=col style="{_PLAIN}{side};color:var(--soft,inherit)">{text(name)}'
        for side, name in zip(sides, (first, *others), strict=True)
    )
    return f"{_ROW}{''.join(cells)}"


def row(name: Html, *cells: Html) -> Html:
    """A row: its name, and cells that `number` and `bar` make."""
    return f'{_ROW}<th scope=row style="{_PLAIN}left">{name}{"".join(cells)}'


def number(shown: str) -> Html:
    """A number, or what stands in its place."""
    return f'<td style="{_PLAIN}right;font-variant-numeric:tabular-nums">{text(shown)}'


def bar(share: float, shown: str, colour: str = GREY, width: int = 40) -> Html:
    """A bar, as long as the share of the longest says, and what is written beside it.

    Args:
        share: of the longest bar.
        shown: the number that it stands for.
        colour: what it is filled with.
        width: percent of the table that the column takes.
    """
    style = (
        f"display:inline-block;vertical-align:middle;width:{WIDEST * share:.0f}%;background:{colour};margin-right:6px"
    )
    drawn = f'<i style="{style}"></i>' if share else ""
    return f'<td style="{_PLAIN}left;width:{width}%;font-variant-numeric:tabular-nums">{drawn}{text(shown)}'


def line(said: str, columns: int) -> Html:
    """A line across all columns, with a word on what it parts."""
    return f'{_ROW}<td colspan={columns} style="{_PLAIN}left;border-top:{CUT};font-size:12px">{text(said)}'
