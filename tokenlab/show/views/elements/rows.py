"""Rows and sentences of panels and captions."""

from __future__ import annotations

from tokenlab.show.frames import Html, text


def unbroken(cell: Html) -> Html:
    """Return a cell that no line break divides, such as a chip and its id."""
    return f"<span>{cell}</span>"


def labelled(name: Html, content: Html, style: str = "") -> Html:
    """A row of words: a name and its content."""
    return f"<li><span>{name}</span> <div{style and f' style={style}'}>{content}</div>"


def sentence(said: object) -> Html:
    """A step's sentence as escaped text, capitalized and with a full stop.

    >>> sentence("a < b")
    'A &lt; b.'
    """
    words = str(said)
    return text(f"{words[0].upper()}{words[1:]}.")
