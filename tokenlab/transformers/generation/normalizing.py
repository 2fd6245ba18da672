"""Scores that are numbers again, and log-probabilities again.

Source: transformers 4.26.1, generation/logits_process.py.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from tokenlab.transformers.generation.processors import LogitsProcessor, LogitsWarper


class InfNanRemoveLogitsProcessor(LogitsProcessor):
    """Replaces what would stop a draw: not a number by 0, and infinity by the largest number of its type.

    >>> InfNanRemoveLogitsProcessor()(torch.tensor([[0]]), torch.tensor([[float("nan"), float("inf"), -float("inf")]]))
    tensor([[0.0000e+00, 3.4028e+38,       -inf]])
    """

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Numbers, and minus infinity where it was: (rows, vocab_size)."""
        return scores.nan_to_num(nan=0.0, posinf=torch.finfo(scores.dtype).max, neginf=-math.inf)


class LogitNormalization(LogitsProcessor, LogitsWarper):
    """Makes scores log-probabilities again, which sums of them over a text have to be.

    >>> LogitNormalization()(torch.tensor([[0]]), torch.tensor([[5.0, 5.0, -float("inf")]])).exp()
    tensor([[0.5000, 0.5000, 0.0000]])
    """

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Log-probabilities: (rows, vocab_size)."""
        return scores.log_softmax(dim=-1)
