"""Processors that control the length of outputs through the end token's logit.

Source: transformers 4.26.1, generation/logits_process.py.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from tokenlab.libraries.transformers.generation.argument_checks import (
    check_exponential_decay,
    check_integer,
    check_token_columns,
    check_token_ids,
)
from tokenlab.libraries.transformers.generation.logits.logits_processor import LogitsProcessor


class MinLengthLogitsProcessor(LogitsProcessor):
    """Forbid end tokens until the text has `min_length` tokens, including the prompt.

    Args:
        eos_token_id: the end token, or several.

    Raises:
        ValueError: a length or an id is not an integer of at least 0, or there is no id.

    >>> MinLengthLogitsProcessor(3, eos_token_id=1)(torch.tensor([[0, 2]]), torch.zeros(1, 3))
    tensor([[0., -inf, 0.]])
    """

    def __init__(self, min_length: int, eos_token_id: int | list[int]) -> None:
        self.min_length = check_integer("min_length", min_length, at_least=0)
        self.eos_token_id = check_token_ids("eos_token_id", eos_token_id)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return -infinity for end tokens: (rows, vocab_size)."""
        if input_ids.shape[-1] >= self.min_length:
            return scores
        return scores.index_fill(1, check_token_columns("eos_token_id", self.eos_token_id, scores), -math.inf)


class MinNewTokensLengthLogitsProcessor(LogitsProcessor):
    """Forbid end tokens until `min_new_tokens` tokens follow the prompt.

    Args:
        prompt_length_to_skip: the length of the prompt; with T5 the decoder starts with one token.
        eos_token_id: the end token, or several.

    Raises:
        ValueError: a length or an id is not an integer of at least 0, or there is no id.

    >>> at_least_one = MinNewTokensLengthLogitsProcessor(2, min_new_tokens=1, eos_token_id=1)
    >>> at_least_one(torch.tensor([[0, 2]]), torch.zeros(1, 3))
    tensor([[0., -inf, 0.]])
    """

    def __init__(self, prompt_length_to_skip: int, min_new_tokens: int, eos_token_id: int | list[int]) -> None:
        self.prompt_length_to_skip = check_integer("prompt_length_to_skip", prompt_length_to_skip, at_least=0)
        self.min_new_tokens = check_integer("min_new_tokens", min_new_tokens, at_least=0)
        self.eos_token_id = check_token_ids("eos_token_id", eos_token_id)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return -infinity for end tokens: (rows, vocab_size)."""
        if input_ids.shape[-1] - self.prompt_length_to_skip >= self.min_new_tokens:
            return scores
        return scores.index_fill(1, check_token_columns("eos_token_id", self.eos_token_id, scores), -math.inf)


class ExponentialDecayLengthPenalty(LogitsProcessor):
    """Raise the logit of end tokens more with every token after a given length.

    Args:
        exponential_decay_length_penalty: the number of new tokens after which it starts, and the factor by which it
            grows with each further token.
        eos_token_id: the end token, or several.
        input_ids_seq_length: the length of the prompt.

    Raises:
        ValueError: the first argument is not such a pair, the length is below 0, or the factor is not above 0.

    >>> hurry = ExponentialDecayLengthPenalty((1, 2.0), eos_token_id=0, input_ids_seq_length=1)
    >>> [hurry(torch.zeros(1, length, dtype=torch.long), torch.tensor([[-1.0, 3.0]])).tolist() for length in (2, 3, 4)]
    [[[-1.0, 3.0]], [[0.0, 3.0]], [[2.0, 3.0]]]
    """

    def __init__(
        self,
        exponential_decay_length_penalty: tuple[int, float],
        eos_token_id: int | list[int],
        input_ids_seq_length: int,
    ) -> None:
        start, factor = check_exponential_decay("exponential_decay_length_penalty", exponential_decay_length_penalty)
        self.regulation_start = start + check_integer("input_ids_seq_length", input_ids_seq_length, at_least=0)
        self.regulation_factor = factor
        self.eos_token_id = check_token_ids("eos_token_id", eos_token_id)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return the scores with raised end tokens: (rows, vocab_size)."""
        excess = input_ids.shape[-1] - self.regulation_start
        if excess <= 0:
            return scores
        ends = check_token_columns("eos_token_id", self.eos_token_id, scores)
        score = scores[:, ends]
        # subtle: score * factor would lower a negative score, such as a log-probability.
        raised = score + score.abs() * (self.regulation_factor**excess - 1)
        return scores.index_copy(1, ends, torch.where(score.isneginf(), score, raised))
