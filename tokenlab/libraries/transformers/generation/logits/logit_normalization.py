"""Processors that replace invalid scores, and normalize scores to log-probabilities.

Source: transformers 4.26.1, generation/logits_process.py.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from tokenlab.libraries.transformers.generation.logits.logits_processor import LogitsProcessor, LogitsWarper


class InfNanRemoveLogitsProcessor(LogitsProcessor):
    """Replace nan by 0 and infinity by the largest number of the dtype, since sampling fails for them.

    >>> InfNanRemoveLogitsProcessor()(torch.tensor([[0]]), torch.tensor([[float("nan"), float("inf"), -float("inf")]]))
    tensor([[0.0000e+00, 3.4028e+38,       -inf]])
    """

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return finite scores, except for -infinity: (rows, vocab_size)."""
        return scores.nan_to_num(nan=0.0, posinf=torch.finfo(scores.dtype).max, neginf=-math.inf)


class LogitNormalization(LogitsProcessor, LogitsWarper):
    """Normalize scores to log-probabilities, as cumulative log-probabilities need them.

    >>> LogitNormalization()(torch.tensor([[0]]), torch.tensor([[5.0, 5.0, -float("inf")]])).exp()
    tensor([[0.5000, 0.5000, 0.0000]])
    """

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return log-probabilities: (rows, vocab_size)."""
        return scores.log_softmax(dim=-1)
