"""Recordings whose every step is one more way to cut the same text: a row of chips each, one beneath the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.algorithms.three_ways import Cut, cut_three_ways
from tokenlab.misconceptions.cuts import CutBy, cut_in_several_ways
from tokenlab.show.frames import Frame, Html, Panel, Window, bar, chip, text, view
from tokenlab.steps import Recording

LONGEST = 300  # tokens in a row


@view(cut_three_ways, cut_in_several_ways)
def cuts(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame for the whole text, and one after each way to cut it."""
    whole = recording.arguments.get("sentence") or recording.arguments.get("word")
    for number in range(window.first, window.end + 1):
        done: Sequence[Any] = recording.steps[:number]
        said = str(done[-1]) if done else "nothing is cut yet. Step forward"
        rows = (_row("whole", text(whole)), *(_row(_name(cut), _tokens(cut)) for cut in done))
        yield Frame(
            moment=f"Way {number} of {len(recording)}" if done else "The whole",
            caption=text(f"{said[0].upper()}{said[1:]}."),
            panels=(Panel("The same text", rows, kind="words", wide=True), *_lengths(done)),
        )


def _name(cut: Cut | CutBy) -> str:
    return cut.kind if isinstance(cut, Cut) else cut.rule


def _row(name: str, content: Html) -> Html:
    return f"<li><span>{text(name)}</span> <div>{content}</div>"


def _tokens(cut: Cut | CutBy) -> Html:
    marked = [chip(token, "unknown" if token in cut.unknown else "") for token in cut.tokens[:LONGEST]]
    more = f" … and {len(cut.tokens) - LONGEST:,} more" if len(cut.tokens) > LONGEST else ""
    return " ".join(marked) + more


def _lengths(done: Sequence[Cut | CutBy]) -> Iterator[Panel]:
    if done:
        longest = max([1, *(len(cut.tokens) for cut in done)])
        rows = tuple(bar(text(_name(cut)), len(cut.tokens) / longest, len(cut.tokens)) for cut in done)
        yield Panel("How many tokens", rows, kind="bars", wide=True)
