"""A T5 as a ruler of shapes: each stage of one forward pass, as long as the tensor that it hands on has numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.show.frames import Fact, Frame, Html, Option, Panel, Question, Window, bar, text, view
from tokenlab.steps import Recording
from tokenlab.transformers.t5_shapes import Shape, Stage, forward_shapes, numbers_in, sizes

SHOWN = 14  # stages at a time


@view(forward_shapes)
def shapes(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame before the first stage, and one after each."""
    asked = _questions(recording)
    for number in range(window.first, window.end + 1):
        done: Sequence[Stage] = recording.steps[:number]
        yield Frame(
            moment=_moment(done[-1]) if done else "Before the first stage",
            caption=_caption(done[-1]) if done else "Ids go in, scores for each id of the vocabulary come out.",
            remark=_remark(done),
            panels=tuple(_panels(done)),
            question=asked.get(number),
        )


def _moment(stage: Stage) -> str:
    return f"{stage.part.capitalize()}, {stage.name}"


def _caption(stage: Stage) -> Html:
    axes = ", ".join(name for name, _ in stage.shape)
    return f"({', '.join(map(str, sizes(stage.shape)))}): {text(axes)}."


def _remark(done: Sequence[Stage]) -> Html:
    if not done:
        return ""
    own = f"{done[-1].parameters:,} parameters of its own" if done[-1].parameters else "No parameters of its own"
    return f"{own}; {sum(stage.parameters for stage in done):,} so far."


def _panels(done: Sequence[Stage]) -> Iterator[Panel]:
    if done:
        rows = [(f"{stage.part}: {stage.name}", stage.shape) for stage in done[-SHOWN:]]
        yield Panel("What is handed on, drawn as long as it has numbers", _bars(rows), kind="bars", wide=True)
        if done[-1].inside:
            rows = [(f"{name} ({', '.join(axis for axis, _ in shape)})", shape) for name, shape in done[-1].inside]
            yield Panel("What this block makes on the way", _bars(rows), kind="bars", wide=True)


def _bars(rows: Sequence[tuple[str, Shape]]) -> tuple[Html, ...]:
    most = max(numbers_in(shape) for _, shape in rows)
    return tuple(
        bar(text(label), numbers_in(shape) / most, " × ".join(f"{size:,}" for size in sizes(shape)))
        for label, shape in rows
    )


def _questions(recording: Recording[Any, Any]) -> dict[int, Question]:
    """By the number of stages that are done: what the decoder reads, and how many tables of biases there are."""
    places = {f"{stage.part} {stage.name}": number for number, stage in enumerate(recording)}
    return {
        places["decoder ids"]: _what_the_decoder_reads(recording.arguments["target_length"]),
        len(recording) - 1: _how_many_tables(recording),
    }


def _what_the_decoder_reads(labels: int) -> Question:
    """The start pushes the last label out; or does it come on top (39)?"""
    facts: tuple[Fact, ...] = (("labels", None, labels), ("read", None, labels))
    why = f"A start comes in front and the last of the {labels} is left out, so {labels} are read."
    options = (
        Option(f"{labels:,}", why, right=True, facts=facts),
        Option(f"{labels + 1:,}", f"Nothing comes after the last label. {why}", belief=39, facts=facts),
    )
    return Question(f"There are {labels:,} labels. How many ids does the decoder read?", options).shuffled()


def _how_many_tables(recording: Recording[Any, Any]) -> Question:
    """One for each stack, or one for each block or attention (37)?"""
    blocks = [stage for stage in recording if stage.inside]
    tables = sum(name == "bias" for stage in blocks for name, _ in stage.inside)
    facts: tuple[Fact, ...] = (("blocks", None, len(blocks)), ("tables", None, tables))
    why = f"Of {len(blocks)} blocks, the first of each stack has one and hands its biases on: {tables}."
    options = {str(tables): Option(str(tables), why, right=True, facts=facts)}
    crossed = f"Encoder and decoder have no common places, so cross attention has none. {why}"
    options.setdefault(str(tables + 1), Option(str(tables + 1), crossed, belief=37, facts=facts))
    each = f"Each block adds biases, but it need not look them up. {why}"
    options.setdefault(str(len(blocks)), Option(str(len(blocks)), each, belief=37, facts=facts))
    return Question("How many tables of position biases has this model?", tuple(options.values())).shuffled()
