"""Rows and sentences of panels and captions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tokenlab.show.frames import Html, chip, text
from tokenlab.steps.sentence_parts import Part, SymbolPart, as_text


def unbroken(cell: Html) -> Html:
    """Return a cell that no line break divides, such as a chip and its id."""
    return f"<span>{cell}</span>"


def labelled(name: Html, content: Html, style: str = "") -> Html:
    """A row of words: a name and its content."""
    return f"<li><span>{name}</span> <div{style and f' style={style}'}>{content}</div>"


def as_html(parts: Iterable[Part]) -> Html:
    """Return the parts of a sentence as HTML: symbols as chips, all else as escaped text.

    >>> as_html(["<s> and ", SymbolPart("<b>", "new")])
    '&lt;s&gt; and <b class=new>&lt;b&gt;</b>'
    """
    return "".join(
        chip(part.symbol, part.mark) if isinstance(part, SymbolPart) else text(as_text([part])) for part in parts
    )


def sentence(said: Any) -> Html:
    """A step's sentence, or a text, as HTML: capitalized and with a full stop.

    >>> sentence("a < b")
    'A &lt; b.'
    """
    html = as_html(said.sentence() if hasattr(said, "sentence") else [str(said)])
    return f"{html[0].upper()}{html[1:]}."
