"""Three training objectives on the same text: what is read, what is predicted, and how much of the text has a loss."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.algorithms.training_data.training_signal import CAUSAL, ObjectiveApplied
from tokenlab.show.frames import Frame, Html, Panel, Question, StepRange, bar, chip, labelled, sentence, text
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording

SHOWN = 60  # tokens of a line


def training_signal_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame for the text, and one after each objective."""
    asked = _question(recording)
    for number, done, _ in window.steps_around(recording):
        yield Frame(
            moment=done.name.capitalize() if done else "The text",
            caption=sentence(done) if done else f"A text of {len(recording.arguments['tokens'])} tokens.",
            remark=_remark(done),
            panels=tuple(_panels(recording, recording.steps[:number])),
            question=asked.get(number),
        )


def _remark(done: ObjectiveApplied | None) -> Html:
    if done is None:
        return "Which of its tokens have a loss?"
    if done.name == CAUSAL:
        return "Each position predicts the next token, and attends to nothing after it."
    return "The other tokens are read, but not predicted."


def _panels(recording: Recording[Any, Any], done: Sequence[ObjectiveApplied]) -> Iterator[Panel]:
    tokens = recording.arguments["tokens"]
    title = "The text; tokens with a loss are green" if done else "The text"
    rows = tuple(labelled(text(step.name), _line(tokens, step.places)) for step in done)
    yield Panel(title, rows or (f"<li>{_line(tokens, ())}",), "words" if rows else "lines", wide=True)
    if not done:
        return
    bars = tuple(
        bar(text(step.name), len(step.places) / len(tokens), f"{len(step.places)} of {len(tokens)}") for step in done
    )
    yield Panel("Tokens of the text that are predicted", bars, kind="bars")
    sides = {"encoder reads": done[-1].source, "decoder reads": done[-1].target, "labels": done[-1].labels}
    lines = tuple(labelled(name, _chips(side)) for name, side in sides.items() if side)
    yield Panel("The last objective in full", lines, "words", wide=True)


def _line(tokens: Sequence[str], places: Sequence[int]) -> Html:
    chips = [chip(token, "new" if place in places else "") for place, token in enumerate(tokens[:SHOWN])]
    return " ".join(chips) + _rest(tokens)


def _chips(tokens: Sequence[str]) -> Html:
    return " ".join(map(chip, tokens[:SHOWN])) + _rest(tokens)


def _rest(tokens: Sequence[str]) -> Html:
    return f" … and {len(tokens) - SHOWN:,} more" if len(tokens) > SHOWN else ""


def _question(recording: Recording[Any, Any]) -> dict[int, Question | None]:
    """Ask how many losses one pass over a text gives: all but the first token (165, 166)."""
    number = next((number for number, step in enumerate(recording) if step.name == CAUSAL), 0)
    length = len(recording.arguments["tokens"])
    if not number or length < 3:
        return {}
    right = len(recording[number].labels)
    why = f"Each of the {length} tokens except the first is predicted from all tokens before it, in one pass."
    question = ask(
        f"Next, a decoder-only model is trained on the same {length} tokens. How many losses does one pass give?",
        (f"{right}", why),
        (165, "1", "Every position predicts, and not only the last one."),
        (166, f"{length}", "The first token has nothing before it."),
        given=(f"{length} tokens",),
        facts=(("tokens", None, length), ("losses", None, right)),
    )
    return {number: question}
