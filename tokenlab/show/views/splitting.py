"""A text being split: the pieces so far, the rules in the order in which they are tried, and what is left."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenlab.algorithms.split import SPLITTERS
from tokenlab.algorithms.split_by_rules import Piece, split_by_rules
from tokenlab.show.frames import Frame, Html, Panel, Window, chip, text, view
from tokenlab.steps import Recording
from tokenlab.visible import visible

PIECES, LEFT = 40, 200  # pieces and characters that are shown at the most


@view(split_by_rules)
def splitting(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame for the whole text, and one for each piece."""
    rest = recording.arguments["text"]
    rules = SPLITTERS[recording.arguments["pattern"]].rules
    for number in range(window.end + 1):
        done = recording[number - 1] if number else None
        if done:
            rest = rest[len(done.text) :]
        if number >= window.first:
            yield Frame(
                moment=f"After piece {number}" if done else "The whole text",
                caption=_caption(done),
                panels=(
                    Panel("The pieces", _pieces(recording.steps[:number], rest), wide=True),
                    Panel("The rules, tried in this order", _rules(rules, done), kind="words", wide=True),
                ),
            )


def _caption(done: Piece | None) -> Html:
    if done is None:
        return "The rules are tried from the first on; what matches where the text begins is the first piece."
    return f"{chip(done.text, 'new')} was cut by the rule for {text(done.rule)}."


def _pieces(done: tuple[Piece, ...], rest: str) -> tuple[Html, ...]:
    shown = done[-PIECES:]
    cells = [chip(piece.text, "new" if piece is done[-1] else "") for piece in shown]
    before = "… " if len(done) > len(shown) else ""
    left = f"{text(visible(rest[:LEFT]))}{' …' if len(rest) > LEFT else ''}" if rest else "nothing is left"
    return (f"<li>{before}{' '.join(cells)}", f"<li><small>still to split:</small> {left}")


def _rules(rules: dict[str, str], done: Piece | None) -> tuple[Html, ...]:
    return tuple(
        f"<li><span>{'<strong>this one</strong> ' if done and done.rule == name else ''}{text(name)}</span> "
        f"<div><code>{text(rule)}</code></div>"
        for name, rule in rules.items()
    )
