"""A view's markup as plain text, for a terminal.

Adds: the text of a caption, and the lines of a panel's rows: list items, and tables as cells.
Leaves out: the layout; see `frame_text`. Drawings (`svg`) are omitted, because a table next to each has its content.

Text in a frame is escaped, and `Frame` and `Panel` escape all other markup. So each tag here is the view's own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape

from tokenlab.show.frames import Html

_TOKEN = re.compile(r"<(/?)(\w+)([^<>]*)>|([^<]+|<)")
_BAR = re.compile(r"width:(\d+)%")
_LABEL = re.compile(r"""aria-label=(?:"([^"]*)"|'([^']*)'|([^\s>]+))""")
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
