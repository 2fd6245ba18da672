"""View of padding: the common length of a batch, and the rows with padding on the left or right."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenlab.algorithms.pipeline.pad import LengthChosen, RowPadded
from tokenlab.printing.printable import count_noun
from tokenlab.show.frames import Frame, Html, Panel, StepRange, chip, chips, labelled, sentence, text
from tokenlab.steps.recording import Recording

WIDEST = 60  # tokens of a row
ROWS = 20  # rows of the batch


def padding_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show a frame for the batch, one after each rule for the length, and one after each row."""
    for number, done, _ in window.steps_around(recording):
        yield Frame(
            moment=_moment(done),
            caption=sentence(done or f"the batch has {count_noun(len(recording.arguments['rows']), 'row')} of tokens"),
            remark=f"Marked tokens are padding, on the {text(recording.arguments['direction'])}. "
            "The attention mask is 0 for padding, and 1 for all other tokens.",
            panels=(Panel("The batch", tuple(_rows(recording, number)), kind="words", wide=True),),
        )


def _moment(done: Any) -> str:
    match done:
        case LengthChosen():
            return "The length"
        case RowPadded():
            return f"Row {done.row + 1}"
    return "The batch"


def _rows(recording: Recording[Any, Any], number: int) -> Iterator[Html]:
    padded = {step.row: step for step in recording[:number] if isinstance(step, RowPadded)}
    rows = recording.arguments["rows"]
    for place, row in enumerate(rows[:ROWS]):
        length = len(padded[place].tokens) if place in padded else len(row)
        tokens = _padded(recording, padded[place]) if place in padded else chips(map(str, row[:WIDEST]))
        more = f" <small>and {length - WIDEST:,} more</small>" if length > WIDEST else ""
        name = f"row {place + 1} <small>{count_noun(length, 'token')}</small>"
        yield labelled(name, tokens + more or "<small>no token</small>")
    if len(rows) > ROWS:
        yield labelled("…", f"{len(rows) - ROWS:,} more rows")


def _padded(recording: Recording[Any, Any], step: RowPadded) -> Html:
    left, kept = recording.arguments["direction"] == "left", len(step.tokens) - step.missing
    padding = range(step.missing) if left else range(kept, len(step.tokens))
    shown = enumerate(step.tokens[:WIDEST])
    return " ".join(chip(str(token), "new" if place in padding else "") for place, token in shown)
