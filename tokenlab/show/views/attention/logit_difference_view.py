"""The difference of two logits as a sum: one row for each sublayer, with a bar towards one of the two tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.show.frames import Frame, Html, Panel, StepRange, chip, sentence, text
from tokenlab.show.views.elements import token_tables as tables
from tokenlab.show.views.elements.numbers import format_negative
from tokenlab.steps.recording import Recording
from tokenlab.traces.t5.map_steps import LogitPartAdded


def logit_difference_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame before the first block and after each block."""
    first, second = (chip(token) for token in recording.arguments["tokens"])
    longest = max((abs(step.part) for step in recording), default=1.0) or 1.0
    for number in window.positions:
        done: Sequence[LogitPartAdded] = recording.steps[:number]
        if not done:
            said = (
                f"The difference is the logit of {first} minus the logit of {second}. "
                "The embedding and each sublayer add a part to the difference."
            )
            yield Frame("Before the first part", said)
            continue
        towards = first if done[-1].part > 0 else second
        yield Frame(
            moment=done[-1].place,
            caption=f"{sentence(done[-1])} This part favours {towards}.",
            panels=(_parts(done, longest),),
        )


def _signed(number: float) -> Html:
    return ("+" if number > 0 else "") + text(format_negative(number))


def _parts(done: Sequence[LogitPartAdded], longest: float) -> Panel:
    rows = [tables.header_row("sublayer", "part", "sum so far")]
    for step in done:
        colour = tables.GREEN if step.part > 0 else tables.BLUE
        part = tables.bar(abs(step.part) / longest, _signed(step.part), colour, 50)
        rows.append(tables.row(text(step.place), part, f"<td>{_signed(step.total)}"))
    return tables.table("Parts of the difference of the logits", rows, "40rem")
