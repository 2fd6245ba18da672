"""Texts in panels: as code, and with marked parts as chips."""

from __future__ import annotations

from collections.abc import Sequence

from tokenlab.printing.printable import printable
from tokenlab.show.frames import Html, Mark, chip, labelled, text

LONGEST = 240  # maximum number of characters of a text, or of pieces
NOTHING = "<b class=unknown>∅</b>"


def text_row(name: str, content: Html) -> Html:
    """Return a row with a text."""
    return labelled(text(name), content, "align-items:baseline")


def code(shown: str) -> Html:
    """Return a text as code."""
    if not shown:
        return "<small>nothing</small>"
    return f"<code>{text(printable(shown[:LONGEST]))}</code>{' …' if len(shown) > LONGEST else ''}"


def code_with_chips(whole: str, parts: Sequence[tuple[int, str, str, Mark]]) -> Html:
    """Show parts of a text as chips; a part has its start, its text, the text of the chip, and a mark."""
    cells, done = [], 0
    for start, old, shown, mark in parts:
        if start > LONGEST:
            break
        cells += [code(whole[done:start])] if start > done else []
        cells.append(chip(shown, mark) if shown else NOTHING)
        done = start + len(old)
    return " ".join([*cells, code(whole[done:])] if done < len(whole) else cells) or code("")
