"""Questions of the walk through a T5: the decoder's input, the residual connection, cross-attention, and the mask."""

from __future__ import annotations

from typing import Any

from tokenlab.algorithms.attention.attention_output import MASKED
from tokenlab.misconceptions.t5_map import keys_from_decoder
from tokenlab.show.frames import OTHER, Fact, Question, chip, chips
from tokenlab.show.views.elements.matrices import format_cell
from tokenlab.show.views.elements.questions import ask
from tokenlab.steps.recording import Recording
from tokenlab.traces.t5.t5_steps import BlockComputed

SHOWN = 12  # maximum number of tokens of the target in a question


def questions(recording: Recording[Any, Any]) -> dict[int, Question | None]:
    """Return the questions by the number of finished steps; each is about the next block."""
    asked: dict[int, Question | None] = {}
    layer = next((step.layer for step in recording if step.part), None)
    about = {
        f"encoder.block.{layer}.self_attention.residual": _residual,
        "decoder.ids": _decoder_input,
        f"decoder.block.{layer}.self_attention.mask": _mask,
        f"decoder.block.{layer}.cross_attention.scores": _cross_scores,
    }
    for number, step in enumerate(recording):
        if step.block in about:
            asked[number] = about[step.block](recording, step)
    return asked


def _residual(recording: Recording[Any, Any], following: BlockComputed) -> Question | None:
    """Ask for a sum: of the output and the row before the norm, or the normed row (121)?"""
    example = following.example
    assert example is not None
    norm = next(step for step in recording if step.block == following.block.replace("residual", "norm"))
    (_, x), (_, output) = example.operands
    normed = norm.values[example.row][example.column]
    facts: tuple[Fact, ...] = (
        ("sum", None, round(example.value, 2)),
        ("sum of the normed row", None, round(normed + output, 2)),
    )
    why = f"The output {format_cell(output)} is added to {format_cell(x)}, the number before the norm."
    had = f"had {format_cell(x)} in column {example.column}"
    given = (had, f"The norm made it {format_cell(normed)}", f"the output of the attention is {format_cell(output)}")
    return ask(
        f"Row {chip(following.rows[example.row])} {had}. {given[1]}, and {given[2]}. "
        "Which number does the residual connection give?",
        (format_cell(example.value), why),
        (121, format_cell(normed + output), "The normed row is only read by the attention."),
        (OTHER, format_cell(output), "The output does not replace the row."),
        given=given,
        facts=facts,
    )


def _decoder_input(recording: Recording[Any, Any], following: BlockComputed) -> Question | None:
    """Ask for the first token that the decoder reads: the start, or its first label (39)?"""
    label = recording[-1].rows[0]
    start = following.rows[0]
    why = f"The decoder reads {chip(start)} and then the target without its last token. So each row predicts "
    why += "the next token."
    target = f"The target is {chips(recording[-1].rows[:SHOWN])}"
    more = " …" if len(recording[-1].rows) > SHOWN else ""
    return ask(
        f"{target}{more}. Which token does the decoder read first?",
        (chip(start), why),
        (39, chip(label), "A row must not read the token that it should predict."),
        (OTHER, chip("</s>"), "This token is the last one of a text."),
        given=(target,),
    )


def _mask(recording: Recording[Any, Any], following: BlockComputed) -> Question | None:
    """Ask for the number of visible keys of the first query: one, or all (40)?"""
    keys, free = len(following.columns), sum(value >= MASKED for value in following.values[0])
    which = "This is self-attention in the decoder"
    return ask(
        f"{which}. How many of its {keys} keys may get a weight from the first query, {chip(following.rows[0])}?",
        (str(free), f"Of {keys} keys, {keys - free} come after it. They are not generated yet, so they are hidden."),
        (40, str(keys), "A test with one token would not show this."),
        (OTHER, str(keys - free), "This is the number of hidden keys."),
        given=(which, f"{keys} keys", f"the first query, {chip(following.rows[0])}"),
        facts=(("visible keys", 0, free), ("keys", None, keys)),
    )


def _cross_scores(recording: Recording[Any, Any], following: BlockComputed) -> Question | None:
    """Ask for the shape of the scores: with keys from the encoder, or from the decoder (122)?"""
    target, source = len(following.rows), len(following.columns)
    why = f"The {target} queries come from the decoder, the {source} keys from the encoder."
    wrong = keys_from_decoder(source, target)
    lengths = f"The decoder reads {target} tokens, and the source has {source}"
    return ask(
        f"{lengths}. How many rows and columns do the scores of one head of cross-attention have?",
        (f"{target} and {source}", why),
        (122, f"{wrong[0]} and {wrong[1]}", "These would be the scores of self-attention."),
        given=(lengths,),
        facts=(("rows", None, target), ("columns", None, source)),
    )
