"""View of a template: the tokens, type ids and special-tokens mask after each piece."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.algorithms.pipeline.template import PieceAdded
from tokenlab.show.frames import Frame, Html, Panel, StepRange, chip, labelled, sentence, text
from tokenlab.show.views.elements.token_tables import header_row, number, row, table
from tokenlab.steps.recording import Recording

ROWS = 60  # tokens of the table


def template_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show a frame for the template, and one after each piece."""
    for count, done, _ in window.steps_around(recording):
        yield Frame(
            moment=f"After piece {count}" if done else "The template",
            caption=sentence(done or "the pieces of the template are added from left to right"),
            panels=(
                Panel("The template", tuple(_pieces(recording, count)), kind="words", wide=True),
                _result(recording.steps[:count]),
            ),
        )


def _pieces(recording: Recording[Any, Any], count: int) -> Iterator[Html]:
    chips = [
        f"<b{' class=new' if place < count else ''}>{text(step.piece)}, type id {text(step.type_id)}</b>"
        for place, step in enumerate(recording)
    ]
    yield labelled("pieces", " ".join(chips) or "<small>none</small>")
    for name in ("first", "second"):
        tokens = recording.arguments[name]
        if tokens is not None:
            yield labelled(f"{name} sequence", " ".join(map(chip, tokens[:ROWS])) or "<small>no token</small>")


def _result(steps: Sequence[PieceAdded]) -> Panel:
    rows = [
        row(chip(token), number(str(step.type_id)), number(str(int(step.is_special))))
        for step in steps
        for token in step.tokens
    ]
    head = header_row("token", "type id", "special-tokens mask", numbers=2)
    return table("The result so far", [head, *rows[:ROWS]], width="24rem")
