"""How long a text may be so that its corrupted input is full, and how short its target then is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenlab.algorithms.span_corruption import Tried, lengths_for
from tokenlab.show.frames import Fact, Frame, Html, Option, Panel, Question, Window, bar, text, view
from tokenlab.steps import Recording


@view(lengths_for)
def lengths(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame for the input that is to be filled, and one for each text that is tried."""
    places = recording.arguments["inputs_length"]
    for number in range(window.first, window.end + 1):
        done = recording[number - 1] if number else None
        yield Frame(
            moment=f"A text of {done.tokens:,}" if done else "Before the first text",
            caption=_made(done) if done else f"The model reads {places:,} tokens at once.",
            remark=_room(done, places) if done else "How much text fills them, once its noise is taken out?",
            panels=tuple(_panels(recording, done)) if done else (),
            question=_question(recording) if number == 1 and len(recording) > 2 else None,
        )


def _made(done: Tried) -> Html:
    spans = f"{done.spans:,} span{'' if done.spans == 1 else 's'}"
    return f"Noise: {done.noise:,} in {spans}. The input is {done.inputs:,} long, and the target {done.targets:,}."


def _room(done: Tried, places: int) -> Html:
    if done.inputs > places:
        return f"Too long: the input has {places:,} places."
    left = places - done.inputs
    return f"The input has {left:,} place{'' if left == 1 else 's'} left." if left else "The input is full."


def _panels(recording: Recording[Any, Any], done: Tried) -> Iterator[Panel]:
    lengths = {"text": done.tokens, "input": done.inputs, "target": done.targets}
    places = recording.arguments["inputs_length"]
    longest = max(places, *(max(step.tokens, step.inputs, step.targets) for step in recording))
    rows = tuple(_bar(name, length, places, longest) for name, length in lengths.items())
    yield Panel(f"How many tokens each has; the line is at {places:,}", rows, kind="bars", wide=True)
    kept = done.tokens - done.noise
    made = (("input", f"{kept:,} kept", done.inputs), ("target", f"{done.noise:,} noise", done.targets))
    parts = tuple(_row(name, f"{own} + {done.spans:,} sentinels + 1 end = {length:,}") for name, own, length in made)
    yield Panel("What they are made of", parts, kind="words", wide=True)


def _bar(name: str, length: int, places: int, longest: int) -> Html:
    """A bar, and across it a line where the places end."""
    line = f"position:absolute;top:-1px;bottom:-1px;left:{places / longest:.1%};border-left:2px solid #d55e00"
    return bar(name, length / longest, f"{length:,}").replace(
        "<td><i ", f"<td style=position:relative><span style='{line}'></span><i ", 1
    )


def _row(name: str, content: str) -> Html:
    return f"<li><span>{name}</span> <div>{text(content)}</div>"


def _question(recording: Recording[Any, Any]) -> Question:
    """What fits; or as much as with a sentinel for each token (68), all of it asked again (71), or no end (70)."""
    places, density = (recording.arguments[name] for name in ("inputs_length", "noise_density"))
    best = next(step for step in recording if (step.tokens, step.targets) == recording.result)
    facts: tuple[Fact, ...] = (("noise tokens", best.tokens, best.noise), ("spans", best.tokens, best.spans))
    why = (
        f"{best.tokens:,} tokens have {best.noise:,} of noise in {best.spans:,} spans. A span leaves one sentinel in "
        "the input, and the target has the noise, a sentinel for each run that was kept, and the end."
    )
    as_long = places - 1  # with a sentinel for each token, an input is as long as its text and the end
    guesses = (
        (68, as_long, 2 * round(as_long * density) + 1, "A span leaves one sentinel, however long it is."),
        (70, best.tokens, best.targets - 1, "The target ends in the end, too."),
        (71, best.tokens, best.tokens + 1, "What the model reads is not asked for again."),
    )
    options = {recording.result: Option(_said(*recording.result), why, right=True, facts=facts)}
    for belief, tokens, target, reply in guesses:
        options.setdefault(
            (tokens, target), Option(_said(tokens, target), f"{reply} {why}", belief=belief, facts=facts)
        )
    prompt = f"Which text fills the {places:,} places, and how long is its target then?"
    return Question(prompt, tuple(options.values())).shuffled()


def _said(tokens: int, target: int) -> Html:
    return f"{tokens:,} tokens, and a target of {target:,}"
