"""Where the decoder looks while it writes: a row of weights for each token, which grow into a map."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.show.frames import Frame, Html, Panel, Window, chip, text, view
from tokenlab.show.views.matrices import Named, drawn
from tokenlab.show.views.t5_attention import names
from tokenlab.steps import Recording
from tokenlab.transformers.generation.sampling_steps import Aligned, said

STRONGEST = 3  # source tokens that are named for each token


@view("tokenlab.transformers.generation.aligning.align")
def growing_map(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame before the first token, and one after each."""
    for number in range(window.first, window.end + 1):
        done: Sequence[Aligned] = recording.steps[:number]
        yield Frame(
            moment=f"Token {number}" if done else "Before the first token",
            caption=_caption(done[-1]) if done else _opening(recording),
            remark=_whose(recording) if done else "Each weight is a share: a row sums to one.",
            panels=tuple(_panels(done)),
        )


def _opening(recording: Recording[Any, Any]) -> Html:
    if not len(recording):
        return "Nothing is written."
    return (
        f"The encoder has read {len(recording[0].source)} tokens. For each token that is written, where does it look?"
    )


def _caption(step: Aligned) -> Html:
    place = step.strongest
    looked = chip(names(step.source, "token", len(step.source))[place])
    return f"To write {chip(step.token, 'new')}, the decoder looks at {looked} most: {said(step.weights[place])}."


def _whose(recording: Recording[Any, Any]) -> Html:
    given = recording.arguments
    head = "the mean of all heads" if given["head"] is None else f"head {given['head']}"
    return f"This is {head} of {text(given['place'] or 'the last layer')}."


def _panels(done: Sequence[Aligned]) -> Iterator[Panel]:
    if not done:
        return
    source = done[0].source
    asked = names(source, "token", len(source))
    rows = names([step.token for step in done], "token", len(done))
    matrix = Named("written, by what was read", [step.weights for step in done], rows, asked, weights=True)
    yield Panel(
        "The share of its attention that each written token has for each token of the source", drawn(matrix), wide=True
    )
    yield Panel(
        "Where each looked most",
        tuple(_strongest(step, name, asked) for step, name in zip(done, rows, strict=True)),
        "words",
        more=True,
    )


def _strongest(step: Aligned, name: str, asked: Sequence[str]) -> Html:
    best = sorted(range(len(asked)), key=lambda place: (-step.weights[place], place))[:STRONGEST]
    looks = " ".join(f"{chip(asked[place])} {said(step.weights[place])}" for place in best)
    return f"<li><span>{chip(name)}</span> <div>{looks}</div>"
