"""`compute_transition_scores`: the score of each generated token, looked up in the scores of all steps.

Source: transformers 4.26.1, generation/utils.py (`compute_transition_scores`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor


def compute_transition_scores(
    self: Any,
    sequences: Tensor,
    scores: Sequence[Tensor],
    beam_indices: Tensor | None = None,
    normalize_logits: bool = False,
) -> Tensor:
    """Return the score of each generated token; 0 after the end.

    Args:
        self: the model.
        sequences: the outputs: (outputs, length).
        scores: for each step: (rows, vocab_size).
        beam_indices: the row in which each token was selected, -1 after the end; None means the output's row.
        normalize_logits: whether to convert the scores to log-probabilities first.

    Returns:
        (outputs, generated tokens of the longest).

    >>> ids, scores = torch.tensor([[0, 2, 1]]), [torch.tensor([[0.1, 0.2, 0.3]]), torch.tensor([[0.4, 0.5, 0.6]])]
    >>> compute_transition_scores(None, ids, scores)
    tensor([[0.3000, 0.5000]])
    """
    steps = torch.stack(tuple(scores), dim=1)  # (rows, steps, vocab_size)
    if normalize_logits:
        steps = steps.log_softmax(dim=-1)
    if beam_indices is None:
        beam_indices = torch.arange(len(steps), device=sequences.device)[:, None].expand(-1, len(scores))
    longest = int((beam_indices >= 0).sum(dim=-1).max())
    rows = beam_indices[:, :longest]
    tokens = sequences[:, sequences.shape[-1] - longest :]
    found = steps[rows.clamp(min=0), torch.arange(longest, device=rows.device), tokens]
    return found.masked_fill(rows < 0, 0.0)
