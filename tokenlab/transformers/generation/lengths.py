"""How soon a text may end, and how late it should: the score of the end token is moved.

Source: transformers 4.26.1, generation/logits_process.py.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from tokenlab.transformers.generation.arguments import columns, start_and_factor, token_ids, whole
from tokenlab.transformers.generation.processors import LogitsProcessor


class MinLengthLogitsProcessor(LogitsProcessor):
    """Forbids the end until the text has `min_length` tokens, those at its beginning included.

    Args:
        eos_token_id: the end token, or several.

    Raises:
        ValueError: a length or an id that is no whole number from 0 on, or no id at all.

    >>> MinLengthLogitsProcessor(3, eos_token_id=1)(torch.tensor([[0, 2]]), torch.zeros(1, 3))
    tensor([[0., -inf, 0.]])
    """

    def __init__(self, min_length: int, eos_token_id: int | list[int]) -> None:
        self.min_length = whole("min_length", min_length, at_least=0)
        self.eos_token_id = token_ids("eos_token_id", eos_token_id)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Minus infinity for every end token: (rows, vocab_size)."""
        if input_ids.shape[-1] >= self.min_length:
            return scores
        return scores.index_fill(1, columns("eos_token_id", self.eos_token_id, scores), -math.inf)


class MinNewTokensLengthLogitsProcessor(LogitsProcessor):
    """Forbids the end until `min_new_tokens` were written after the prompt.

    Args:
        prompt_length_to_skip: how many tokens do not count; a T5's decoder starts with one.
        eos_token_id: the end token, or several.

    Raises:
        ValueError: a length or an id that is no whole number from 0 on, or no id at all.

    >>> at_least_one = MinNewTokensLengthLogitsProcessor(2, min_new_tokens=1, eos_token_id=1)
    >>> at_least_one(torch.tensor([[0, 2]]), torch.zeros(1, 3))
    tensor([[0., -inf, 0.]])
    """

    def __init__(self, prompt_length_to_skip: int, min_new_tokens: int, eos_token_id: int | list[int]) -> None:
        self.prompt_length_to_skip = whole("prompt_length_to_skip", prompt_length_to_skip, at_least=0)
        self.min_new_tokens = whole("min_new_tokens", min_new_tokens, at_least=0)
        self.eos_token_id = token_ids("eos_token_id", eos_token_id)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Minus infinity for every end token: (rows, vocab_size)."""
        if input_ids.shape[-1] - self.prompt_length_to_skip >= self.min_new_tokens:
            return scores
        return scores.index_fill(1, columns("eos_token_id", self.eos_token_id, scores), -math.inf)


class ExponentialDecayLengthPenalty(LogitsProcessor):
    """Raises the end's score more with every token after a certain length.

    Args:
        exponential_decay_length_penalty: after how many new tokens it starts, and the factor by which it grows with
            each token from there.
        eos_token_id: the end token, or several.
        input_ids_seq_length: how many tokens stand there before the first new one.

    Raises:
        ValueError: no such pair, a length below 0, or a factor that is not above 0.

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
        start, factor = start_and_factor("exponential_decay_length_penalty", exponential_decay_length_penalty)
        self.regulation_start = start + whole("input_ids_seq_length", input_ids_seq_length, at_least=0)
        self.regulation_factor = factor
        self.eos_token_id = token_ids("eos_token_id", eos_token_id)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """More for every end token: (rows, vocab_size)."""
        too_many = input_ids.shape[-1] - self.regulation_start
        if too_many <= 0:
            return scores
        ends = columns("eos_token_id", self.eos_token_id, scores)
        score = scores[:, ends]
        # subtle: score * factor would push a negative score, such as a log-probability, down.
        raised = score + score.abs() * (self.regulation_factor**too_many - 1)
        return scores.index_copy(1, ends, torch.where(score.isneginf(), score, raised))
