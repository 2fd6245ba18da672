"""Sentences for input with which PyTorch would fail somewhere inside, or answer nonsense.

One look at the numbers of ids and masks is all that they cost; shapes cost nothing.
"""

from __future__ import annotations

import warnings
from typing import Any

import torch
from torch import Tensor

from tokenlab.transformers.model_output import Cache

IGNORED = -100  # the label that cross entropy leaves out


def check_tensor(name: str, value: Any, model: Tensor) -> None:
    """Raise an error for what is no tensor, or not where the model is.

    Args:
        model: any tensor of the model.

    >>> check_tensor("input_ids", [[5, 1]], model=torch.zeros(10, 4))
    Traceback (most recent call last):
    ...
    TypeError: input_ids should be a tensor and is a list; torch.tensor(...) makes one out of numbers
    """
    if not isinstance(value, Tensor):
        raise TypeError(
            f"{name} should be a tensor and is a {type(value).__name__}; torch.tensor(...) makes one out of numbers"
        )
    if value.device != model.device:
        raise ValueError(f"{name} is on {value.device} and the model on {model.device}; take {name}.to(model.device)")


def check_ids(name: str, ids: Any, table: Tensor, others: tuple[int, ...] = ()) -> None:
    """Raise an error for ids that have no row in the table.

    Args:
        table: a row for each id: (vocab_size, d_model).
        others: numbers that are right, too.

    >>> check_ids("input_ids", torch.tensor([[5, 10]]), table=torch.zeros(10, 4))
    Traceback (most recent call last):
    ...
    ValueError: input_ids holds 10, and ids go from 0 to 9 (vocab_size=10)
    """
    check_tensor(name, ids, table)
    check_not_empty(name, ids)
    if ids.dtype not in (torch.int64, torch.int32):
        raise TypeError(f"{name} should hold whole numbers and has the type {ids.dtype}; take {name}.long()")
    if ids.dim() != 2:
        raise ValueError(f"{name} has the shape {tuple(ids.shape)} and should have (batch, length); try {name}[None]")
    vocab_size = table.shape[0]
    low, high = (bound.item() for bound in torch.aminmax(ids))
    if low >= 0 and high < vocab_size:
        return
    outside = (ids < 0) | (ids >= vocab_size)
    for other in others:
        outside &= ids != other
    if outside.any():
        allowed = "".join(f", or {other}" for other in others)
        raise ValueError(
            f"{name} holds {int(ids[outside][0])}, and ids go from 0 to {vocab_size - 1}{allowed} ({vocab_size=})"
        )


def check_not_empty(name: str, tensor: Tensor) -> None:
    """Raise a ValueError for a batch of nothing, or of sentences without a token."""
    if tensor.numel() == 0:
        raise ValueError(
            f"{name} has the shape {tuple(tensor.shape)}, so there is nothing in it; "
            "give at least one sentence of at least one token (the shortest is </s> alone)"
        )


def check_labels(labels: Any, table: Tensor) -> None:
    """Raise an error for labels that are neither ids nor -100, and warn where none counts."""
    check_ids("labels", labels, table, others=(IGNORED,))
    if labels.amax() == IGNORED:
        warnings.warn(
            f"all labels are {IGNORED}, which means that no position counts: the loss is the mean of nothing, nan",
            UserWarning,
            stacklevel=4,
        )


def check_vectors(name: str, vectors: Any, norm: Tensor) -> None:
    """Raise an error for vectors, given in the place of ids, that are not as wide as the model.

    Args:
        norm: the weights of a norm: (d_model,).

    >>> check_vectors("inputs_embeds", torch.zeros(1, 2, 3), norm=torch.ones(4))
    Traceback (most recent call last):
    ...
    ValueError: inputs_embeds has the shape (1, 2, 3) and should have (batch, length, 4)
    """
    check_tensor(name, vectors, norm)
    if vectors.dim() != 3 or vectors.shape[2] != len(norm):
        raise ValueError(f"{name} has the shape {tuple(vectors.shape)} and should have (batch, length, {len(norm)})")
    check_not_empty(name, vectors)


def check_mask(name: str, mask: Any, states: Tensor, keys: int) -> None:
    """Raise an error for a mask that fits neither of its shapes, or holds other numbers than those from 0 to 1.

    Args:
        states: what looks: (batch, queries, d_model).
        keys: how many positions are looked at, those in the cache included.

    >>> check_mask("attention_mask", torch.tensor([[0.0, -1e9]]), torch.zeros(1, 2, 4), keys=2)
    Traceback (most recent call last):
    ...
    ValueError: attention_mask holds -1000000000.0; 1 is for what may be looked at and 0 for what is hidden
    """
    check_tensor(name, mask, states)
    batch, queries, _ = states.shape
    if mask.shape not in ((batch, keys), (batch, queries, keys), (batch, 1, keys)):
        raise ValueError(
            f"{name} has the shape {tuple(mask.shape)} and should have {(batch, keys)}, one value for each key "
            f"(those in the cache come first), or {(batch, queries, keys)}, one for each query and key"
        )
    if mask.is_complex():
        raise TypeError(f"{name} should hold zeros and ones and has the type {mask.dtype}")
    low, high = (bound.item() for bound in torch.aminmax(mask))
    if not (low >= 0 and high <= 1):
        wrong = high if low >= 0 else low
        raise ValueError(f"{name} holds {wrong}; 1 is for what may be looked at and 0 for what is hidden")


def check_encoder_states(encoder_states: Any, states: Tensor) -> None:
    """Raise an error for an encoder's output of another batch or another width."""
    check_tensor("the encoder's output", encoder_states, states)
    batch, _, d_model = states.shape
    if encoder_states.dim() != 3 or encoder_states.shape[::2] != (batch, d_model):
        raise ValueError(
            f"the encoder's output has the shape {tuple(encoder_states.shape)} and should have "
            f"(batch, length, d_model) = ({batch}, length, {d_model}), to go with the decoder's input"
        )
    check_not_empty("the encoder's output", encoder_states)


def check_cache(
    cache: Cache, heads: list[tuple[int, int]], d_kv: int, states: Tensor, encoder_states: Tensor | None
) -> None:
    """Raise an error for a cache of another model, another batch or another sentence.

    Args:
        heads: of each block of the decoder: how many its own attention has, and how many that to the encoder.
    """
    if len(cache) != len(heads):
        raise ValueError(f"past_key_values has {len(cache)} layers and the decoder has {len(heads)}")
    wanted = 2 if encoder_states is None else 4
    if any(not isinstance(layer, (tuple, list)) or len(layer) != wanted for layer in cache):
        raise ValueError(f"each layer of past_key_values should have {wanted} tensors, keys and values in turn")
    batch, first = states.shape[0], cache[0][0]
    past = first.shape[2] if isinstance(first, Tensor) and first.dim() == 4 else 0
    lengths = (past, past) if encoder_states is None else (past, past, encoder_states.shape[1], encoder_states.shape[1])
    for number, layer in enumerate(cache):
        for place, (tensor, length) in enumerate(zip(layer, lengths, strict=True)):
            name = f"past_key_values[{number}][{place}], {CACHED[place]},"
            check_tensor(name, tensor, states)
            shape = (batch, heads[number][place // 2], length, d_kv)
            if tensor.shape != shape:
                raise ValueError(
                    f"{name} has the shape {tuple(tensor.shape)} and should have (batch, heads, length, d_kv) = {shape}"
                )


CACHED = ("keys", "values", "keys of the encoder's output", "values of the encoder's output")
