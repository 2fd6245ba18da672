"""View of the decisions of an Auto class: what was read from which file, and which class follows from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenlab.libraries.transformers.models.auto.decision_steps import (
    ChoseClass,
    ChoseConfig,
    Decision,
    LookedUp,
    ReadFile,
    TriedName,
    UsedArgument,
)
from tokenlab.misconceptions.auto_classes import always_base_model, name_as_written
from tokenlab.show.frames import OTHER, Frame, Html, Panel, Question, StepRange, chip, labelled, said, sentence, text
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording
from tokenlab.traces.tokenization.trace_tokenizer_choice import Refused

KINDS: dict[type, str] = {  # what each decision is about
    UsedArgument: "argument",
    ReadFile: "file",
    ChoseConfig: "configuration",
    TriedName: "name",
    LookedUp: "mapping",
    ChoseClass: "class",
    Refused: "error",
}


def decisions_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show a frame for the call, and one after each decision."""
    for number, done, _ in window.steps_around(recording):
        made = recording.steps[:number]
        yield Frame(
            moment=f"Decision {number} of {len(recording)}" if done else "The call",
            caption=sentence(done) if done else _about(recording),
            remark="The class itself reads the other files." if isinstance(done, ChoseClass) else "",
            panels=(
                Panel("Decisions", tuple(_rows(made)), kind="words", wide=True),
                Panel("Keys that were read", tuple(_keys(made)), kind="words", wide=True),
            ),
            question=_question(recording, number),
        )


def _about(recording: Recording[Any, Any]) -> Html:
    """Say what is called, with the arguments that can decide."""
    given = recording.arguments | dict(recording.arguments.get("kwargs") or {})
    deciding = {key: given[key] for key in ("use_fast", "tokenizer_type") if given.get(key) is not None}
    arguments = ", ".join(f"{key}={value!r}" for key, value in deciding.items())
    return f"The call will select a class{text(f', with {arguments}' if arguments else '')}. It has read no file yet."


def _rows(made: tuple[Decision | Refused, ...]) -> Iterator[Html]:
    """Yield a row for each decision; the newest is marked."""
    for place, step in enumerate(made, start=1):
        yield labelled(chip(KINDS[type(step)], "new" if place == len(made) else ""), said(step))


def _keys(made: tuple[Decision | Refused, ...]) -> Iterator[Html]:
    for step in made:
        if isinstance(step, ReadFile):
            found = [f"{text(key)}: {chip(str(value))}" for key, value in step.values.items() if value is not None]
            shown = " ".join(found) or "<small>no key that decides</small>"
            yield labelled(text(step.file), shown if step.found else "<small>no such file</small>")


def _question(recording: Recording[Any, Any], number: int) -> Question | None:
    """Return a question before the first name is looked up, or before the mapping of a model class."""
    if number in (0, len(recording)) or any(isinstance(step, TriedName) for step in recording.steps[:number]):
        return None
    last = recording.steps[-1]
    following = recording[number]
    if not isinstance(last, ChoseClass):
        return None
    if isinstance(following, TriedName):
        return _fast_or_slow(recording, following, last)
    if isinstance(following, LookedUp) and following.mapping != "AutoTokenizer":
        return _which_head(following, last)
    return None


def _fast_or_slow(recording: Recording[Any, Any], step: TriedName, last: ChoseClass) -> Question | None:
    """Ask for the class that a name selects; misconception 95 takes the name as it is."""
    name = step.class_name.removesuffix("Fast") if "Fast is appended" in step.rule else step.class_name
    (written,) = name_as_written(name, True)
    fast = "The fast class exists, so it is loaded."
    why = fast if last.class_name != name else "There is no class with Fast at the end of this name."
    options = recording.arguments | dict(recording.arguments.get("kwargs") or {})
    given = (f"A file contains the name {chip(name)}", f"use_fast={text(options.get('use_fast', True))}")
    return ask(
        f"{given[0]}. Which class does AutoTokenizer load with {given[1]}?",
        (chip(last.class_name), why),
        (95, chip(written), "With use_fast=True, the name with Fast comes first."),
        (OTHER, chip("PreTrainedTokenizerFast"), "This class has no model of its own."),
        given=given,
    )


def _which_head(step: LookedUp, last: ChoseClass) -> Question | None:
    """Ask for the model class of an Auto class; misconception 52 expects the same model from all of them."""
    if step.class_name != "T5Config":
        return None
    why = f"The mapping of {text(step.mapping)} has this class. The Auto class selects the head."
    other = "T5ForConditionalGeneration" if last.class_name == "T5Model" else always_base_model(step.mapping)
    given = (f"{chip(step.mapping)} loads a T5",)
    return ask(
        f"{given[0]}. Which class is it?",
        (chip(last.class_name), why),
        (52, chip(other), ""),
        (OTHER, chip("T5EncoderModel"), "This class has no decoder."),
        given=given,
    )
