"""Controls over constrained beam search: a text, the words that its answer has to hold, and what they cost."""

from __future__ import annotations

from typing import Any

import ipywidgets

from tokenlab.show.explore import _NAMED, Explorer
from tokenlab.show.explore_t5 import check_typed
from tokenlab.steps import Recording


def explore_constraints(
    text: str,
    words: str,
    model: Any,
    tokenizer: Any,
    num_beams: int = 4,
    length_penalty: float = 1.0,
    max_length: int = 20,
) -> Explorer:
    """A text and words to type, beams and a length penalty to move, and how the model writes an answer with the words.

    Args:
        text: what is read.
        words: what the answer has to hold: demands parted by commas, and words of which one will do by "|".
        model: in eval mode.
        tokenizer: that of the model.
        num_beams: how many beams are followed at first.
        length_penalty: the exponent of the length that divides a sum of log-probabilities, at first.
        max_length: of an answer, its start among it.
    """
    from tokenlab.transformers.generation.writing_with_words import write_with_words

    def record(text: str, words: str, num_beams: int, length_penalty: float) -> Recording[Any, Any]:
        check_typed(tokenizer, text=text, words=words)
        return write_with_words.record(model, tokenizer, text, words, num_beams, length_penalty, max_length=max_length)

    return Explorer(
        record,
        text=ipywidgets.Text(text, description="text", **_NAMED),
        words=ipywidgets.Text(words, description="words", **_NAMED),
        num_beams=ipywidgets.IntSlider(num_beams, 2, max(8, num_beams), description="num_beams", **_NAMED),
        length_penalty=ipywidgets.FloatSlider(
            length_penalty, min=-2, max=3, step=0.25, description="length_penalty", **_NAMED
        ),
    )
