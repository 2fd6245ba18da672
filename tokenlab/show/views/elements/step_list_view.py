"""The default view of a recording: a list of the sentences of its steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenlab.show.frames import Frame, Panel, StepRange, said
from tokenlab.steps.recording import Recording

SHOWN = 10  # sentences at a time


def step_list_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame for the start, and one for each step with the list of steps so far."""
    yield Frame(
        "Before the first step" if window.first == 0 else f"After step {window.first}", "Step forward to begin."
    )
    for number in range(window.first, window.end):
        seen = range(max(window.first, number + 1 - SHOWN), number + 1)
        rows = tuple(f"<li value={i + 1}>{said(recording[i])}" for i in seen)
        yield Frame(f"After step {number + 1}", said(recording[number]), panels=(Panel("Steps so far", rows),))
