"""Left padding: a table with the position of each place, and the places of the keys that it attends to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.algorithms.attention.left_padding import KeysSeen
from tokenlab.show.frames import Frame, Html, Panel, StepRange, sentence, text
from tokenlab.show.views.elements import token_tables as tables
from tokenlab.steps.recording import Recording

SHOWN = 16  # rows of the table, and places in a row


def padded_keys_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame for the mask, and one after each place."""
    for number, done, _ in window.steps_around(recording):
        yield Frame(
            moment=f"Place {done.place}" if done else "The mask",
            caption=sentence(done) if done else "The attention mask is 0 for padding and 1 for a token.",
            panels=tuple(_panels(recording.arguments["attention_mask"], recording.steps[:number])),
        )


def _panels(mask: Sequence[int], done: Sequence[KeysSeen]) -> Iterator[Panel]:
    rest = f" … and {len(mask) - SHOWN:,} more" if len(mask) > SHOWN else ""
    yield Panel("The attention mask", (f"<li>{text(' '.join(map(str, mask[:SHOWN])))}{rest}</li>",), "lines")
    if done:
        yield tables.table("The places, and the keys that each attends to", list(_rows(done)), "30rem")


def _rows(done: Sequence[KeysSeen]) -> Iterator[Html]:
    yield tables.header_row("place", "position", "attends to the places", numbers=1)
    for seen in done[-SHOWN:]:
        position = "padding" if seen.position is None else str(seen.position)
        shown = ", ".join(map(str, seen.keys[-SHOWN:])) or "none"
        before = "…, " * (len(seen.keys) > SHOWN)
        yield tables.row(text(seen.place), tables.number(position), tables.bar(0, before + shown))
