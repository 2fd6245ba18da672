"""`BatchEncoding`: the output of a tokenizer, a dictionary whose entries are also attributes.

Adds: conversion of lists to PyTorch tensors or NumPy arrays on request; the encodings of a fast tokenizer.
Leaves out: tensors of TensorFlow and JAX, which raise the library's error for packages that are not installed.

Source: transformers 4.26.1, tokenization_utils_base.py (`BatchEncoding`).
"""

from __future__ import annotations

import logging
from collections import UserDict
from collections.abc import Callable, ItemsView, KeysView, Mapping, Sequence, ValuesView
from typing import TYPE_CHECKING, Any

from tokenlab.libraries.transformers.tokenization.alignment_methods import AlignmentMethods
from tokenlab.libraries.transformers.utils.generic import TensorType, is_numpy_array, is_torch_tensor

if TYPE_CHECKING:
    import torch

    from tokenlab.libraries.tokenizers import Encoding

log = logging.getLogger("tokenlab.libraries.transformers")


class BatchEncoding(UserDict[str, Any], AlignmentMethods):
    """Lists of ids, masks and lengths by name.

    >>> encoding = BatchEncoding({"input_ids": [6, 1]})
    >>> encoding.input_ids, encoding["input_ids"]
    ([6, 1], [6, 1])
    """

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        encoding: Encoding | Sequence[Encoding] | None = None,
        tensor_type: str | TensorType | None = None,
        prepend_batch_axis: bool = False,
        n_sequences: int | None = None,
    ) -> None:
        """Take a dictionary of lists.

        Args:
            data: the lists by name.
            encoding: the `tokenlab.libraries.tokenizers.Encoding` of a fast tokenizer, or a list of them.
            tensor_type: "pt", "np" or None for lists.
            prepend_batch_axis: make each list a batch of one when it becomes a tensor.
            n_sequences: the number of texts in each encoding, 1 or 2; None for that of the first.

        Raises:
            ValueError: the tensor_type is unknown, or the lists of an entry have different lengths.
            ImportError: the package of the tensor_type is not installed.
        """
        super().__init__(data)
        self._encodings = [encoding] if hasattr(encoding, "n_sequences") else encoding
        if n_sequences is None and self._encodings:
            n_sequences = self._encodings[0].n_sequences
        self._n_sequences = n_sequences
        self.convert_to_tensors(tensor_type, prepend_batch_axis)

    @property
    def n_sequences(self) -> int | None:
        """The number of texts in each encoding, 1 or 2; None from a slow tokenizer."""
        return self._n_sequences

    @property
    def is_fast(self) -> bool:
        """True if a fast tokenizer made the encodings."""
        return self._encodings is not None

    # --- a dictionary -------------------------------------------------------------------------------

    def __getitem__(self, item: Any) -> Any:
        """Return an entry by its name; of a fast tokenizer, also encodings by position or slice."""
        if isinstance(item, str):
            return self.data[item]
        if self._encodings is not None:
            return self._encodings[item]
        names = ", ".join(self.data)
        raise KeyError(f"{item!r} is not the name of an entry ({names}); positions need a fast tokenizer's encodings")

    def __getattr__(self, name: str) -> Any:
        if name == "data" or name not in self.data:
            raise AttributeError(f"this encoding has no {name!r}")
        return self.data[name]

    def keys(self) -> KeysView[str]:
        """Return the names of the entries."""
        return self.data.keys()

    def values(self) -> ValuesView[Any]:
        """Return the entries."""
        return self.data.values()

    def items(self) -> ItemsView[str, Any]:
        """Return the names with the entries."""
        return self.data.items()

    def __getstate__(self) -> dict[str, Any]:
        return {"data": self.data, "encodings": self._encodings}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.data = state.get("data", {})
        self._encodings = state.get("encodings")
        self._n_sequences = self._encodings[0].n_sequences if self._encodings else None

    # --- tensors ------------------------------------------------------------------------------------

    def convert_to_tensors(
        self, tensor_type: str | TensorType | None = None, prepend_batch_axis: bool = False
    ) -> BatchEncoding:
        """Turn each entry into a tensor.

        Args:
            tensor_type: "pt", "np" or None for no change.
            prepend_batch_axis: make each entry a batch of one.

        Raises:
            ValueError: the tensor_type is unknown, or the lists of an entry have different lengths.
            ImportError: the package of the tensor_type is not installed.
        """
        if tensor_type is None:
            return self
        as_tensor, is_tensor = _tensor_functions(tensor_type)
        for name, value in self.items():
            entry = [value] if prepend_batch_axis else value
            if not is_tensor(entry):
                self[name] = _converted(name, entry, as_tensor)
        return self

    def to(self, device: str | int | torch.device) -> BatchEncoding:
        """Move each tensor to a device; other arguments, such as a dtype, are logged and ignored.

        Raises:
            ImportError: PyTorch is not installed.
            AttributeError: an entry is no tensor.
        """
        import torch

        if not isinstance(device, (str, int, torch.device)):
            log.warning("to(%s) is ignored; give a device, such as 'cuda'", device)  # type: ignore[unreachable]
            return self
        lists = [name for name, value in self.items() if not hasattr(value, "to")]
        if lists:
            raise AttributeError(
                f"{', '.join(lists)} cannot be moved, they are no tensors; ask for return_tensors='pt'"
            )
        self.data = {name: value.to(device=device) for name, value in self.items()}
        return self


def _tensor_functions(tensor_type: str | TensorType) -> tuple[Callable[[Any], Any], Callable[[Any], bool]]:
    """Return the function that makes a tensor, and the one that recognizes a tensor."""
    try:
        tensor_type = TensorType(tensor_type)
    except ValueError:
        raise ValueError(f"return_tensors={tensor_type!r} is unknown; use 'pt', 'np' or None") from None
    if tensor_type == TensorType.PYTORCH:
        import torch

        return torch.tensor, is_torch_tensor
    if tensor_type == TensorType.NUMPY:
        import numpy

        return numpy.asarray, is_numpy_array
    raise ImportError(f"return_tensors={tensor_type.value!r} is not supported; use 'pt', 'np' or None")


def _converted(name: str, entry: Any, as_tensor: Callable[[Any], Any]) -> Any:
    try:
        return as_tensor(entry)
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:  # not MemoryError
        advice = "ask for padding=True, and for truncation=True where a length is given"
        if name == "overflowing_tokens":
            advice = "fast tokenizers return overflowing tokens as further texts of the batch"
        raise ValueError(
            f"{name!r} has lists of different lengths, or no numbers, and cannot be a tensor; {advice}"
        ) from error
