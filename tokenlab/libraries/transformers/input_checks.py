"""Checks of model inputs: clear messages for inputs with which PyTorch would fail deep inside or return nonsense.

The checks read the values of ids and masks once; checking shapes costs nothing.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from tokenlab.libraries.transformers.modeling_outputs import Cache
from tokenlab.printing.errors import warn

CACHE_LAYOUT = ("keys", "values", "keys of the encoder's output", "values of the encoder's output")
IGNORE_INDEX = -100  # the label that cross-entropy leaves out


def check_tensor(name: str, value: Any, model: Tensor) -> None:
    """Raise an error if the value is no tensor, or not on the device of the model, of which any tensor is given.

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


def check_shape(name: str, tensor: Tensor, fits: bool, expected: object) -> None:
    """Raise a ValueError that names the shape of a tensor and the expected one, unless it fits."""
    if not fits:
        raise ValueError(f"{name} has the shape {tuple(tensor.shape)} and should have {expected}")


def check_ids(name: str, ids: Any, table: Tensor, others: tuple[int, ...] = ()) -> None:
    """Raise an error for ids without a row in the embedding `table`, (vocab_size, d_model), unless they are `others`.

    >>> check_ids("input_ids", torch.tensor([[5, 10]]), table=torch.zeros(10, 4))
    Traceback (most recent call last):
    ...
    ValueError: input_ids contains 10, but ids go from 0 to 9 (vocab_size=10)
    """
    check_tensor(name, ids, table)
    check_not_empty(name, ids)
    if ids.dtype not in (torch.int64, torch.int32):
        raise TypeError(f"{name} should hold whole numbers and has the type {ids.dtype}; take {name}.long()")
    check_shape(name, ids, ids.dim() == 2, f"(batch, length); try {name}[None]")
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
            f"{name} contains {int(ids[outside][0])}, but ids go from 0 to {vocab_size - 1}{allowed} ({vocab_size=})"
        )


def check_not_empty(name: str, tensor: Tensor) -> None:
    """Raise a ValueError for an empty batch, or for texts without a token."""
    if tensor.numel() == 0:
        raise ValueError(
            f"{name} has the shape {tuple(tensor.shape)}, so it is empty; "
            "give at least one text of at least one token (the shortest is </s> alone)"
        )


def check_labels(labels: Any, table: Tensor) -> None:
    """Raise an error for labels that are neither ids nor -100, and warn if all are -100."""
    check_ids("labels", labels, table, others=(IGNORE_INDEX,))
    if labels.amax() == IGNORE_INDEX:
        warn(
            f"all labels are {IGNORE_INDEX}, so every position is ignored: the loss is the mean of no values, nan",
            UserWarning,
        )


def check_inputs_embeds(name: str, vectors: Any, norm: Tensor) -> None:
    """Raise an error for embeddings whose last dimension is not d_model, as of the weights of a layer norm.

    >>> check_inputs_embeds("inputs_embeds", torch.zeros(1, 2, 3), norm=torch.ones(4))
    Traceback (most recent call last):
    ...
    ValueError: inputs_embeds has the shape (1, 2, 3) and should have (batch, length, 4)
    """
    check_tensor(name, vectors, norm)
    fits = vectors.dim() == 3 and vectors.shape[2] == len(norm)
    check_shape(name, vectors, fits, f"(batch, length, {len(norm)})")
    check_not_empty(name, vectors)


def check_mask(name: str, mask: Any, states: Tensor, keys: int) -> None:
    """Raise an error for a mask of another shape, or with values outside 0 to 1.

    Args:
        states: the hidden states of the queries: (batch, queries, d_model).
        keys: the number of key positions, including those in the cache.

    >>> check_mask("attention_mask", torch.tensor([[0.0, -1e9]]), torch.zeros(1, 2, 4), keys=2)
    Traceback (most recent call last):
    ...
    ValueError: attention_mask contains -1000000000.0; use 1 for visible positions and 0 for hidden ones
    """
    check_tensor(name, mask, states)
    batch, queries, _ = states.shape
    expected = (
        f"{(batch, keys)}, one value for each key (those in the cache come first), or {(batch, queries, keys)}, "
        "one for each query and key"
    )
    check_shape(name, mask, mask.shape in ((batch, keys), (batch, queries, keys), (batch, 1, keys)), expected)
    if mask.is_complex():
        raise TypeError(f"{name} should hold zeros and ones and has the type {mask.dtype}")
    low, high = (bound.item() for bound in torch.aminmax(mask))
    if not (low >= 0 and high <= 1):
        wrong = high if low >= 0 else low
        raise ValueError(f"{name} contains {wrong}; use 1 for visible positions and 0 for hidden ones")


def check_head_mask(name: str, mask: Any, layers: int, heads: int, states: Tensor) -> None:
    """Raise an error for a head mask that is neither (heads,) nor (layers, heads)."""
    check_tensor(name, mask, states)
    expected = f"{(heads,)} for all layers alike, or {(layers, heads)}"
    check_shape(name, mask, mask.shape in ((heads,), (layers, heads)), expected)


def check_encoder_states(encoder_states: Any, states: Tensor) -> None:
    """Raise an error if the encoder's output has another batch size or d_model."""
    check_tensor("the encoder's output", encoder_states, states)
    batch, _, d_model = states.shape
    fits = encoder_states.dim() == 3 and encoder_states.shape[::2] == (batch, d_model)
    expected = f"(batch, length, d_model) = ({batch}, length, {d_model}), to match the decoder's input"
    check_shape("the encoder's output", encoder_states, fits, expected)
    check_not_empty("the encoder's output", encoder_states)


def check_cache(
    cache: Cache, heads: list[tuple[int, int]], d_kv: int, states: Tensor, encoder_states: Tensor | None
) -> None:
    """Raise an error for a cache of another model, another batch or another source text.

    Args:
        heads: for each block of the decoder, the number of heads of its self attention and its cross attention.
    """
    if len(cache) != len(heads):
        raise ValueError(f"past_key_values has {len(cache)} layers, but the decoder has {len(heads)}")
    wanted = 2 if encoder_states is None else 4
    if any(not isinstance(layer, (tuple, list)) or len(layer) != wanted for layer in cache):
        raise ValueError(f"each layer of past_key_values should have {wanted} tensors, keys and values in turn")
    batch, first = states.shape[0], cache[0][0]
    past = first.shape[2] if isinstance(first, Tensor) and first.dim() == 4 else 0
    lengths = (past, past) if encoder_states is None else (past, past, encoder_states.shape[1], encoder_states.shape[1])
    for number, layer in enumerate(cache):
        for index, (tensor, length) in enumerate(zip(layer, lengths, strict=True)):
            name = f"past_key_values[{number}][{index}], {CACHE_LAYOUT[index]},"
            check_tensor(name, tensor, states)
            shape = (batch, heads[number][index // 2], length, d_kv)
            check_shape(name, tensor, tensor.shape == shape, f"(batch, heads, length, d_kv) = {shape}")
