"""Tokens and words that may not come, ever or at the beginning.

Source: transformers 4.26.1, generation/logits_process.py.
"""

from __future__ import annotations

import math
import warnings
from collections import defaultdict
from collections.abc import Iterable

import torch
from torch import Tensor

from tokenlab.transformers.generation.arguments import columns, token_ids, whole, word_ids
from tokenlab.transformers.generation.processors import LogitsProcessor


class NoBadWordsLogitsProcessor(LogitsProcessor):
    """Forbids words: a token alone always, the last token of several where the others stand before it.

    Args:
        bad_words_ids: the ids of each word. Ids outside the vocabulary are never written: a warning says so.
        eos_token_id: the end token, or several, or None; a word that is only the end is not forbidden.

    Raises:
        ValueError: no list of lists of whole numbers from 0 on, or an empty one.

    >>> polite = NoBadWordsLogitsProcessor([[2], [0, 3]], eos_token_id=1)
    >>> polite(torch.tensor([[4, 0], [0, 4]]), torch.zeros(2, 5))
    tensor([[0., 0., -inf, -inf, 0.],
            [0., 0., -inf, 0., 0.]])
    """

    def __init__(self, bad_words_ids: list[list[int]], eos_token_id: int | list[int] | None) -> None:
        self.bad_words_ids = word_ids("bad_words_ids", bad_words_ids)
        self.eos_token_id = [] if eos_token_id is None else token_ids("eos_token_id", eos_token_id, empty=True)
        # subtle: a token alone is a word whose start, (), stands before everything.
        self._endings: dict[tuple[int, ...], list[int]] = defaultdict(list)  # start of a word -> what would end it
        for *start, last in self.bad_words_ids:
            if start or last not in self.eos_token_id:
                self._endings[tuple(start)].append(last)
        self._start_lengths = set(map(len, self._endings))

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Minus infinity for what would end a bad word: (rows, vocab_size)."""
        forbidden = torch.zeros_like(scores, dtype=torch.bool)
        for row, tokens in enumerate(input_ids.tolist()):
            forbidden[row, self._in_vocabulary(self._ends_of(tokens), scores.shape[1])] = True
        return scores.masked_fill(forbidden, -math.inf)

    def _ends_of(self, tokens: list[int]) -> list[int]:
        """What would end a bad word after these tokens."""
        starts = (tokens[len(tokens) - length :] for length in self._start_lengths if length <= len(tokens))
        return [last for start in starts for last in self._endings.get(tuple(start), ())]

    def _in_vocabulary(self, ids: list[int], vocab_size: int) -> list[int]:
        outside = [id for id in ids if id >= vocab_size]
        if outside:
            warnings.warn(
                f"bad_words_ids holds {outside[0]}, and ids go from 0 to {vocab_size - 1}, so it is never written; "
                "are the ids those of this model's tokenizer?",
                UserWarning,
                stacklevel=3,
            )
        return [id for id in ids if id < vocab_size]


class SuppressTokensLogitsProcessor(LogitsProcessor):
    """Forbids these tokens always.

    Raises:
        ValueError: something that is no id.

    >>> SuppressTokensLogitsProcessor([0, 2])(torch.tensor([[1]]), torch.zeros(1, 3))
    tensor([[-inf, 0., -inf]])
    """

    def __init__(self, suppress_tokens: Iterable[int]) -> None:
        self.suppress_tokens = token_ids("suppress_tokens", suppress_tokens, empty=True)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Minus infinity for each of them: (rows, vocab_size)."""
        return scores.index_fill(1, columns("suppress_tokens", self.suppress_tokens, scores), -math.inf)


class SuppressTokensAtBeginLogitsProcessor(LogitsProcessor):
    """Forbids these tokens as the first one that is written.

    Args:
        begin_index: how many tokens stand there before it.

    Raises:
        ValueError: something that is no id, or a length below 0.

    >>> not_first = SuppressTokensAtBeginLogitsProcessor([2], begin_index=1)
    >>> [not_first(ids, torch.zeros(1, 3)).tolist() for ids in (torch.tensor([[0]]), torch.tensor([[0, 1]]))]
    [[[0.0, 0.0, -inf]], [[0.0, 0.0, 0.0]]]
    """

    def __init__(self, begin_suppress_tokens: Iterable[int], begin_index: int) -> None:
        self.begin_suppress_tokens = token_ids("begin_suppress_tokens", begin_suppress_tokens, empty=True)
        self.begin_index = whole("begin_index", begin_index, at_least=0)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Minus infinity for each of them at the first step: (rows, vocab_size)."""
        if input_ids.shape[1] != self.begin_index:
            return scores
        return scores.index_fill(1, columns("begin_suppress_tokens", self.begin_suppress_tokens, scores), -math.inf)
