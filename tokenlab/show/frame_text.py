"""A frame of the player as plain text, for a Python prompt.

Adds: the moment, the caption, the remark, and the panels that are open at first, with aligned columns.
Leaves out: questions, drawings and collapsed panels, which are on the page; the titles of these panels are listed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from tokenlab.printing.text_layout import hanging, safe, shorten, width_of, wrapped
from tokenlab.show.frames import Frame, Panel
from tokenlab.show.plain_text import TextLine, lines_of, plain_text

COLUMNS = 100
MOST_LINES = 24  # of a panel
_NUMBER = re.compile(r"[-−+]?[\d.,]+%?|×")


def how_to_see_more(step: int, length: int) -> str:
    """Return the lines that say how to see the steps of a recording after `step` of `length` steps.

    >>> print(how_to_see_more(1, 3))
    Step 2: recording.play(start=2). All steps: print(player).
    A page to step through: recording.save("name.html").
    """
    following = f"start={step + 1}" if step + 1 < length else f"start={step}, opened=1" if step < length else ""
    return (
        f"Step {step + 1 if following else 0}: recording.play({following}). All steps: print(player).\n"
        'A page to step through: recording.save("name.html").'
    )


def frame_text(frame: Frame, head: str, width: int = COLUMNS) -> Iterator[str]:
    """Yield the lines of a frame, none wider than `width`.

    >>> panel = Panel("Pairs", ("<tr><th><b>u</b> <b>g</b><td>20", "<tr><th><b>p</b> <b>u</b><td>5"))
    >>> for line in frame_text(Frame("Start", "The <b>words</b>.", panels=(panel,)), "train"): print(line)
    train: Start.
    The words.
    <BLANKLINE>
    Pairs
      u g  20
      p u   5
    """
    yield from _wrapped(f"{head}: {frame.moment}.", width)
    for said in (frame.caption, frame.remark):
        if text := _one_line(plain_text(said, brackets=True)):
            yield from _wrapped(text, width)
    open_panels = [panel for panel in frame.panels if not panel.more and "<svg" not in "".join(panel.rows)]
    for panel in open_panels:
        yield ""
        yield from _panel(panel, width)
    if others := [panel.title for panel in frame.panels if panel not in open_panels]:
        yield ""
        yield from _wrapped(f"Also on the page: {'; '.join(others)}.", width)


def _panel(panel: Panel, width: int) -> Iterator[str]:
    shown = list(_laid_out(lines_of((" " if panel.kind == "chips" else "").join(panel.rows)), width - 2))
    yield from _wrapped(panel.title, width)
    yield from (f"  {line}".rstrip() for line in (shown[:MOST_LINES] or ["(nothing)"]))
    if len(shown) > MOST_LINES:
        yield f"  … {len(shown) - MOST_LINES:,} more lines"


def _laid_out(lines: Sequence[TextLine], width: int) -> Iterator[str]:
    for is_row, group in groupby(lines, key=lambda line: line.is_row):
        texts = [[_one_line(cell) for cell in line.cells] for line in group]
        if is_row:
            yield from aligned(texts, width)
        else:
            for text in texts:
                yield from hanging(text[0], width, 2)


def aligned(rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Yield the rows of a table with aligned columns, numbers on the right; the widest cells are shortened to fit.

    >>> [*aligned([["the", "7"], ["tokenization", "12"]], 10)]
    ['the      7', 'token…  12']
    """
    columns = max(map(len, rows))
    full = [row for row in rows if len(row) > 1 or columns == 1]
    widths = [max(width_of(row[place]) for row in full if place < len(row)) for place in range(columns)]
    while sum(widths) + 2 * (columns - 1) > width and max(widths) > 1:
        widths[widths.index(max(widths))] -= 1
    for row in rows:
        if len(row) == 1 < columns:
            yield from wrapped(row[0], width)
            continue
        cells = [_padded(shorten(cell, size), size) for cell, size in zip(row, widths, strict=False)]
        yield shorten("  ".join(cells).rstrip(), width)


def _padded(cell: str, size: int) -> str:
    space = " " * (size - width_of(cell))
    return space + cell if _NUMBER.fullmatch(cell) else cell + space


def _wrapped(text: str, width: int) -> Iterator[str]:
    return wrapped(_one_line(text), width)


def _one_line(text: str) -> str:
    """Return a text without the spaces of the markup, as one line that a terminal shows and does not interpret."""
    return safe(re.sub("  +", "  ", text.strip(" ")))
