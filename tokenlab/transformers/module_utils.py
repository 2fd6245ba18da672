"""`ModuleUtilsMixin`: where a model computes, how large it is, and masks in the shapes that attention adds.

Source: transformers 4.26.1, modeling_utils.py (`ModuleUtilsMixin`).
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from tokenlab.transformers.memory import MemoryMixin
from tokenlab.transformers.t5_masks import additive, causal


class ModuleUtilsMixin(MemoryMixin):
    """Small members that every model has."""

    @property
    def device(self: Any) -> torch.device:
        """Where the model computes: where its first parameter is."""
        device: torch.device = next(self.parameters()).device
        return device

    @property
    def dtype(self: Any) -> torch.dtype:
        """The type in which the model computes: that of its first parameter with fractions."""
        dtypes = [parameter.dtype for parameter in self.parameters()]
        dtype: torch.dtype = next((dtype for dtype in dtypes if dtype.is_floating_point), dtypes[-1])
        return dtype

    # --- masks --------------------------------------------------------------------------------------

    def invert_attention_mask(self, encoder_attention_mask: Tensor) -> Tensor:
        """The mask of cross attention: 0 for what may be looked at, the most negative number for padding.

        Args:
            encoder_attention_mask: (batch, keys), or (batch, queries, keys).
        """
        return additive(_with_heads(encoder_attention_mask), self.dtype)

    def get_extended_attention_mask(
        self: Any,
        attention_mask: Tensor,
        input_shape: Sequence[int],
        device: torch.device | None = None,
        dtype: torch.dtype | None = None,
    ) -> Tensor:
        """The mask of self attention, as it is added to the scores: (batch, 1, queries or 1, keys).

        Args:
            attention_mask: (batch, keys), or (batch, queries, keys), which then says it all; 1 is looked at.
            input_shape: (batch, queries); a decoder's queries do not look at later keys.
            dtype: of the answer, if not the model's.
        """
        if attention_mask.dim() == 2 and self.config.is_decoder:
            mask = self.create_extended_attention_mask_for_decoder(input_shape, attention_mask, device)
        else:
            warn_of_device(device)
            mask = _with_heads(attention_mask)
        return additive(mask, dtype or self.dtype)

    @staticmethod
    def create_extended_attention_mask_for_decoder(
        input_shape: Sequence[int], attention_mask: Tensor, device: torch.device | None = None
    ) -> Tensor:
        """Ones where a query may look: at keys that are no padding and not later; (batch, 1, queries, keys).

        Args:
            input_shape: (batch, queries); the queries are the last of the keys' positions.
            attention_mask: (batch, keys).
        """
        warn_of_device(device)
        _, queries = input_shape
        if queries > attention_mask.shape[1]:
            raise ValueError(
                f"{queries} queries are more than the mask's {attention_mask.shape[1]} keys; it has one number for "
                "each key, those in the cache first"
            )
        not_later = causal(queries, attention_mask.shape[1], device or attention_mask.device).to(attention_mask.dtype)
        return not_later[None, None] * attention_mask[:, None, None, :]

    def get_head_mask(
        self, head_mask: Tensor | None, num_hidden_layers: int, is_attention_chunked: bool = False
    ) -> Tensor | list[None]:
        """For each layer what the weights of its heads are multiplied by, or None for each.

        Args:
            head_mask: (heads,) for all layers, or (layers, heads): 1 keeps a head and 0 silences it.
            is_attention_chunked: add one more dimension at the end.
        """
        if head_mask is None:
            return [None] * num_hidden_layers
        mask = self._convert_head_mask_to_5d(head_mask, num_hidden_layers)
        return mask.unsqueeze(-1) if is_attention_chunked is True else mask

    def _convert_head_mask_to_5d(self, head_mask: Tensor, num_hidden_layers: int) -> Tensor:
        """(layers, 1, heads, 1, 1)."""
        if head_mask.dim() == 1:
            head_mask = head_mask.expand(num_hidden_layers, -1)
        if head_mask.dim() == 2:
            head_mask = head_mask[:, None, :, None, None]
        if head_mask.dim() != 5:
            raise ValueError(
                f"head_mask has the shape {tuple(head_mask.shape)} and should have (heads,) or (layers, heads)"
            )
        return head_mask.to(dtype=self.dtype)

    # --- sizes --------------------------------------------------------------------------------------

    def num_parameters(self: Any, only_trainable: bool = False, exclude_embeddings: bool = False) -> int:
        """How many numbers the model has learned; what two modules share counts once.

        Args:
            only_trainable: leave out what does not learn.
            exclude_embeddings: leave out tables that are looked up, relative positions among them.
        """
        tables = {
            f"{name}.weight"
            for name, module in self.named_modules()
            if exclude_embeddings and isinstance(module, nn.Embedding)
        }
        return sum(
            parameter.numel()
            for name, parameter in self.named_parameters()
            if name not in tables and (parameter.requires_grad or not only_trainable)
        )

    def estimate_tokens(self: Any, input_dict: Mapping[str, Tensor]) -> int:
        """How many ids the input has, padding among them; without ids 0, and once a warning."""
        if self.main_input_name in input_dict:
            return input_dict[self.main_input_name].numel()
        if not self.warnings_issued.get("estimate_tokens"):
            self.warnings_issued["estimate_tokens"] = True
            warnings.warn(
                f"the input has no {self.main_input_name}, so its tokens are not counted and its operations are not "
                "estimated: both are 0",
                UserWarning,
                stacklevel=2,
            )
        return 0

    def floating_point_ops(self, input_dict: Mapping[str, Tensor], exclude_embeddings: bool = True) -> int:
        """About how many operations forward and backward take: six for each token and parameter.

        Two forward (multiply and add) and four backward; what attention does between tokens is left out.
        Source: Kaplan et al. 2020, section 2.1.
        """
        return 6 * self.estimate_tokens(input_dict) * self.num_parameters(exclude_embeddings=exclude_embeddings)


def _with_heads(mask: Tensor) -> Tensor:
    """(batch, keys) or (batch, queries, keys) as what goes with (batch, heads, queries, keys)."""
    if mask.dim() not in (2, 3):
        raise ValueError(
            f"the mask has the shape {tuple(mask.shape)} and should have (batch, keys) or (batch, queries, keys)"
        )
    return mask[:, None] if mask.dim() == 3 else mask[:, None, None]


def warn_of_device(device: torch.device | None) -> None:
    """Say that `device` is no longer needed."""
    if device is not None:
        warnings.warn("device is not needed: the mask stays where it is; leave it out", FutureWarning, stacklevel=3)
