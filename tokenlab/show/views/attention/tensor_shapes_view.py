"""The tensor shapes of one forward pass of a T5: a bar per stage, proportional to the number of elements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.show.frames import OTHER, Frame, Html, Panel, Question, StepRange, bar, sentence, text
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording
from tokenlab.traces.t5.trace_shapes import (
    LayerOutputShape,
    Shape,
    format_shape,
    num_elements,
)

SHOWN = 14  # stages at a time


def tensor_shapes_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame before the first stage and after each stage."""
    asked = _questions(recording)
    for number in window.positions:
        done: Sequence[LayerOutputShape] = recording.steps[:number]
        yield Frame(*_moment(done), tuple(_panels(done)), asked.get(number))


def _moment(done: Sequence[LayerOutputShape]) -> tuple[str, Html, Html]:
    """Return the moment, the caption and the remark."""
    if not done:
        opening = "The input is ids; the output is a logit for each id of the vocabulary."
        return "Before the first stage", opening, ""
    stage = done[-1]
    own = f"{stage.parameters:,} parameters of its own" if stage.parameters else "No parameters of its own"
    so_far = sum(stage.parameters for stage in done)
    return f"{stage.part.capitalize()}, {stage.name}", sentence(stage), f"{own}; {so_far:,} so far."


def _panels(done: Sequence[LayerOutputShape]) -> Iterator[Panel]:
    if done:
        rows = [(f"{stage.part}: {stage.name}", stage.shape) for stage in done[-SHOWN:]]
        yield Panel("Output of each stage, by number of elements", _bars(rows), kind="bars", wide=True)
        if done[-1].inner_shapes:
            inner = done[-1].inner_shapes
            rows = [(f"{name} ({', '.join(axis for axis, _ in shape)})", shape) for name, shape in inner]
            yield Panel("Intermediate tensors of this block", _bars(rows), kind="bars", wide=True)


def _bars(rows: Sequence[tuple[str, Shape]]) -> tuple[Html, ...]:
    most = max(num_elements(shape) for _, shape in rows)
    sizes = {label: " × ".join(f"{size:,}" for size in format_shape(shape)) for label, shape in rows}
    return tuple(bar(text(label), num_elements(shape) / most, sizes[label]) for label, shape in rows)


def _questions(recording: Recording[Any, Any]) -> dict[int, Question | None]:
    """Return the questions by the number of finished stages: the decoder's input, and the number of bias tables."""
    places = {f"{stage.part} {stage.name}": number for number, stage in enumerate(recording)}
    return {
        places["decoder ids"]: _what_the_decoder_reads(recording.arguments["target_length"]),
        len(recording) - 1: _how_many_tables(recording),
    }


def _what_the_decoder_reads(labels: int) -> Question | None:
    """Ask for the length of the decoder's input: is the last label dropped, or is the start added (39)?"""
    why = f"The model adds the start id and drops the last of the {labels} labels, so the decoder reads {labels} ids."
    return ask(
        f"There are {labels:,} labels. How many ids does the decoder read?",
        (f"{labels:,}", why),
        (39, f"{labels + 1:,}", "Nothing is predicted after the last label."),
        (OTHER, f"{labels - 1:,}", "The start id is added."),
        given=(f"{labels:,} labels",),
        facts=(("labels", None, labels), ("read", None, labels)),
    )


def _how_many_tables(recording: Recording[Any, Any]) -> Question | None:
    """Ask for the number of bias tables: one for each stack, or one for each block or attention (37)?"""
    blocks = [stage for stage in recording if stage.inner_shapes]
    tables = sum(name == "bias" for stage in blocks for name, _ in stage.inner_shapes)
    why = f"Only the first block of each stack stores a table. Of {len(blocks)} blocks, these are {tables}."
    sizes = Counter(stage.part for stage in blocks)
    stacks = f"{sizes['encoder']} encoder blocks and {sizes['decoder']} decoder blocks"
    return ask(
        f"This model has {stacks}. How many tables of position biases does it store?",
        (str(tables), why),
        (37, str(tables + 1), "Positions in two texts have no distance, so cross-attention has no table."),
        (37, str(len(blocks)), "Each block adds biases, but from the table of the first block."),
        given=(stacks,),
        facts=(("blocks", None, len(blocks)), ("tables", None, tables)),
    )
