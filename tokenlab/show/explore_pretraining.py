"""Controls over T5's pre-training: the learner's own text corrupted, and their own sentence in every task."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from random import Random
from typing import Any

import ipywidgets

from tokenlab import data
from tokenlab.algorithms.span_corruption import Token, corrupt, corrupt_spans
from tokenlab.show.explore import _WIDE, Explorer, _short
from tokenlab.steps import Recording

LONGEST = 500  # characters of a text whose spans are taken out, or which is asked about, at every key press


def explore_span_corruption(
    text: str, tokenizer: Any, noise_density: float = 0.15, mean_span_length: float = 3.0
) -> Explorer:
    """A text to type and how much of it is noise, and the input and target that span corruption makes of it.

    Args:
        text: what stands in the box at first.
        tokenizer: a T5Tokenizer; its pieces are corrupted.
        noise_density: the share of the tokens that is noise.
        mean_span_length: how many tokens a noise span has on average.
    """
    box = ipywidgets.Text(text, description="text", **_WIDE)
    density = ipywidgets.FloatSlider(noise_density, min=0.05, max=0.5, step=0.05, description="noise", **_WIDE)
    mean = ipywidgets.FloatSlider(mean_span_length, min=1, max=6, step=0.5, description="mean span", **_WIDE)
    chance = ipywidgets.IntSlider(0, 0, 20, description="seed", **_WIDE)

    def record(text: str, noise_density: float, mean_span_length: float, chance: int) -> Recording[Any, Any]:
        pieces = tokenizer.tokenize(_short(text, LONGEST, "corrupt_spans"))
        if len(pieces) < 2:
            raise ValueError("text has fewer than two tokens, of which one could be noise; type a few words")
        ends = tokenizer.get_sentinel_tokens(), tokenizer.eos_token
        return corrupt_spans.record(pieces, Random(chance), noise_density, mean_span_length, *ends)

    # The frame in which the mask is drawn: what is read and written is asked from there on.
    return Explorer(record, opened=4, text=box, noise_density=density, mean_span_length=mean, chance=chance)


def explore_text_to_text(sentence: str, model: Any, tokenizer: Any) -> Explorer:
    """A sentence to type, and what a T5 that learned the kit's grammar writes for each task about it."""
    box = ipywidgets.Text(sentence, description="sentence", **_WIDE)
    return Explorer(lambda sentence: _every_task(sentence, model, tokenizer), opened=-1, sentence=box)


def _every_task(sentence: str, model: Any, tokenizer: Any) -> Recording[Any, Any]:
    """The sentence in every task of the grammar, and with a gap in its middle."""
    from tokenlab.transformers.text_to_text import text_of, text_to_text  # which loads torch

    grammar, sentence = data.grammar(), _short(sentence.strip(), LONGEST, "text_to_text")
    pieces = tokenizer.tokenize(sentence)
    if len(pieces) < 3:
        raise ValueError("sentence has fewer than three tokens; write one such as 'The boy has a dog.'")
    known = sentence in grammar.sentences()
    tasks = [task for task in grammar.TASKS if not known or grammar.accepted(sentence, task)]  # not all suit each
    asked = [task + (sentence.rstrip(".?!") if task == grammar.KIND else sentence) for task in tasks]
    questions = [*tokenizer(asked)["input_ids"], tokenizer.convert_tokens_to_ids(with_gap(pieces, tokenizer))]

    def accepts(number: int, answer: str) -> bool | None:
        if not known:
            return None
        if number == len(asked):
            return filled(text_of(questions[-1][:-1], tokenizer), answer) in grammar.sentences()
        return bool(grammar.is_right(sentence, tasks[number], answer))

    return text_to_text.record(questions, model, tokenizer, accepts)


def with_gap(pieces: Sequence[str], tokenizer: Any) -> list[Token]:
    """The pieces with a gap in place of the word in the middle, and the end."""
    words = list(accumulate(piece.startswith("▁") for piece in pieces))
    mask = [word == words[-1] // 2 + 1 for word in words]
    return list(corrupt(pieces, mask, tokenizer.get_sentinel_tokens(), tokenizer.eos_token)[0])


def filled(question: str, answer: str) -> str:
    """The text without its gap, if the answer says what belongs there.

    >>> filled("The boy<extra_id_0> a dog.", "<extra_id_0> has<extra_id_1>")
    'The boy has a dog.'
    """
    sentinel, _, gap = answer.partition(">")
    # subtle: the next sentinel stands for what was kept behind the gap.
    return question.replace(sentinel + ">", gap.partition("<extra_id_")[0])
