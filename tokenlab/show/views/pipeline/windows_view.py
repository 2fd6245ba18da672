"""Views of truncation: the overlapping windows of a sequence, and the lengths that two sequences keep."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenlab.printing.printable import count_noun
from tokenlab.show.frames import Frame, Html, Panel, StepRange, bar, labelled, sentence, text
from tokenlab.steps.recording import Recording

WIDEST = 60  # tokens of a row
WINDOWS = 20  # windows that are shown


def windows_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show a frame for the sequence, and one after each window."""
    for number, done, _ in window.steps_around(recording):
        yield Frame(
            moment=f"Window {number}" if done else "The sequence",
            caption=sentence(done) if done else _about(recording),
            remark="" if done is None else "It is the result of truncation." if number == 1 else "It overflows.",
            panels=(Panel("Positions of the tokens", tuple(_rows(recording, number)), kind="words", wide=True),),
        )


def _about(recording: Recording[Any, Any]) -> Html:
    given = recording.arguments
    length, most, stride = (int(given[name]) for name in ("length", "max_length", "stride"))
    tokens = count_noun(length, "token")
    return f"The sequence has {tokens}. A window has at most {most}, and shares {stride} with the previous window."


def _rows(recording: Recording[Any, Any], number: int) -> Iterator[Html]:
    length = int(recording.arguments["length"])
    yield labelled("sequence", _positions(0, length, range(0)))
    for place in range(max(0, number - WINDOWS), number):
        step = recording[place]
        left = recording.arguments["direction"] != "left"
        shared = range(step.start, step.start + step.repeated) if left else range(step.stop - step.repeated, step.stop)
        yield labelled(f"window {place + 1}", _positions(step.start, step.stop, shared))


def _positions(start: int, stop: int, shared: range) -> Html:
    shown = range(start, min(stop, start + WIDEST))
    chips = " ".join(f"<b{' class=new' if place in shared else ''}>{place}</b>" for place in shown)
    return chips + (" …" if stop > start + WIDEST else "") or "<small>no token</small>"


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
