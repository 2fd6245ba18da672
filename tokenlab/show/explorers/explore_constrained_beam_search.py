"""Explorer of constrained beam search: controls for the text, the words of the constraints, and the settings."""

from __future__ import annotations

from typing import Any

from tokenlab.show.explorers.explore_t5_attention import check_typed_text
from tokenlab.show.explorers.explorer import Explorer, float_slider, int_slider, text_box
from tokenlab.steps.recording import Recording


def explore_constrained_beam_search(
    text: str,
    words: str,
    model: Any,
    tokenizer: Any,
    num_beams: int = 4,
    length_penalty: float = 1.0,
    max_length: int = 20,
) -> Explorer:
    """Return controls for a text, words and settings, above the player of a constrained beam search.

    Args:
        words: initial constraints, separated by commas; alternatives are separated by "|".
        max_length: maximum number of ids of an output, including its start.
    """
    from tokenlab.traces.generation.trace_beam_search import trace_constrained_beam_search

    def record(text: str, words: str, num_beams: int, length_penalty: float) -> Recording[Any, Any]:
        check_typed_text(tokenizer, text=text, words=words)
        given = (text, words, num_beams, length_penalty)
        return trace_constrained_beam_search.record(model, tokenizer, *given, max_length=max_length)

    return Explorer(
        record,
        text=text_box("text", text),
        words=text_box("words", words),
        num_beams=int_slider("num_beams", num_beams, 2, max(8, num_beams)),
        length_penalty=float_slider("length_penalty", length_penalty, -2, 3, 0.25),
    )
