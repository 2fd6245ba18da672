"""Controls for contrastive search: the text, `penalty_alpha` and `top_k`."""

from __future__ import annotations

from typing import Any

from tokenlab.show.explorers.explore_t5_attention import check_typed_text
from tokenlab.show.explorers.explorer import Explorer, float_slider, int_slider, text_box
from tokenlab.steps.recording import Recording


def explore_contrastive_search(
    text: str, model: Any, tokenizer: Any, penalty_alpha: float = 0.6, top_k: int = 4, max_length: int = 30
) -> Explorer:
    """Explore contrastive search; with `penalty_alpha=0` or `top_k=1`, it is greedy search.

    It opens at the output of greedy search.

    Args:
        max_length: the maximum length of an output in tokens, including the decoder start token.
    """
    from tokenlab.traces.generation.trace_contrastive import trace_contrastive_search

    def record(text: str, penalty_alpha: float, top_k: int) -> Recording[Any, Any]:
        check_typed_text(tokenizer, text=text)
        return trace_contrastive_search.record(model, tokenizer, text, penalty_alpha, top_k, max_length)

    return Explorer(
        record,
        opened=1,
        text=text_box("text", text),
        penalty_alpha=float_slider("penalty_alpha", penalty_alpha, 0, 1),
        top_k=int_slider("top_k", top_k, 1, 8),
    )
