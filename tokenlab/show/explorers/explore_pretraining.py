"""Controls for T5's pre-training: span corruption of a typed text, and a typed sentence in every task."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from random import Random
from typing import Any

from tokenlab import data
from tokenlab.algorithms.training_data.span_corruption import Token, corrupt, corrupt_spans
from tokenlab.show.explorers.controls import FloatSlider, IntSlider, TextBox
from tokenlab.show.explorers.explorer import Explorer
from tokenlab.show.explorers.typed_text import check_characters
from tokenlab.steps.recording import Recording

LONGEST = 500  # characters of a text that is processed at every key press


def explore_span_corruption(
    text: str, tokenizer: Any, noise_density: float = 0.15, mean_span_length: float = 3.0
) -> Explorer:
    """Explore span corruption of a typed text: its input and target."""
    box = TextBox("text", text)
    density = FloatSlider("noise", noise_density, 0.05, 0.5, 0.05)
    mean = FloatSlider("mean span", mean_span_length, 1, 6, 0.5)
    chance = IntSlider("seed", 0, 0, 20)

    def record(text: str, noise_density: float, mean_span_length: float, chance: int) -> Recording[Any, Any]:
        pieces = tokenizer.tokenize(check_characters(text, LONGEST, "corrupt_spans"))
        if len(pieces) < 2:
            raise ValueError("text has fewer than two tokens, of which one could be noise; type a few words")
        ends = tokenizer.get_sentinel_tokens(), tokenizer.eos_token
        return corrupt_spans.record(pieces, Random(chance), noise_density, mean_span_length, *ends)

    # Open at the frame in which the mask is drawn: the questions on input and target follow it.
    return Explorer(record, opened=4, text=box, noise_density=density, mean_span_length=mean, chance=chance)


def explore_text_to_text(sentence: str, model: Any, tokenizer: Any) -> Explorer:
    """Explore the outputs of a T5 that learned the kit's grammar, for each task and a typed sentence."""
    box = TextBox("sentence", sentence)
    return Explorer(lambda sentence: _every_task(sentence, model, tokenizer), opened=-1, sentence=box)


def _every_task(sentence: str, model: Any, tokenizer: Any) -> Recording[Any, Any]:
    """Record the sentence in every task of the grammar, and with its middle word masked."""
    from tokenlab.traces.t5.trace_text_to_text import (  # which loads torch
        ids_to_text,
        trace_text_to_text,
    )

    grammar, sentence = data.grammar(), check_characters(sentence.strip(), LONGEST, "text_to_text", "sentence")
    pieces = tokenizer.tokenize(sentence)
    if len(pieces) < 3:
        raise ValueError("sentence has fewer than three tokens; write one such as 'The boy has a dog.'")
    known = sentence in grammar.sentences()
    # Not every task accepts every sentence.
    tasks = [task for task in grammar.TASKS if not known or grammar.accepted(sentence, task)]
    asked = [task + (sentence.rstrip(".?!") if task == grammar.KIND else sentence) for task in tasks]
    questions = [*tokenizer(asked)["input_ids"], tokenizer.convert_tokens_to_ids(mask_middle_word(pieces, tokenizer))]

    def accepts(number: int, answer: str) -> bool | None:
        if not known:
            return None
        if number == len(asked):
            return fill_gap(ids_to_text(questions[-1][:-1], tokenizer), answer) in grammar.sentences()
        return bool(grammar.is_right(sentence, tasks[number], answer))

    return trace_text_to_text.record(questions, model, tokenizer, accepts)


def mask_middle_word(pieces: Sequence[str], tokenizer: Any) -> list[Token]:
    """Replace the middle word by a sentinel, and append the end-of-sequence token."""
    words = list(accumulate(piece.startswith("▁") for piece in pieces))
    mask = [word == words[-1] // 2 + 1 for word in words]
    return list(corrupt(pieces, mask, tokenizer.get_sentinel_tokens(), tokenizer.eos_token)[0])


def fill_gap(question: str, answer: str) -> str:
    """Replace the sentinel in a text by the span that the answer gives for it.

    >>> fill_gap("The boy<extra_id_0> a dog.", "<extra_id_0> has<extra_id_1>")
    'The boy has a dog.'
    """
    sentinel, _, gap = answer.partition(">")
    # subtle: the next sentinel represents the text that is kept after the gap.
    return question.replace(sentinel + ">", gap.partition("<extra_id_")[0])
