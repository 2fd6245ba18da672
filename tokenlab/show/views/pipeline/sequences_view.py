"""Views of whole sequences: the windows and the lengths that truncation keeps, templates, and padding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.algorithms.pipeline.pad import LengthChosen, RowPadded
from tokenlab.algorithms.pipeline.template import PieceAdded
from tokenlab.printing.printable import count_noun
from tokenlab.show.frames import Frame, Html, Panel, StepRange, bar, chip, chips, labelled, sentence, text
from tokenlab.show.views.elements import token_tables
from tokenlab.steps.recording import Recording

WIDEST = 60  # tokens of a row or of a table
WINDOWS, ROWS = 20, 20  # windows, and rows of a batch, that are shown


# --- truncation -----------------------------------------------------------------------------------


def windows_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show a frame for the sequence, and one after each window."""
    for number, done, _ in window.steps_around(recording):
        yield Frame(
            moment=f"Window {number}" if done else "The sequence",
            caption=sentence(done) if done else _settings(recording),
            remark="" if done is None else "It is the result of truncation." if number == 1 else "It overflows.",
            panels=(Panel("Positions of the tokens", tuple(_window_rows(recording, number)), kind="words", wide=True),),
        )


def _settings(recording: Recording[Any, Any]) -> Html:
    given = recording.arguments
    length, most, stride = (int(given[name]) for name in ("length", "max_length", "stride"))
    tokens = count_noun(length, "token")
    return f"The sequence has {tokens}. A window has at most {most}, and shares {stride} with the previous window."


def _window_rows(recording: Recording[Any, Any], number: int) -> Iterator[Html]:
    length = int(recording.arguments["length"])
    yield labelled("sequence", _positions(0, length, range(0)))
    for place in range(max(0, number - WINDOWS), number):
        step = recording[place]
        left = recording.arguments["direction"] != "left"
        shared = range(step.start, step.start + step.repeated) if left else range(step.stop - step.repeated, step.stop)
        yield labelled(f"window {place + 1}", _positions(step.start, step.stop, shared))


def _positions(start: int, stop: int, shared: range) -> Html:
    shown = range(start, min(stop, start + WIDEST))
    cells = " ".join(f"<b{' class=new' if place in shared else ''}>{place}</b>" for place in shown)
    return cells + (" …" if stop > start + WIDEST else "") or "<small>no token</small>"


def kept_lengths_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show a frame for the two lengths, and one after each rule."""
    given = recording.arguments
    longest = max(int(given["first"]), int(given["second"] or 0), 1)
    for _, done, _ in window.steps_around(recording):
        lengths = (done.first, done.second) if done else (given["first"], given["second"] or 0)
        yield Frame(
            moment="After a rule" if done else "The two sequences",
            caption=sentence(done or f"both together may keep {given['max_length']} tokens"),
            remark=f"The strategy is {text(given['strategy'])}.",
            panels=(
                Panel(
                    "Tokens kept",
                    tuple(
                        bar(f"{name} sequence", length / longest, length)
                        for name, length in zip(("first", "second"), lengths, strict=True)
                    ),
                    kind="bars",
                ),
            ),
        )


# --- a template -----------------------------------------------------------------------------------


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
    shown = [
        f"<b{' class=new' if place < count else ''}>{text(step.piece)}, type id {text(step.type_id)}</b>"
        for place, step in enumerate(recording)
    ]
    yield labelled("pieces", " ".join(shown) or "<small>none</small>")
    for name in ("first", "second"):
        tokens = recording.arguments[name]
        if tokens is not None:
            yield labelled(f"{name} sequence", " ".join(map(chip, tokens[:WIDEST])) or "<small>no token</small>")


def _result(steps: Sequence[PieceAdded]) -> Panel:
    rows = [
        token_tables.row(chip(token), *(token_tables.number(str(+cell)) for cell in (step.type_id, step.is_special)))
        for step in steps
        for token in step.tokens
    ]
    head = token_tables.header_row("token", "type id", "special-tokens mask", numbers=2)
    return token_tables.table("The result so far", [head, *rows[:WIDEST]], width="24rem")


# --- padding --------------------------------------------------------------------------------------


def padding_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show a frame for the batch, one after each rule for the length, and one after each row."""
    for number, done, _ in window.steps_around(recording):
        yield Frame(
            moment=_moment(done),
            caption=sentence(done or f"the batch has {count_noun(len(recording.arguments['rows']), 'row')} of tokens"),
            remark=f"Marked tokens are padding, on the {text(recording.arguments['direction'])}. "
            "The attention mask is 0 for padding, and 1 for all other tokens.",
            panels=(Panel("The batch", tuple(_batch_rows(recording, number)), kind="words", wide=True),),
        )


def _moment(done: Any) -> str:
    match done:
        case LengthChosen():
            return "The length"
        case RowPadded():
            return f"Row {done.row + 1}"
    return "The batch"


def _batch_rows(recording: Recording[Any, Any], number: int) -> Iterator[Html]:
    padded = {step.row: step for step in recording[:number] if isinstance(step, RowPadded)}
    rows = recording.arguments["rows"]
    for place, given in enumerate(rows[:ROWS]):
        length = len(padded[place].tokens) if place in padded else len(given)
        tokens = _padded(recording, padded[place]) if place in padded else chips(map(str, given[:WIDEST]))
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
