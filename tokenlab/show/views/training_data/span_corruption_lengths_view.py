"""The text length whose corrupted input fills the model's input length, and the length of its target."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenlab.algorithms.training_data.span_corruption import LengthTried
from tokenlab.printing.printable import count_noun
from tokenlab.show.frames import Frame, Html, Panel, Question, StepRange, bar, labelled, sentence
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording


def span_corruption_lengths_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame for the input length, and one for each text length that is tried."""
    places = recording.arguments["inputs_length"]
    for number, done, _ in window.steps_around(recording):
        yield Frame(
            moment=f"A text of {done.tokens:,}" if done else "Before the first text",
            caption=sentence(done) if done else f"The input of the model has {places:,} positions.",
            remark=_room(done, places) if done else "How long is the text whose corrupted input fills them?",
            panels=tuple(_panels(recording, done)) if done else (),
            question=_question(recording) if number == 1 and len(recording) > 2 else None,
        )


def _room(done: LengthTried, places: int) -> Html:
    if done.inputs > places:
        return f"Too long: the input has {places:,} positions."
    left = places - done.inputs
    return f"The input has {count_noun(left, 'position')} left." if left else "The input is full."


def _panels(recording: Recording[Any, Any], done: LengthTried) -> Iterator[Panel]:
    lengths = {"text": done.tokens, "input": done.inputs, "target": done.targets}
    places = recording.arguments["inputs_length"]
    longest = max(places, *(max(step.tokens, step.inputs, step.targets) for step in recording))
    rows = tuple(_bar(name, length, places, longest) for name, length in lengths.items())
    yield Panel(f"Lengths in tokens; the line is at {places:,}", rows, kind="bars", wide=True)
    kept = done.tokens - done.noise
    made = (("input", f"{kept:,} kept", done.inputs), ("target", f"{done.noise:,} noise", done.targets))
    parts = tuple(
        labelled(name, f"{own} + {done.spans:,} sentinels + 1 EOS = {length:,}") for name, own, length in made
    )
    yield Panel("The parts of each length", parts, kind="words", wide=True)


def _bar(name: str, length: int, places: int, longest: int) -> Html:
    """Return a bar with a vertical line at the input length."""
    line = f"position:absolute;top:-1px;bottom:-1px;left:{places / longest:.1%};border-left:2px solid #d55e00"
    return bar(name, length / longest, f"{length:,}").replace(
        "<td><i ", f"<td style=position:relative><span style='{line}'></span><i ", 1
    )


def _question(recording: Recording[Any, Any]) -> Question | None:
    """Ask for the result; wrong answers: a sentinel per token (68), no EOS (70), the whole text as target (71)."""
    places, density = (recording.arguments[name] for name in ("inputs_length", "noise_density"))
    best = next(step for step in recording if (step.tokens, step.targets) == recording.result)
    why = (
        f"{best.tokens:,} tokens have {best.noise:,} of noise in {best.spans:,} spans. One sentinel replaces a span in "
        "the input, and the target has the noise, a sentinel for each kept run, and EOS."
    )
    as_long = places - 1  # with a sentinel for each token, an input is as long as its text and EOS
    guesses = (
        (68, as_long, 2 * round(as_long * density) + 1, "One sentinel replaces a span of any length."),
        (70, best.tokens, best.targets - 1, "The target also ends in EOS."),
        (71, best.tokens, best.tokens + 1, "The target does not repeat the input."),
    )
    mean = recording.arguments["mean_span_length"]
    settings = f"{density:.0%} of the tokens are noise, in spans of {mean:g} on average"
    return ask(
        f"{settings}. Which text length fills the {places:,} positions, and how long is its target?",
        (_said(*recording.result), why),
        *((misconception, _said(tokens, target), reply) for misconception, tokens, target, reply in guesses),
        given=(settings, f"{places:,} positions"),
        facts=(("noise tokens", best.tokens, best.noise), ("spans", best.tokens, best.spans)),
    )


def _said(tokens: int, target: int) -> Html:
    return f"{tokens:,} tokens, and a target of {target:,}"
