"""Processors that forbid repeated n-grams: a token is forbidden if it would complete an n-gram that already exists.

Source: transformers 4.26.1, generation/logits_process.py; Paulus et al., arXiv:1705.04304, section 2.5.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from tokenlab.libraries.transformers.generation.argument_checks import check_integer
from tokenlab.libraries.transformers.generation.logits.logits_processor import LogitsProcessor
from tokenlab.libraries.transformers.generation.logits.repetition_penalties import expand_to_rows


class NoRepeatNGramLogitsProcessor(LogitsProcessor):
    """Forbid tokens that would repeat an n-gram of `ngram_size` tokens of the same text.

    Raises:
        ValueError: the size is not an integer of at least 1.

    >>> NoRepeatNGramLogitsProcessor(2)(torch.tensor([[5, 3, 4, 5]]), torch.zeros(1, 6))
    tensor([[0., 0., 0., -inf, 0., 0.]])
    """

    def __init__(self, ngram_size: int) -> None:
        self.ngram_size = check_integer("ngram_size", ngram_size, at_least=1)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return -infinity for tokens that would complete a repeated n-gram: (rows, vocab_size)."""
        return mask_repeated_ngrams(ngrams(input_ids, self.ngram_size), input_ids, scores)


class EncoderNoRepeatNGramLogitsProcessor(LogitsProcessor):
    """Forbid tokens that would copy an n-gram of `encoder_ngram_size` tokens from the source.

    Args:
        encoder_input_ids: (batch, source), or a single source: (source,).

    Raises:
        ValueError: the size is not an integer of at least 1.

    >>> not_a_copy = EncoderNoRepeatNGramLogitsProcessor(2, torch.tensor([[5, 3, 4]]))
    >>> not_a_copy(torch.tensor([[0, 5], [0, 3]]), torch.zeros(2, 6))
    tensor([[0., 0., 0., -inf, 0., 0.],
            [0., 0., 0., 0., -inf, 0.]])
    """

    def __init__(self, encoder_ngram_size: int, encoder_input_ids: Tensor) -> None:
        self.ngram_size = check_integer("encoder_ngram_size", encoder_ngram_size, at_least=1)
        self.encoder_input_ids = encoder_input_ids.reshape(-1, encoder_input_ids.shape[-1])

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return -infinity for tokens that would complete an n-gram of the source: (rows, vocab_size)."""
        grams = ngrams(self.encoder_input_ids, self.ngram_size)
        return mask_repeated_ngrams(expand_to_rows(grams, scores), input_ids, scores)


def ngrams(ids: Tensor, n: int) -> Tensor:
    """Return all n-grams of each row: (rows, length - n + 1, n), or (rows, 0, n) if rows are shorter than n.

    >>> ngrams(torch.tensor([[7, 8, 9]]), 2).tolist()
    [[[7, 8], [8, 9]]]
    """
    return ids.unfold(1, n, 1) if ids.shape[1] >= n else ids.new_empty(len(ids), 0, n)


def mask_repeated_ngrams(grams: Tensor, input_ids: Tensor, scores: Tensor) -> Tensor:
    """Forbid the tokens that would complete one of these n-grams.

    Args:
        grams: the forbidden n-grams of each row: (rows, ngrams, n).
        input_ids: (rows, length).
        scores: (rows, vocab_size).

    Raises:
        IndexError: an n-gram would be completed by an id outside the vocabulary.
    """
    starts, ends = grams[..., :-1], grams[..., -1]
    length, started = input_ids.shape[1], starts.shape[-1]
    if length < started:
        return scores
    now = input_ids[:, None, length - started :]  # the last n - 1 tokens: (rows, 1, n - 1)
    row, run = (starts == now).all(dim=-1).nonzero(as_tuple=True)
    forbidden = torch.zeros_like(scores, dtype=torch.bool)
    forbidden[row, ends[row, run]] = True
    return scores.masked_fill(forbidden, -math.inf)
