"""Processors that forbid tokens and words, always or at the beginning.

Source: transformers 4.26.1, generation/logits_process.py.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable

import torch
from torch import Tensor

from tokenlab.libraries.transformers.generation.argument_checks import (
    check_integer,
    check_token_columns,
    check_token_ids,
    check_word_ids,
)
from tokenlab.libraries.transformers.generation.logits.logits_processor import LogitsProcessor
from tokenlab.printing.errors import warn


class NoBadWordsLogitsProcessor(LogitsProcessor):
    """Forbid words: a single token always, the last of several tokens if the others precede it.

    Args:
        bad_words_ids: the ids of each word. Ids outside the vocabulary cause a warning; they are never generated.
        eos_token_id: the end token, or several, or None; a word of only an end token is not forbidden.

    Raises:
        ValueError: `bad_words_ids` is not a list of lists of ids, or a list is empty.

    >>> polite = NoBadWordsLogitsProcessor([[2], [0, 3]], eos_token_id=1)
    >>> polite(torch.tensor([[4, 0], [0, 4]]), torch.zeros(2, 5))
    tensor([[0., 0., -inf, -inf, 0.],
            [0., 0., -inf, 0., 0.]])
    """

    def __init__(self, bad_words_ids: list[list[int]], eos_token_id: int | list[int] | None) -> None:
        self.bad_words_ids = check_word_ids("bad_words_ids", bad_words_ids)
        self.eos_token_id = [] if eos_token_id is None else check_token_ids("eos_token_id", eos_token_id, empty=True)
        # subtle: a word of one token has the start (), which matches everywhere.
        self._endings: dict[tuple[int, ...], list[int]] = defaultdict(list)  # start of a word -> last tokens
        for *start, last in self.bad_words_ids:
            if start or last not in self.eos_token_id:
                self._endings[tuple(start)].append(last)
        self._start_lengths = set(map(len, self._endings))

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return -infinity for tokens that would complete a bad word: (rows, vocab_size)."""
        forbidden = torch.zeros_like(scores, dtype=torch.bool)
        for row, tokens in enumerate(input_ids.tolist()):
            forbidden[row, self._in_vocabulary(self._last_tokens(tokens), scores.shape[1])] = True
        return scores.masked_fill(forbidden, -math.inf)

    def _last_tokens(self, tokens: list[int]) -> list[int]:
        """Return the tokens that would complete a bad word after these tokens."""
        starts = (tokens[len(tokens) - length :] for length in self._start_lengths if length <= len(tokens))
        return [last for start in starts for last in self._endings.get(tuple(start), ())]

    def _in_vocabulary(self, ids: list[int], vocab_size: int) -> list[int]:
        outside = [id for id in ids if id >= vocab_size]
        if outside:
            warn(
                f"bad_words_ids holds {outside[0]}, and ids go from 0 to {vocab_size - 1}, so it is never generated; "
                "are the ids those of this model's tokenizer?",
                UserWarning,
            )
        return [id for id in ids if id < vocab_size]


class SuppressTokensLogitsProcessor(LogitsProcessor):
    """Forbid tokens at every step.

    Raises:
        ValueError: an element is not an id.

    >>> SuppressTokensLogitsProcessor([0, 2])(torch.tensor([[1]]), torch.zeros(1, 3))
    tensor([[-inf, 0., -inf]])
    """

    def __init__(self, suppress_tokens: Iterable[int]) -> None:
        self.suppress_tokens = check_token_ids("suppress_tokens", suppress_tokens, empty=True)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return -infinity for each of them: (rows, vocab_size)."""
        return scores.index_fill(1, check_token_columns("suppress_tokens", self.suppress_tokens, scores), -math.inf)


class SuppressTokensAtBeginLogitsProcessor(LogitsProcessor):
    """Forbid tokens at the first generated position.

    Args:
        begin_index: the number of tokens before it.

    Raises:
        ValueError: an element is not an id, or `begin_index` is below 0.

    >>> not_first = SuppressTokensAtBeginLogitsProcessor([2], begin_index=1)
    >>> [not_first(ids, torch.zeros(1, 3)).tolist() for ids in (torch.tensor([[0]]), torch.tensor([[0, 1]]))]
    [[[0.0, 0.0, -inf]], [[0.0, 0.0, 0.0]]]
    """

    def __init__(self, begin_suppress_tokens: Iterable[int], begin_index: int) -> None:
        self.begin_suppress_tokens = check_token_ids("begin_suppress_tokens", begin_suppress_tokens, empty=True)
        self.begin_index = check_integer("begin_index", begin_index, at_least=0)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return -infinity for each of them at the first step: (rows, vocab_size)."""
        if input_ids.shape[1] != self.begin_index:
            return scores
        return scores.index_fill(
            1, check_token_columns("begin_suppress_tokens", self.begin_suppress_tokens, scores), -math.inf
        )
