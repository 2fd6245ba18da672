"""Sentences for input with which PyTorch would fail somewhere inside."""

from __future__ import annotations

import warnings

import torch
from torch import Tensor

from tokenlab.transformers.configuration_t5 import T5Config
from tokenlab.transformers.model_output import Cache

IGNORED = -100  # the label that cross entropy leaves out


def check_ids(name: str, ids: Tensor, vocab_size: int, others: tuple[int, ...] = ()) -> None:
    """Raise an error for ids that have no row in the table.

    >>> check_ids("input_ids", torch.tensor([[5, 10]]), vocab_size=10)
    Traceback (most recent call last):
    ...
    ValueError: input_ids holds 10, and ids go from 0 to 9 (vocab_size=10)
    """
    if ids.is_floating_point() or ids.is_complex() or ids.dtype == torch.bool:
        raise TypeError(f"{name} should hold whole numbers and has the type {ids.dtype}")
    if ids.dim() != 2:
        raise ValueError(f"{name} has the shape {tuple(ids.shape)} and should have (batch, length); try {name}[None]")
    outside = (ids < 0) | (ids >= vocab_size)
    for other in others:
        outside &= ids != other
    if outside.any():
        allowed = "".join(f", or {other}" for other in others)
        raise ValueError(
            f"{name} holds {int(ids[outside][0])}, and ids go from 0 to {vocab_size - 1}{allowed} ({vocab_size=})"
        )


def check_labels(labels: Tensor, vocab_size: int) -> None:
    """Raise an error for labels that are neither ids nor -100, and warn where none counts."""
    check_ids("labels", labels, vocab_size, others=(IGNORED,))
    if (labels == IGNORED).all():
        warnings.warn(
            f"all labels are {IGNORED}, which means that no position counts: the loss is the mean of nothing, nan",
            UserWarning,
            stacklevel=4,
        )


def check_encoder_states(encoder_states: Tensor, states: Tensor) -> None:
    """Raise a ValueError for an encoder's output of another batch or another width."""
    batch, _, d_model = states.shape
    if encoder_states.dim() != 3 or encoder_states.shape[::2] != (batch, d_model):
        raise ValueError(
            f"the encoder's output has the shape {tuple(encoder_states.shape)} and should have "
            f"(batch, length, d_model) = ({batch}, length, {d_model}), to go with the decoder's input"
        )


def check_cache(cache: Cache, config: T5Config, states: Tensor, encoder_states: Tensor | None) -> None:
    """Raise a ValueError for a cache of another model, another batch or another sentence."""
    if len(cache) != config.num_layers:
        raise ValueError(f"past_key_values has {len(cache)} layers and the decoder has {config.num_layers}")
    wanted = 2 if encoder_states is None else 4
    if any(len(layer) != wanted for layer in cache):
        raise ValueError(f"each layer of past_key_values should have {wanted} tensors, keys and values in turn")
    batch, heads, d_kv = states.shape[0], config.num_heads, config.d_kv
    past = cache[0][0].shape[2] if cache[0][0].dim() == 4 else 0
    lengths = [past, past] if encoder_states is None else [past, past, encoder_states.shape[1], encoder_states.shape[1]]
    names = ["keys", "values", "keys of the encoder's output", "values of the encoder's output"]
    for number, layer in enumerate(cache):
        for name, tensor, length in zip(names, layer, lengths, strict=False):
            if tensor.shape != (batch, heads, length, d_kv):
                raise ValueError(
                    f"past_key_values, layer {number}: the {name} have the shape {tuple(tensor.shape)} and should "
                    f"have (batch, heads, length, d_kv) = {(batch, heads, length, d_kv)}"
                )
