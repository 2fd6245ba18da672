"""Tokens that have to come: all others are forbidden at that place.

Source: transformers 4.26.1, generation/logits_process.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import torch
from torch import Tensor

from tokenlab.transformers.generation.arguments import columns, ids_by_place, token_ids, whole
from tokenlab.transformers.generation.processors import LogitsProcessor

FORCED = "force_token_map (forced_decoder_ids)"


class ForcedBOSTokenLogitsProcessor(LogitsProcessor):
    """Forces the first token after the one with which a decoder starts, as translators between many languages need it.

    Raises:
        ValueError: something that is no id.

    >>> ForcedBOSTokenLogitsProcessor(2)(torch.tensor([[0]]), torch.ones(1, 3))
    tensor([[-inf, -inf, 0.]])
    """

    def __init__(self, bos_token_id: int) -> None:
        self.bos_token_id = whole("bos_token_id", bos_token_id, at_least=0)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """0 for this token and minus infinity for all others, after one token: (rows, vocab_size)."""
        if input_ids.shape[-1] != 1:
            return scores
        forced = columns("bos_token_id", [self.bos_token_id], scores)
        return torch.full_like(scores, -math.inf).index_fill(1, forced, 0.0)


class ForcedEOSTokenLogitsProcessor(LogitsProcessor):
    """Forces the end where only one more token fits.

    Args:
        max_length: of the text with its beginning.
        eos_token_id: the end token, or several, one of which has to come.

    Raises:
        ValueError: the length is no whole number from 1 on, or something that is no id.

    >>> ForcedEOSTokenLogitsProcessor(3, 1)(torch.tensor([[0, 2]]), torch.ones(1, 3))
    tensor([[-inf, 0., -inf]])
    """

    def __init__(self, max_length: int, eos_token_id: int | list[int]) -> None:
        self.max_length = whole("max_length", max_length, at_least=1)
        self.eos_token_id = token_ids("eos_token_id", eos_token_id)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """0 for each end and minus infinity for all others, at the last place: (rows, vocab_size)."""
        if input_ids.shape[-1] != self.max_length - 1:
            return scores
        forced = columns("eos_token_id", self.eos_token_id, scores)
        return torch.full_like(scores, -math.inf).index_fill(1, forced, 0.0)


class ForceTokensLogitsProcessor(LogitsProcessor):
    """Forces certain tokens at certain places.

    Args:
        force_token_map: pairs of a place, from 0, and the id that comes there; None leaves the place free, and of two
            pairs for one place the later counts.

    Raises:
        ValueError: no such pairs.

    >>> ForceTokensLogitsProcessor([[1, 2]])(torch.tensor([[0]]), torch.ones(1, 3))
    tensor([[-inf, -inf, 0.]])
    """

    def __init__(self, force_token_map: Iterable[Sequence[int | None]]) -> None:
        self.force_token_map = ids_by_place(FORCED, force_token_map)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """0 for the token of this place and minus infinity for all others: (rows, vocab_size)."""
        token = self.force_token_map.get(input_ids.shape[-1])
        if token is None:
            return scores
        forced = columns(FORCED, [token], scores)
        return torch.full_like(scores, -math.inf).index_fill(1, forced, 0.0)


class PrefixConstrainedLogitsProcessor(LogitsProcessor):
    """Lets only those tokens come that a function allows after what stands there.

    Source: De Cao et al., Autoregressive Entity Retrieval, arXiv:2010.00904, section 3.2.

    Args:
        prefix_allowed_tokens_fn: gets the number of the sentence in the batch and its ids so far, (length,), and
            answers the ids that may come next.
        num_beams: how many rows each sentence has; of a group where there are groups.

    Raises:
        ValueError: fewer than one beam; at the call: rows that do not make whole sentences.

    >>> after = {0: [1, 2], 1: [2], 2: [0]}
    >>> by_table = PrefixConstrainedLogitsProcessor(lambda batch, ids: after[int(ids[-1])], num_beams=2)
    >>> by_table(torch.tensor([[0], [1]]), torch.zeros(2, 3))
    tensor([[-inf, 0., 0.],
            [-inf, -inf, 0.]])
    """

    def __init__(self, prefix_allowed_tokens_fn: Callable[[int, Tensor], Iterable[int]], num_beams: int) -> None:
        self.prefix_allowed_tokens_fn = prefix_allowed_tokens_fn
        self.num_beams = whole("num_beams", num_beams, at_least=1)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Minus infinity for what is not allowed: (rows, vocab_size)."""
        if len(input_ids) % self.num_beams:
            raise ValueError(f"{len(input_ids)} rows do not make whole sentences of num_beams={self.num_beams} rows")
        forbidden = torch.ones_like(scores, dtype=torch.bool)
        for row, ids in enumerate(input_ids):
            allowed = self.prefix_allowed_tokens_fn(row // self.num_beams, ids)
            # subtle: nothing may be allowed: rows that have ended are asked about, too. The loops see to the others.
            after = token_ids("prefix_allowed_tokens_fn's answer", allowed, empty=True)
            forbidden[row, columns("prefix_allowed_tokens_fn's answer", after, scores)] = False
        return scores.masked_fill(forbidden, -math.inf)
