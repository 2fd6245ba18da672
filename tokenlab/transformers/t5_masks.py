"""Who may look at whom: masks of ones and zeros become numbers that are added to scores.

Source: transformers 4.26.1, modeling_utils.py (ModuleUtilsMixin).
"""

from __future__ import annotations

import torch
from torch import Tensor

from tokenlab.transformers.t5_checks import check_mask, check_tensor


def additive(mask: Tensor, dtype: torch.dtype) -> Tensor:
    """0 where the mask allows, and the most negative number of the type where it does not.

    subtle: minus infinity would make a row without any allowed key "not a number"; this makes it uniform.

    >>> additive(torch.tensor([1, 0]), torch.float32)
    tensor([-0.0000e+00, -3.4028e+38])
    """
    return (1 - mask.to(dtype)) * torch.finfo(dtype).min


def causal(query_length: int, key_length: int, device: torch.device | None = None) -> Tensor:
    """Whether a key is not later than a query; the queries are the last ones of the keys' positions.

    >>> causal(2, 3).int()
    tensor([[1, 1, 0],
            [1, 1, 1]], dtype=torch.int32)
    """
    key = torch.arange(key_length, device=device)
    query = key[key_length - query_length :, None]
    return key <= query  # (query_length, key_length)


def self_attention_mask(mask: Tensor | None, states: Tensor, past: int, is_decoder: bool) -> Tensor | None:
    """The additive mask of self attention, or None where everybody may look at everybody.

    Args:
        mask: (batch, keys), or (batch, queries, keys), which then says it all; keys are past and present ones.
        states: (batch, queries, d_model).
        past: how many positions are in the cache.

    Raises:
        ValueError: the mask has another shape.
    """
    queries = states.shape[1]
    keys = past + queries
    if mask is not None:
        check_mask("decoder_attention_mask" if is_decoder else "attention_mask", mask, states, keys)
    if mask is not None and mask.dim() == 3:
        return additive(mask[:, None], states.dtype)  # (batch, 1, queries, keys)
    allowed = None if mask is None else mask[:, None, None, :]  # (batch, 1, 1, keys)
    # One query at the end may look at every key: there is nothing to hide.
    if is_decoder and queries > 1:
        not_later = causal(queries, keys, states.device)  # (queries, keys)
        allowed = not_later[None, None] if allowed is None else allowed * not_later  # (batch, 1, queries, keys)
    return None if allowed is None else additive(allowed, states.dtype)


def cross_attention_mask(mask: Tensor | None, states: Tensor, encoder_states: Tensor | None) -> Tensor | None:
    """The additive mask of cross attention: padding of the encoder's input is not looked at.

    Raises:
        ValueError: the mask is neither (batch, keys) nor (batch, queries, keys).
    """
    if mask is None or encoder_states is None:
        return None
    check_mask("encoder_attention_mask", mask, states, keys=encoder_states.shape[1])
    return additive(mask[:, None] if mask.dim() == 3 else mask[:, None, None, :], states.dtype)


def head_mask_of_layers(
    name: str, head_mask: Tensor | None, layers: int, heads: int, states: Tensor
) -> list[Tensor | None]:
    """For each layer what the weights of its heads are multiplied by; None where they stay.

    Args:
        head_mask: (heads,) for all layers, or (layers, heads): 1 keeps a head and 0 silences it.
        states: of the model, whose type the mask gets.

    Raises:
        ValueError: the mask has another shape.

    >>> [mask.shape for mask in head_mask_of_layers("head_mask", torch.ones(4), 1, 4, torch.ones(1, 2, 8))]
    [torch.Size([1, 4, 1, 1])]
    """
    if head_mask is None:
        return [None] * layers
    check_tensor(name, head_mask, states)
    if head_mask.shape not in ((heads,), (layers, heads)):
        raise ValueError(
            f"{name} has the shape {tuple(head_mask.shape)} and should have {(heads,)} for all layers alike, "
            f"or {(layers, heads)}"
        )
    return list(head_mask.to(states.dtype).expand(layers, heads)[:, None, :, None, None])
