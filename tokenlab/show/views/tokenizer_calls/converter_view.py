"""View of `Converter.converted`: each component of the pipeline, with the lines of the slow tokenizer it replaces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenlab.libraries.transformers.tokenization.converter import ComponentBuilt
from tokenlab.show.frames import Frame, Html, Panel, StepRange, chip, labelled, text
from tokenlab.steps.recording import Recording


def converter_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Show a frame for the slow tokenizer, and one after each component."""
    for number, done, _ in window.steps_around(recording):
        made = recording.steps[:number]
        yield Frame(
            moment=f"Component {number} of {len(recording)}" if done else "The slow tokenizer",
            caption=_caption(done)
            if done
            else "The converter builds a pipeline from the files and settings of the slow tokenizer.",
            panels=(
                Panel(
                    "Components, and the lines of the slow tokenizer they replace",
                    tuple(_rows(made)),
                    "words",
                    wide=True,
                ),
                *([Panel("The component in full", (text(done.component),), more=True, wide=True)] if done else []),
            ),
        )


def _caption(done: ComponentBuilt) -> Html:
    return f"The {text(done.field)} is {chip(_type(done))}."


def _type(done: ComponentBuilt) -> str:
    return done.component.partition("(")[0]


def _rows(made: tuple[ComponentBuilt, ...]) -> Iterator[Html]:
    """Yield a row for each line of slow code; the newest component is marked."""
    for place, step in enumerate(made, start=1):
        name = chip(_type(step), "new" if place == len(made) else "")
        for code in step.replaces:
            function = ".".join(code.function.rsplit(".", 2)[1:])
            yield labelled(name, f"<code>{text(code.line)}</code> <small>{text(function)}</small>")
        if not step.replaces:
            yield labelled(name, "<small>replaces no single line</small>")
