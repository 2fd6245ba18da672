"""A view's markup as plain text, for a terminal: a caption, the rows of a panel, and a whole frame of the player.

Adds: the lines of a panel's rows: list items, and tables with aligned columns. Of a frame: the moment, the caption, the
remark, and the panels that are open at first.
Leaves out: drawings (`svg`), because a table next to each has its content; questions and collapsed panels, which are on
the page; the titles of these panels are listed.

Text in a frame is escaped, and `Frame` and `Panel` escape all other markup. So each tag here is the view's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape
from itertools import groupby

from tokenlab.printing.text_layout import hanging, safe, shorten, width_of, wrapped
from tokenlab.show.frames import Frame, Html, Panel

_TOKEN = re.compile(r"<(/?)(\w+)([^<>]*)>|([^<]+|<)")
_BAR = re.compile(r"width:(\d+)%")
_LABEL = re.compile(r"""aria-label=(?:"([^"]*)"|'([^']*)'|([^\s>]+))""")
COLUMNS = 100
MOST_LINES = 24  # of a panel
_NUMBER = re.compile(r"[-−+]?[\d.,]+%?|×")
BAR_CELLS = 20  # of a bar of 100 %
_ENDS_LINE = frozenset(("br", "li", "ol", "p", "table", "ul", "tbody"))
_INLINE = frozenset(("b", "code", "i", "small", "span"))


def plain_text(html: Html, brackets: bool = False) -> str:
    """Return the text of a caption without its markup; `brackets` puts marked chips in brackets.

    >>> plain_text("<b class=new>&lt;s&gt;</b> is a special token.")
    '<s> is a special token.'
    >>> plain_text("<b class=left>u</b> became <b class=new>ug</b>, not <b>gu</b>.", brackets=True)
    '[u] became [ug], not gu.'
    """
    return " ".join(cell for line in lines_of(html, brackets) for cell in line.cells)


@dataclass
class TextLine:
    """A line: one text, or the cells of a table's row."""

    cells: list[str] = field(default_factory=lambda: [""])
    is_row: bool = False


def lines_of(html: Html, brackets: bool = True) -> list[TextLine]:
    """Return the lines of a panel's rows; neighbouring chips are separated by a space.

    >>> [line.cells for line in lines_of("<tr><th><b>u</b><td><i style=width:10%></i>7<li><b>a</b><b>b</b>")]
    [['u', '██ 7'], ['a b']]
    """
    reader = _Reader(brackets)
    for match in _TOKEN.finditer(html):
        closing, tag, attributes, text = match.groups()
        if tag is None:
            reader.add(unescape(text))
        else:
            reader.read_tag(tag, bool(closing), attributes)
        reader.is_after_closing_tag = bool(closing)
    return [line for line in reader.lines if any(cell.strip() for cell in line.cells)]


class _Reader:
    """The lines that were read so far, and the tags that are open."""

    def __init__(self, brackets: bool) -> None:
        self.brackets = brackets
        self.lines = [TextLine()]
        self.marks: list[bool] = []  # of the open chips
        self.skipped: list[str] = []  # the open tags inside an element that is omitted
        self.is_after_closing_tag = False

    def read_tag(self, tag: str, is_closing: bool, attributes: str) -> None:
        """Take a tag with its attributes."""
        if self.skipped:
            if tag == self.skipped[0]:
                self.skipped = self.skipped[1:] if is_closing else [tag, *self.skipped]
            return
        if self.is_after_closing_tag and not is_closing and tag in _INLINE:
            self.add(" ")
        label = _LABEL.search(attributes) if "role=img" in attributes else None
        if not is_closing and (tag in ("svg", "style") or label):
            if label and tag != "svg":
                self.add(unescape(next(filter(None, label.groups()), "")))
            self.skipped = [tag]
        elif tag in _ENDS_LINE:
            self.end_line()
        elif tag == "tr":
            self.end_line()
            self.lines[-1] = TextLine([], is_row=True)
        elif tag in ("td", "th"):
            if not is_closing:
                self.lines[-1].cells.append("")
        elif tag == "div":
            self.add("  ")
        elif tag == "b":
            self._mark(is_closing, attributes)
        elif tag == "i" and (width := _BAR.search(attributes)):
            self.add("█" * round(int(width[1]) * BAR_CELLS / 100) + " ")

    def _mark(self, is_closing: bool, attributes: str) -> None:
        if not is_closing:
            self.marks.append(self.brackets and "class=" in attributes)
            self.add("[" if self.marks[-1] else "")
        elif self.marks and self.marks.pop():
            self.add("]")

    def end_line(self) -> None:
        """Start a new line."""
        self.lines.append(TextLine())

    def add(self, text: str) -> None:
        """Add a text to the current cell."""
        if not self.skipped:
            line = self.lines[-1]
            line.cells = line.cells or [""]
            line.cells[-1] += text


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
