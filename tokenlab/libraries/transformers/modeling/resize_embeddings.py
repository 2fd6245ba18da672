"""Resize the embedding and the output layer: the first rows are kept, new rows are initialized randomly.

Source: transformers 4.26.1, modeling_utils.py (`resize_token_embeddings` and its helpers).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn


class EmbeddingsMixin:
    """Mixin with methods that change the size of the vocabulary."""

    def resize_token_embeddings(self: Any, new_num_tokens: int | None = None) -> nn.Embedding:
        """Change the size of the vocabulary: of the embedding, of the output layer, and of config.vocab_size.

        Args:
            new_num_tokens: the new number of ids; ids are added and removed at the end. None changes nothing.

        Returns:
            The embedding.

        Raises:
            ValueError: the number is impossible.
        """
        if new_num_tokens is None:
            unchanged: nn.Embedding = self.get_input_embeddings()
            return unchanged
        check_vocab_size(new_num_tokens)
        table: nn.Embedding = self._resize_token_embeddings(new_num_tokens)
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
        """Return an embedding with that many rows, or the old one if its size is right."""
        if new_num_tokens in (None, old_embeddings.num_embeddings):
            return old_embeddings
        check_vocab_size(new_num_tokens)
        new = nn.Embedding(new_num_tokens, old_embeddings.embedding_dim)
        return self._copy_overlapping_rows(old_embeddings, new)

    def _get_resized_lm_head(
        self: Any, old_lm_head: nn.Linear, new_num_tokens: int | None = None, transposed: bool = False
    ) -> Any:
        """Return an output layer for that many ids, or the old one if its size is right."""
        new_sizes = list(old_lm_head.weight.shape)
        if new_num_tokens in (None, new_sizes[-1 if transposed else 0]):
            return old_lm_head
        check_vocab_size(new_num_tokens)
        new_sizes[-1 if transposed else 0] = new_num_tokens
        new = nn.Linear(new_sizes[1], new_sizes[0], bias=old_lm_head.bias is not None)
        return self._copy_overlapping_rows(old_lm_head, new)

    def _copy_overlapping_rows(self: Any, old: Any, new: Any) -> Any:
        """Initialize the new layer, and copy the rows and columns that both layers have."""
        new.to(old.weight.device, dtype=old.weight.dtype)
        self._init_weights(new)
        with torch.no_grad():
            for name, numbers in old.named_parameters():
                target = new.get_parameter(name)
                shared = tuple(slice(min(sizes)) for sizes in zip(numbers.shape, target.shape, strict=True))
                target[shared] = numbers[shared]
        return new

    def resize_position_embeddings(self, new_num_position_embeddings: int) -> None:
        """Raise a NotImplementedError: this model has no position embeddings."""
        raise NotImplementedError(
            f"a {type(self).__name__} has no position embeddings to resize; a T5 adds a bias for each bucket of "
            "relative positions, which works for any length"
        )

    def get_position_embeddings(self) -> nn.Embedding | tuple[nn.Embedding, ...]:
        """Raise a NotImplementedError: this model has no position embeddings."""
        raise NotImplementedError(
            f"a {type(self).__name__} has no position embeddings; its relative position biases are in "
            "encoder.block[0].layer[0].SelfAttention.relative_attention_bias"
        )


def check_vocab_size(new_num_tokens: Any) -> None:
    """Raise a ValueError for an impossible number of ids."""
    if not isinstance(new_num_tokens, int) or isinstance(new_num_tokens, bool) or new_num_tokens < 1:
        raise ValueError(f"new_num_tokens={new_num_tokens!r} should be a whole number of at least 1, as len(tokenizer)")
