"""Processors that force tokens: all others are forbidden at a position.

Source: transformers 4.26.1, generation/logits_process.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import torch
from torch import Tensor

from tokenlab.libraries.transformers.generation.argument_checks import (
    check_forced_ids_by_position,
    check_integer,
    check_token_columns,
    check_token_ids,
)
from tokenlab.libraries.transformers.generation.logits.logits_processor import LogitsProcessor

FORCED = "force_token_map (forced_decoder_ids)"


def force_tokens(argument: str, ids: list[int], scores: Tensor) -> Tensor:
    """Return 0 for these ids and -infinity for all others: (rows, vocab_size)."""
    return torch.full_like(scores, -math.inf).index_fill(1, check_token_columns(argument, ids, scores), 0.0)


class ForcedBOSTokenLogitsProcessor(LogitsProcessor):
    """Force the first token after the decoder start token, as multilingual translation models need it.

    Raises:
        ValueError: `bos_token_id` is not an id.

    >>> ForcedBOSTokenLogitsProcessor(2)(torch.tensor([[0]]), torch.ones(1, 3))
    tensor([[-inf, -inf, 0.]])
    """

    def __init__(self, bos_token_id: int) -> None:
        self.bos_token_id = check_integer("bos_token_id", bos_token_id, at_least=0)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return 0 for this token and -infinity for all others after one token: (rows, vocab_size)."""
        if input_ids.shape[-1] != 1:
            return scores
        return force_tokens("bos_token_id", [self.bos_token_id], scores)


class ForcedEOSTokenLogitsProcessor(LogitsProcessor):
    """Force an end token at the last position.

    Args:
        max_length: the maximum length including the prompt.
        eos_token_id: the end token, or several, one of which is forced.

    Raises:
        ValueError: the length is not an integer of at least 1, or an id is invalid.

    >>> ForcedEOSTokenLogitsProcessor(3, 1)(torch.tensor([[0, 2]]), torch.ones(1, 3))
    tensor([[-inf, 0., -inf]])
    """

    def __init__(self, max_length: int, eos_token_id: int | list[int]) -> None:
        self.max_length = check_integer("max_length", max_length, at_least=1)
        self.eos_token_id = check_token_ids("eos_token_id", eos_token_id)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return 0 for end tokens and -infinity for all others at the last position: (rows, vocab_size)."""
        if input_ids.shape[-1] != self.max_length - 1:
            return scores
        return force_tokens("eos_token_id", self.eos_token_id, scores)


class ForceTokensLogitsProcessor(LogitsProcessor):
    """Force given tokens at given positions.

    Args:
        force_token_map: pairs of a position, from 0, and an id; None as id forces nothing, and the last pair for a
            position counts.

    Raises:
        ValueError: the argument does not consist of such pairs.

    >>> ForceTokensLogitsProcessor([[1, 2]])(torch.tensor([[0]]), torch.ones(1, 3))
    tensor([[-inf, -inf, 0.]])
    """

    def __init__(self, force_token_map: Iterable[Sequence[int | None]]) -> None:
        self.force_token_map = check_forced_ids_by_position(FORCED, force_token_map)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return 0 for the token of this position and -infinity for all others: (rows, vocab_size)."""
        token = self.force_token_map.get(input_ids.shape[-1])
        return scores if token is None else force_tokens(FORCED, [token], scores)


class PrefixConstrainedLogitsProcessor(LogitsProcessor):
    """Forbid all tokens but those that a function allows after the ids so far.

    Source: De Cao et al., Autoregressive Entity Retrieval, arXiv:2010.00904, section 3.2.

    Args:
        prefix_allowed_tokens_fn: a function of the sentence's index in the batch and its ids so far, (length,), that
            returns the ids that may come next.
        num_beams: the number of rows of each sentence, or of each sentence and group.

    Raises:
        ValueError: num_beams is below 1; at the call: the number of rows is not divisible by num_beams.

    >>> after = {0: [1, 2], 1: [2], 2: [0]}
    >>> by_table = PrefixConstrainedLogitsProcessor(lambda batch, ids: after[int(ids[-1])], num_beams=2)
    >>> by_table(torch.tensor([[0], [1]]), torch.zeros(2, 3))
    tensor([[-inf, 0., 0.],
            [-inf, -inf, 0.]])
    """

    def __init__(self, prefix_allowed_tokens_fn: Callable[[int, Tensor], Iterable[int]], num_beams: int) -> None:
        self.prefix_allowed_tokens_fn = prefix_allowed_tokens_fn
        self.num_beams = check_integer("num_beams", num_beams, at_least=1)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return -infinity for tokens that are not allowed: (rows, vocab_size)."""
        if len(input_ids) % self.num_beams:
            raise ValueError(
                f"{len(input_ids)} rows cannot be divided into sentences of num_beams={self.num_beams} rows"
            )
        forbidden = torch.ones_like(scores, dtype=torch.bool)
        for row, ids in enumerate(input_ids):
            allowed = self.prefix_allowed_tokens_fn(row // self.num_beams, ids)
            # subtle: an empty result is valid for finished rows, which are processed as well; loops check the others.
            after = check_token_ids("prefix_allowed_tokens_fn's result", allowed, empty=True)
            forbidden[row, check_token_columns("prefix_allowed_tokens_fn's result", after, scores)] = False
        return scores.masked_fill(forbidden, -math.inf)
