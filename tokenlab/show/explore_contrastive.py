"""Controls over contrastive search: the text, the share of the penalty, and how many candidates there are."""

from __future__ import annotations

from typing import Any

import ipywidgets

from tokenlab.show.explore import _NAMED, Explorer
from tokenlab.show.explore_t5 import check_typed
from tokenlab.steps import Recording


def explore_contrastive(
    text: str, model: Any, tokenizer: Any, penalty_alpha: float = 0.6, top_k: int = 4, max_length: int = 30
) -> Explorer:
    """A text to type, and what contrastive search writes for it; at a share of 0, or with one candidate, greedily.

    It opens at what greedy search writes.

    Args:
        text: what is read at first.
        model: in eval mode.
        tokenizer: that of the model.
        penalty_alpha: where the slider of the share stands at first.
        top_k: where the slider of the candidates stands at first.
        max_length: of an output, its start among it.
    """
    from tokenlab.transformers.generation.contrasting import contrast

    def record(text: str, penalty_alpha: float, top_k: int) -> Recording[Any, Any]:
        check_typed(tokenizer, text=text)
        return contrast.record(model, tokenizer, text, penalty_alpha, top_k, max_length)

    return Explorer(
        record,
        opened=1,
        text=ipywidgets.Text(text, description="text", **_NAMED),
        penalty_alpha=ipywidgets.FloatSlider(
            penalty_alpha, min=0, max=1, step=0.1, description="penalty_alpha", **_NAMED
        ),
        top_k=ipywidgets.IntSlider(top_k, 1, 8, description="top_k", **_NAMED),
    )
