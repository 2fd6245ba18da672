"""Attention masks: masks of ones and zeros become numbers that are added to the attention scores.

Source: transformers 4.26.1, modeling_utils.py (ModuleUtilsMixin).
"""

from __future__ import annotations

import torch
from torch import Tensor

from tokenlab.libraries.transformers.modeling.input_checks import check_shape


def to_additive_mask(mask: Tensor, dtype: torch.dtype) -> Tensor:
    """Return 0 where the mask is 1, and the most negative number of the type where it is 0.

    subtle: with -inf, the softmax of a row without any allowed key would be nan; with this number it is uniform.

    >>> to_additive_mask(torch.tensor([1, 0]), torch.float32)
    tensor([-0.0000e+00, -3.4028e+38])
    """
    return (1 - mask.to(dtype)) * torch.finfo(dtype).min


def broadcast_over_heads(mask: Tensor) -> Tensor:
    """Return a mask (batch, keys) or (batch, queries, keys) in a shape that broadcasts over heads (and queries).

    Raises:
        ValueError: the mask has another number of dimensions.
    """
    check_shape("the mask", mask, mask.dim() in (2, 3), "(batch, keys) or (batch, queries, keys)")
    return mask[:, None] if mask.dim() == 3 else mask[:, None, None]


def causal_mask(query_length: int, key_length: int, device: torch.device | None = None) -> Tensor:
    """Return True where a key is not later than a query: (queries, keys); the queries are the last positions.

    >>> causal_mask(2, 3).int()
    tensor([[1, 1, 0],
            [1, 1, 1]], dtype=torch.int32)
    """
    key = torch.arange(key_length, device=device)
    query = key[key_length - query_length :, None]
    return key <= query  # (query_length, key_length)
