"""One sentence in three ways: the tokens as chips, and how many there are as bars."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenlab.algorithms.three_ways import Cut, cut_three_ways
from tokenlab.show.frames import Frame, Panel, Window, bar, chip, text, view
from tokenlab.steps import Recording


@view(cut_three_ways)
def three_ways(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame for the sentence, and one after each way to cut it."""
    for number in range(window.first, window.end + 1):
        cuts = recording.steps[:number]
        said = str(cuts[-1]) if cuts else "whole: nothing is cut yet. Step forward"
        yield Frame(
            moment=f"Way {number} of {len(recording)}" if cuts else "The sentence",
            caption=text(f"{said[0].upper()}{said[1:]}."),
            panels=(_tokens(recording, cuts), *_lengths(cuts)),
        )


def _tokens(recording: Recording[Any, Any], cuts: tuple[Cut, ...]) -> Panel:
    rows = [
        f"<li><span>{text(cut.kind)}</span> <div>{' '.join(_token(cut, token) for token in cut.tokens)}</div>"
        for cut in cuts
    ]
    sentence = f"<li><span>sentence</span> <div>{text(recording.arguments['sentence'])}</div>"
    return Panel("The same sentence", (sentence, *rows), kind="words", wide=True)


def _token(cut: Cut, token: Any) -> str:
    return chip(token, "unknown" if token in cut.unknown else "")


def _lengths(cuts: tuple[Cut, ...]) -> Iterator[Panel]:
    if cuts:
        longest = max([1, *(len(cut.tokens) for cut in cuts)])
        rows = tuple(bar(text(cut.kind), len(cut.tokens) / longest, len(cut.tokens)) for cut in cuts)
        yield Panel("How many tokens", rows, kind="bars", wide=True)
