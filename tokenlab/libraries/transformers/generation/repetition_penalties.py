"""Processors against repetition: they penalize single tokens, or forbid those that would repeat an n-gram.

Penalized are tokens of the same text, tokens missing in the source, and tokens of other beam groups.

Source: transformers 4.26.1, generation/logits_process.py; Paulus et al., arXiv:1705.04304, section 2.5.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from tokenlab.libraries.transformers.generation.argument_checks import (
    check_beam_groups,
    check_integer,
    check_positive_float,
    check_token_columns,
)
from tokenlab.libraries.transformers.generation.logits_warpers import LogitsProcessor


class RepetitionPenaltyLogitsProcessor(LogitsProcessor):
    """Lower the logit of every token of the text once, however often it occurs.

    Source: Keskar et al., CTRL, arXiv:1909.05858, section 4.1, which covers only positive scores.

    Args:
        penalty: above 1 to discourage repetition, below 1 to encourage it.

    Raises:
        ValueError: the penalty is not a float above 0.

    >>> RepetitionPenaltyLogitsProcessor(2.0)(torch.tensor([[0, 1, 1]]), torch.tensor([[4.0, -4.0, 4.0]]))
    tensor([[ 2., -8.,  4.]])
    """

    def __init__(self, penalty: float) -> None:
        self.penalty = check_positive_float("penalty", penalty, "1.0 changes nothing and 1.2 is usual")

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return lower scores for the tokens of each row: (rows, vocab_size)."""
        score = scores.gather(1, input_ids)  # (rows, length)
        # subtle: dividing would raise a negative score; both branches lower it.
        penalized = torch.where(score < 0, score * self.penalty, score / self.penalty)
        return scores.scatter(1, input_ids, penalized)


class EncoderRepetitionPenaltyLogitsProcessor(LogitsProcessor):
    """Raise the logit of every token of the source, which penalizes all other tokens.

    Args:
        penalty: above 1 to discourage tokens that are not in the source.
        encoder_input_ids: (batch, source), or a single source: (source,).

    Raises:
        ValueError: the penalty is not a float above 0.

    >>> faithful = EncoderRepetitionPenaltyLogitsProcessor(2.0, torch.tensor([[0, 1]]))
    >>> faithful(torch.tensor([[5], [5]]), torch.tensor([[4.0, -4.0, 4.0], [1.0, 1.0, 1.0]]))
    tensor([[ 8., -2.,  4.],
            [ 2.,  2.,  1.]])
    """

    def __init__(self, penalty: float, encoder_input_ids: Tensor) -> None:
        self.penalty = 1 / check_positive_float("penalty", penalty, "1.0 changes nothing")
        self.encoder_input_ids = encoder_input_ids.reshape(-1, encoder_input_ids.shape[-1])

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return higher scores for the tokens of each row's source: (rows, vocab_size)."""
        check_token_columns("encoder_input_ids", [int(self.encoder_input_ids.max())], scores)
        sources = expand_to_rows(self.encoder_input_ids, scores)  # (rows, source)
        score = scores.gather(1, sources)
        raised = torch.where(score < 0, score * self.penalty, score / self.penalty)
        return scores.scatter(1, sources, raised)


def expand_to_rows(sources: Tensor, scores: Tensor) -> Tensor:
    """Return the source (batch, ...) of each row of scores, (batch * beams, vocab_size); beams are consecutive rows.

    Raises:
        ValueError: the number of rows is not a multiple of the number of sources.

    >>> expand_to_rows(torch.tensor([[7], [8]]), torch.zeros(4, 3)).tolist()
    [[7], [7], [8], [8]]
    """
    beams, rest = divmod(len(scores), len(sources))
    if rest:
        raise ValueError(
            f"encoder_input_ids has {len(sources)} rows and scores has {len(scores)}; "
            "each source should have the same number of rows of scores"
        )
    return sources.repeat_interleave(beams, dim=0)


class HammingDiversityLogitsProcessor(LogitsProcessor):
    """Lower a token's score for every beam of an earlier group that selected it at this step.

    Source: Vijayakumar et al., Diverse Beam Search, arXiv:1610.02424, section 4.

    Args:
        diversity_penalty: the amount that is subtracted for each earlier beam with that token.
        num_beams: the number of beams of all groups together.
        num_beam_groups: the number of groups.

    Raises:
        ValueError: the penalty is not a float above 0, there are fewer than two beams or groups, or the beams cannot be
            divided into equal groups.

    >>> differ = HammingDiversityLogitsProcessor(0.5, num_beams=3, num_beam_groups=3)
    >>> differ(torch.tensor([[0]]), torch.zeros(1, 3), current_tokens=torch.tensor([2, 2, 0]), beam_group_idx=2)
    tensor([[ 0.,  0., -1.]])
    """

    def __init__(self, diversity_penalty: float, num_beams: int, num_beam_groups: int) -> None:
        self.diversity_penalty = check_positive_float("diversity_penalty", diversity_penalty, "0.5 is usual")
        self.num_beams = check_integer("num_beams", num_beams, at_least=2)
        self.num_beam_groups = check_integer("num_beam_groups", num_beam_groups, at_least=2)
        check_beam_groups(self.num_beams, self.num_beam_groups)

    def __call__(  # type: ignore[override]
        self, input_ids: Tensor, scores: Tensor, current_tokens: Tensor, beam_group_idx: int
    ) -> Tensor:
        """Return lower scores for tokens that earlier groups selected: (batch * beams of a group, vocab_size).

        Args:
            input_ids: the ids of this group's beams.
            scores: the scores of this group's beams.
            current_tokens: the tokens that beams of earlier groups selected at this step: (batch * num_beams,).
            beam_group_idx: the index of this group, from 0.
        """
        group_size = self.num_beams // self.num_beam_groups
        chosen = current_tokens.view(-1, self.num_beams)[:, : beam_group_idx * group_size]  # (batch, earlier beams)
        counts = scores.new_zeros(len(chosen), scores.shape[1])
        counts = counts.scatter_add(1, chosen, torch.ones_like(chosen, dtype=scores.dtype))  # (batch, vocab_size)
        return scores - self.diversity_penalty * counts.repeat_interleave(group_size, dim=0)


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
    """Forbid the tokens that would complete one of the n-grams of their row, (rows, ngrams, n).

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
