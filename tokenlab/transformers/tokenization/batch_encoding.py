"""`BatchEncoding`: the output of a tokenizer, a dictionary whose entries are also attributes.

Adds: conversion of lists to PyTorch tensors or numpy arrays on request.
Leaves out: the entries of fast tokenizers (`tokens`, `word_ids`, character spans).

Source: transformers 4.26.1, tokenization_utils_base.py (`BatchEncoding`).
"""

from __future__ import annotations

from collections import UserDict
from collections.abc import Callable
from typing import Any


class BatchEncoding(UserDict[str, Any]):
    """Lists of ids, masks and lengths by name.

    >>> encoding = BatchEncoding({"input_ids": [6, 1]})
    >>> encoding.input_ids, encoding["input_ids"]
    ([6, 1], [6, 1])
    """

    def __init__(self, data: Any = None, tensor_type: str | None = None, prepend_batch_axis: bool = False) -> None:
        """Take a dictionary of lists.

        Args:
            data: the lists by name.
            tensor_type: "pt", "np" or None for lists.
            prepend_batch_axis: make each list a batch of one when it becomes a tensor.

        Raises:
            ValueError: the tensor_type is unknown, or the lists of an entry have different lengths.
        """
        super().__init__(data)
        self.convert_to_tensors(tensor_type, prepend_batch_axis)

    def __getitem__(self, item: Any) -> Any:
        if not isinstance(item, str):
            raise KeyError(f"{item!r} is not the name of an entry; use one of {', '.join(self.data)}")
        return self.data[item]

    def __getattr__(self, name: str) -> Any:
        if name == "data" or name not in self.data:
            raise AttributeError(f"this encoding has no {name!r}")
        return self.data[name]

    def convert_to_tensors(self, tensor_type: str | None = None, prepend_batch_axis: bool = False) -> BatchEncoding:
        """Turn each entry into a tensor."""
        if tensor_type is None:
            return self
        as_tensor = _tensor_factory(tensor_type)
        for name, value in self.data.items():
            try:
                self.data[name] = as_tensor([value] if prepend_batch_axis else value)
            except (ValueError, TypeError, RuntimeError):
                raise ValueError(
                    f"{name!r} has lists of different lengths, which cannot be a tensor; "
                    "ask for padding=True, and for truncation=True where a length is given"
                ) from None
        return self

    def to(self, device: Any) -> BatchEncoding:
        """Move each tensor to a device."""
        self.data = {name: value.to(device=device) for name, value in self.data.items()}
        return self


def _tensor_factory(tensor_type: str) -> Callable[[Any], Any]:
    if tensor_type == "pt":
        import torch

        return torch.as_tensor
    if tensor_type == "np":
        import numpy as np

        return np.asarray
    raise ValueError(f"return_tensors={tensor_type!r} is unknown; use 'pt', 'np' or None")
