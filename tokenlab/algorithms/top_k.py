"""Top-k: keep so many likeliest tokens, however sure the model is.

Adds: the simplest cut. Leaves out: a cut that follows the distribution (`top_p`, `typical`).
Source: Fan et al., Hierarchical Neural Story Generation, arXiv:1805.04833, section 5.4; transformers 4.26.1,
generation/logits_process.py, TopKLogitsWarper.
"""

from __future__ import annotations

from tokenlab.algorithms.attention_head import Vector


def keep_top_k(scores: Vector, top_k: int) -> tuple[int, ...]:
    """The tokens that are kept, in the order of their ids: the best, and those that are as good as the last of them.

    Args:
        scores: of each token, by its id; probabilities will do.
        top_k: how many.

    Raises:
        ValueError: fewer than one.

    >>> keep_top_k([1, 3, 2, 0], 2), keep_top_k([1, 3, 1, 0], 2)
    ((1, 2), (0, 1, 2))
    """
    if top_k < 1:
        raise ValueError(f"top_k={top_k!r} should be at least 1, which keeps the best alone")
    last = sorted(scores, reverse=True)[:top_k][-1]
    return tuple(token for token, score in enumerate(scores) if score >= last)
