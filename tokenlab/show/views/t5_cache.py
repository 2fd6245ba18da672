"""Decoding with a cache: the keys grow by one row a step, and next to nothing is computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.show.frames import Fact, Frame, Html, Option, Panel, Question, Window, bar, chip, text, view
from tokenlab.steps import Recording
from tokenlab.transformers.t5_steps import Cached
from tokenlab.visible import visible

SHOWN = 12  # rows of keys
OF_THE_SOURCE = "keys and values of the source, each"


@view("tokenlab.transformers.t5_caching.decode_with_cache")
def growing_cache(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame before the first step, and one after each."""
    asked = _questions(recording)
    for number in range(window.first, window.end + 1):
        done: Sequence[Cached] = recording.steps[:number]
        yield Frame(
            moment=f"Step {number}" if done else "Before the first step",
            caption=_caption(done[-1]) if done else "The encoder has read its text. The cache is empty.",
            remark=_remark(done[-1]) if done else "",
            panels=tuple(_panels(recording, done)),
            question=asked.get(number),
        )


def _caption(step: Cached) -> Html:
    return f"One token is read, {chip(step.read)}, and {chip(step.written, 'new')} is the most probable next one."


def _remark(step: Cached) -> Html:
    if step.same:
        return "A run without the cache, over all that was read, gives the same scores up to rounding."
    return "A run without the cache gives other scores!"


def _panels(recording: Recording[Any, Any], done: Sequence[Cached]) -> Iterator[Panel]:
    if not done:
        return
    layer = recording.arguments["layer"]
    title = f"The cache, a row for each token that was read: keys of layer {layer}, the first numbers of one head"
    yield Panel(title, tuple(_row(step, step is done[-1]) for step in done[-SHOWN:]), kind="lines", wide=True)
    step = done[-1]
    made = {"queries": step.queries, "keys": 1, "values": 1, OF_THE_SOURCE: step.source_made}
    anew = {"queries": step.keys, "keys": step.keys, "values": step.keys, OF_THE_SOURCE: step.source}
    most = max([*made.values(), *anew.values()])
    for title, rows in (("Rows that this step made", made), ("Without a cache it would make", anew)):
        yield Panel(title, tuple(bar(name, count / most, count) for name, count in rows.items()), kind="bars")


def _row(step: Cached, new: bool) -> Html:
    mark = " class=new" if new else ""
    numbers = (
        f"<b{mark} style=grid-column:{2 * place + 2}/{2 * place + 4}>{number:+.2f}</b>"
        for place, number in enumerate(step.row)
    )
    return f"<li class=tl-ruler><span>{step.place} {text(visible(step.read))}</span> {' '.join(numbers)}"


def _questions(recording: Recording[Any, Any]) -> dict[int, Question]:
    """By the number of steps that are done; each about what the next one makes or finds."""
    asks = {1: _of_the_source, 2: _of_queries, 3: _of_distance, 9: _of_distance}
    return {number: ask(recording[number]) for number, ask in asks.items() if number < len(recording)}


def _of_the_source(step: Cached) -> Question:
    """Nothing, or all of them anew (41)?"""
    facts: tuple[Fact, ...] = (("source made", step.place, step.source_made), ("source", step.place, step.source))
    why = f"The text has not changed since the first step: {step.source_made} rows are made, and {step.source} found."
    options = (
        Option(f"{step.source_made}", why, right=True, facts=facts),
        Option(f"{step.source}", f"That would be right, and work for nothing. {why}", belief=41, facts=facts),
    )
    return Question("The encoder's output: how many rows of its keys will the next step make?", options).shuffled()


def _of_queries(step: Cached) -> Question:
    """One, or one for each token (41)?"""
    facts: tuple[Fact, ...] = (("queries", step.place, step.queries), ("keys", step.place, step.keys))
    why = f"Only the new token asks: {step.queries} row of queries looks at {step.keys} keys. Old queries are gone."
    options = (
        Option(f"{step.queries}", why, right=True, facts=facts),
        Option(f"{step.keys}", f"So many rows of keys are there. {why}", belief=41, facts=facts),
    )
    return Question("How many rows of queries will the next step make?", options).shuffled()


def _of_distance(step: Cached) -> Question:
    """The new token has a place in the text, although it comes alone (41)."""
    facts: tuple[Fact, ...] = (("keys", step.place, step.keys),)
    why = f"It is the last of {step.keys}, so the first key is {step.place} places before it, and gets that bias."
    options = (
        Option(f"{step.place}", why, right=True, facts=facts),
        Option("0", f"It is the only one that is read, but not the first. {why}", belief=41, facts=facts),
    )
    return Question("For the bias: how far before the next query is the first key?", options).shuffled()
