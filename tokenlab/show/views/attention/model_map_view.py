"""A walk through a T5: the map with the current block, its table of numbers, and how one of these numbers is made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenlab.show.frames import Frame, Html, Panel, StepRange, chip, sentence, text
from tokenlab.show.model_map.drawing import ModelMap
from tokenlab.show.views.attention.model_map_numbers import one_number, table
from tokenlab.show.views.attention.model_map_questions import questions
from tokenlab.steps.recording import Recording
from tokenlab.traces.t5.map_steps import BlockComputed, block_of


def model_map_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame before the first block and after each block."""
    frames = {recording[number].block: number + 1 - window.first for number in range(window.first, window.end)}
    drawn = ModelMap([step.block for step in recording], recording.arguments["head"], frames)
    asked = questions(recording)
    for number, step, _ in window.steps_around(recording):
        if step is None:
            yield _opening(recording, drawn)
            continue
        yield Frame(
            moment=step.place,
            caption=sentence(step),
            remark=_remark(step),
            panels=tuple(_panels(step, drawn)),
            question=asked.get(number),
        )


def _opening(recording: Recording[Any, Any], drawn: ModelMap) -> Frame:
    """Return the first frame: the map, and the tokens of both texts."""
    rows = tuple(
        f"<li><span>{name}</span> <div>{' '.join(map(chip, step.rows))}</div>"
        for name, step in (("source", recording[0]), ("decoder input", _first(recording, "decoder.ids")))
    )
    where = "Click on a box, or step forward: the boxes follow in the order of computation."
    return Frame(
        "The whole model", where, panels=(Panel("Map", drawn.rows(""), wide=True), Panel("Texts", rows, "words"))
    )


def _first(recording: Recording[BlockComputed, Any], block: str) -> BlockComputed:
    return next(step for step in recording if step.block == block)


def _formula(block: str) -> str:
    """Return the formula of a block; only self-attention has a bias, and only the decoder's self-attention has a mask.

    >>> _formula("encoder.block.0.self_attention.weights"), _formula("decoder.block.0.cross_attention.weights")
    ('A = softmax(S + B)', 'A = softmax(S)')
    >>> _formula("decoder.block.0.cross_attention.keys")
    'K = x W_K, x from the encoder'
    """
    formula = block_of(block).formula
    if ".cross_attention." in block:
        match block.rpartition(".")[2]:
            case "keys" | "values":
                return f"{formula.replace('norm(x)', 'x')}, x from the encoder"
            case "weights":
                return formula.replace(" + B + M", "")
    return formula.replace(" + M)", ")") if block.startswith("encoder.") else formula


def _remark(step: BlockComputed) -> Html:
    formula = _formula(step.block)
    shown = [f"<code>{text(formula)}</code>"] * bool(formula)
    shown += [] if step.head is None else [f"The table shows head {text(step.head)}."]
    return " · ".join(shown)


def _panels(step: BlockComputed, drawn: ModelMap) -> Iterator[Panel]:
    yield Panel("Map", drawn.rows(step.block), wide=True)
    size = next((size for _, size in reversed(step.shape)), len(step.columns))
    columns = "" if size <= len(step.columns) else f" ({len(step.columns)} of {size} columns)"
    framed = "the loss" if step.kind == "loss" else "the framed one"
    explained = f" and how {framed} is made" if step.example else ""
    yield Panel(f"Numbers{columns}{explained}", (table(step), *one_number(step)), wide=True)
