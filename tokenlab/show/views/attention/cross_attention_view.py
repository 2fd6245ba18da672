"""Cross attention during generation: a row of weights for each generated token, which add up to a matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenlab.algorithms.attention.attention_output import position_names
from tokenlab.printing.printable import count_noun
from tokenlab.printing.printed_numbers import format_probability
from tokenlab.show.frames import Frame, Html, Panel, StepRange, chip, labelled, sentence, text
from tokenlab.show.views.elements.matrices import LabeledMatrix, matrix_rows
from tokenlab.steps.recording import Recording
from tokenlab.traces.generation.sampling_steps import CrossAttentionWeights

STRONGEST = 3  # source tokens listed for each generated token


def cross_attention_view(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame before the first token and after each token."""
    for number in window.positions:
        done: Sequence[CrossAttentionWeights] = recording.steps[:number]
        yield Frame(
            moment=f"Token {number}" if done else "Before the first token",
            caption=sentence(done[-1]) if done else _opening(recording),
            remark=_head_remark(recording) if done else "The weights of each row sum to 1.",
            panels=tuple(_panels(done)),
        )


def _opening(recording: Recording[Any, Any]) -> Html:
    if not len(recording):
        return "No token was generated."
    count = len(recording[0].source)
    return f"The encoder has read {count_noun(count, 'token')}. To which token does the decoder attend at each step?"


def _head_remark(recording: Recording[Any, Any]) -> Html:
    given = recording.arguments
    head = "the mean of all heads" if given["head"] is None else f"head {text(given['head'])}"
    return f"This is {head} of {text(given['place'] or 'the last layer')}."


def _panels(done: Sequence[CrossAttentionWeights]) -> Iterator[Panel]:
    if not done:
        return
    key_names = done[0].source_names
    rows = position_names([step.token for step in done], "token", len(done))
    weights = [step.weights for step in done]
    matrix = LabeledMatrix("rows: generated, columns: source", weights, rows, key_names, weights=True)
    yield Panel("Cross-attention weights of each generated token for each source token", matrix_rows(matrix), wide=True)
    strongest = tuple(_strongest(step, name, key_names) for step, name in zip(done, rows, strict=True))
    yield Panel("Strongest source tokens of each generated token", strongest, "words", more=True)


def _strongest(step: CrossAttentionWeights, name: str, key_names: Sequence[str]) -> Html:
    best = sorted(range(len(key_names)), key=lambda place: (-step.weights[place], place))[:STRONGEST]
    listed = " ".join(f"{chip(key_names[place])} {format_probability(step.weights[place])}" for place in best)
    return labelled(chip(name), listed)
