"""Tables of ids that grow and shrink: the first rows stay, new rows are drawn.

Source: transformers 4.26.1, modeling_utils.py (`resize_token_embeddings` and its helpers).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn


class EmbeddingsMixin:
    """Another number of ids."""

    def resize_token_embeddings(self: Any, new_num_tokens: int | None = None) -> Any:
        """Give the model another number of ids: the table, the scores, and config.vocab_size.

        Args:
            new_num_tokens: how many ids; new ones come at the end, and are taken from there. None changes nothing.

        Returns:
            The table.

        Raises:
            ValueError: the number is impossible.
        """
        if new_num_tokens is None:
            return self.get_input_embeddings()
        check_number(new_num_tokens)
        table = self._resize_token_embeddings(new_num_tokens)
        self.config.vocab_size = self.vocab_size = new_num_tokens
        self.tie_weights()
        return table

    def _resize_token_embeddings(self: Any, new_num_tokens: int | None) -> Any:
        self.set_input_embeddings(self._get_resized_embeddings(self.get_input_embeddings(), new_num_tokens))
        head = self.get_output_embeddings()
        if head is not None and not self.config.tie_word_embeddings:
            self.set_output_embeddings(self._get_resized_lm_head(head, new_num_tokens))
        return self.get_input_embeddings()

    def _get_resized_embeddings(self: Any, old_embeddings: nn.Embedding, new_num_tokens: int | None = None) -> Any:
        """A table with that many rows, or the old one where they are as many."""
        if new_num_tokens in (None, old_embeddings.num_embeddings):
            return old_embeddings
        check_number(new_num_tokens)
        new = nn.Embedding(new_num_tokens, old_embeddings.embedding_dim)
        return self._with_rows_of(old_embeddings, new)

    def _get_resized_lm_head(
        self: Any, old_lm_head: nn.Linear, new_num_tokens: int | None = None, transposed: bool = False
    ) -> Any:
        """Scores for that many ids, or the old layer where they are as many."""
        new_sizes = list(old_lm_head.weight.shape)
        if new_num_tokens in (None, new_sizes[-1 if transposed else 0]):
            return old_lm_head
        check_number(new_num_tokens)
        new_sizes[-1 if transposed else 0] = new_num_tokens
        new = nn.Linear(new_sizes[1], new_sizes[0], bias=old_lm_head.bias is not None)
        return self._with_rows_of(old_lm_head, new)

    def _with_rows_of(self: Any, old: Any, new: Any) -> Any:
        """The new layer with the old one's numbers as far as both reach."""
        new.to(old.weight.device, dtype=old.weight.dtype)
        self._init_weights(new)
        with torch.no_grad():
            for name, numbers in old.named_parameters():
                shared = tuple(
                    slice(min(sizes)) for sizes in zip(numbers.shape, new.get_parameter(name).shape, strict=True)
                )
                new.get_parameter(name)[shared] = numbers[shared]
        return new

    def resize_position_embeddings(self, new_num_position_embeddings: int) -> None:
        """Refuse: this model has no table of positions.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(
            f"a {type(self).__name__} has no table of positions to resize; a T5 adds a bias for each class of "
            "distances, which reaches over any length"
        )

    def get_position_embeddings(self) -> Any:
        """Refuse: this model has no table of positions.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(
            f"a {type(self).__name__} has no table of positions; its biases are in "
            "encoder.block[0].layer[0].SelfAttention.relative_attention_bias"
        )


def check_number(new_num_tokens: Any) -> None:
    """Raise a ValueError for an impossible number of ids."""
    if not isinstance(new_num_tokens, int) or isinstance(new_num_tokens, bool) or new_num_tokens < 1:
        raise ValueError(f"new_num_tokens={new_num_tokens!r} should be a whole number of at least 1, as len(tokenizer)")
