"""No run of n tokens stands twice: a token is forbidden where it would complete one that is there.

Source: transformers 4.26.1, generation/logits_process.py; Paulus et al., arXiv:1705.04304, section 2.5.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from tokenlab.transformers.generation.arguments import whole
from tokenlab.transformers.generation.penalties import of_rows
from tokenlab.transformers.generation.processors import LogitsProcessor


class NoRepeatNGramLogitsProcessor(LogitsProcessor):
    """Forbids what would make a run of `ngram_size` tokens that stands in the same text already.

    Raises:
        ValueError: the size is no whole number from 1 on.

    >>> NoRepeatNGramLogitsProcessor(2)(torch.tensor([[5, 3, 4, 5]]), torch.zeros(1, 6))
    tensor([[0., 0., 0., -inf, 0., 0.]])
    """

    def __init__(self, ngram_size: int) -> None:
        self.ngram_size = whole("ngram_size", ngram_size, at_least=1)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Minus infinity for what would repeat: (rows, vocab_size)."""
        return without_repeats(ngrams(input_ids, self.ngram_size), input_ids, scores)


class EncoderNoRepeatNGramLogitsProcessor(LogitsProcessor):
    """Forbids what would make a run of `encoder_ngram_size` tokens that stands in the source.

    Args:
        encoder_input_ids: (batch, source), or one source alone: (source,).

    Raises:
        ValueError: the size is no whole number from 1 on.

    >>> not_a_copy = EncoderNoRepeatNGramLogitsProcessor(2, torch.tensor([[5, 3, 4]]))
    >>> not_a_copy(torch.tensor([[0, 5], [0, 3]]), torch.zeros(2, 6))
    tensor([[0., 0., 0., -inf, 0., 0.],
            [0., 0., 0., 0., -inf, 0.]])
    """

    def __init__(self, encoder_ngram_size: int, encoder_input_ids: Tensor) -> None:
        self.ngram_size = whole("encoder_ngram_size", encoder_ngram_size, at_least=1)
        self.encoder_input_ids = encoder_input_ids.reshape(-1, encoder_input_ids.shape[-1])

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Minus infinity for what would copy: (rows, vocab_size)."""
        grams = ngrams(self.encoder_input_ids, self.ngram_size)
        return without_repeats(of_rows(grams, scores), input_ids, scores)


def ngrams(ids: Tensor, n: int) -> Tensor:
    """All runs of n tokens in each row: (rows, length - n + 1, n), or none where a row is shorter.

    >>> ngrams(torch.tensor([[7, 8, 9]]), 2).tolist()
    [[[7, 8], [8, 9]]]
    """
    return ids.unfold(1, n, 1) if ids.shape[1] >= n else ids.new_empty(len(ids), 0, n)


def without_repeats(grams: Tensor, input_ids: Tensor, scores: Tensor) -> Tensor:
    """The scores without the tokens that would complete one of these runs.

    Args:
        grams: the runs that may not come again, for each row: (rows, runs, n).
        input_ids: (rows, length).
        scores: (rows, vocab_size).

    Raises:
        IndexError: a run would be completed by an id that has no score.
    """
    starts, ends = grams[..., :-1], grams[..., -1]
    length, started = input_ids.shape[1], starts.shape[-1]
    if length < started:
        return scores
    now = input_ids[:, None, length - started :]  # what stands last, as long as a start: (rows, 1, n - 1)
    row, run = (starts == now).all(dim=-1).nonzero(as_tuple=True)
    forbidden = torch.zeros_like(scores, dtype=torch.bool)
    forbidden[row, ends[row, run]] = True
    return scores.masked_fill(forbidden, -math.inf)
