"""State dict keys: names of tied weights, and reports of missing, unexpected and mismatched weights.

Source: transformers 4.26.1, modeling_utils.py (`_load_pretrained_model`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from tokenlab.printing.errors import warn

MAX_LISTED = 4  # names listed in a message; the rest is counted


class ShapeMismatch(NamedTuple):
    """A weight whose shape in the file differs from the model's."""

    name: str
    in_file: torch.Size
    in_model: torch.Size

    def __str__(self) -> str:
        return f"{self.name} is {tuple(self.in_file)} in the file and {tuple(self.in_model)} in the model"


class LoadingInfo(NamedTuple):
    """The missing, unexpected and mismatched weights of a loading."""

    missing: list[str]
    unexpected: list[str]
    mismatched: list[ShapeMismatch]

    def as_dict(self) -> dict[str, list[Any]]:
        """Return the dictionary of `from_pretrained(..., output_loading_info=True)`."""
        return {
            "missing_keys": self.missing,
            "unexpected_keys": self.unexpected,
            "mismatched_keys": [tuple(one) for one in self.mismatched],
            "error_msgs": [],
        }

    def warn(self, model: str, name: str) -> None:
        """Warn about each kind of problem."""
        if self.unexpected:
            warn(
                f"{name!r} has {len(self.unexpected)} weights that a {model} does not use, and they are ignored: "
                f"{first_names_text(self.unexpected)}. This is expected if they were saved from another class"
            )
        if self.missing:
            warn(
                f"{name!r} lacks {len(self.missing)} weights of a {model}, which are initialized randomly: "
                f"{first_names_text(self.missing)}. Train the model before you use it"
            )
        if self.mismatched:
            warn(
                f"{name!r} has {len(self.mismatched)} weights of another shape than this {model}, which are "
                f"initialized randomly: {first_names_text(map(str, self.mismatched))}. Train the model before using it"
            )


def first_names_text(names: Iterable[str]) -> str:
    """Return the first names, and the number of the others.

    >>> first_names_text("abcdef")
    'a, b, c, d and 2 more'
    """
    listed = list(names)
    more = f" and {len(listed) - MAX_LISTED} more" if len(listed) > MAX_LISTED else ""
    return ", ".join(listed[:MAX_LISTED]) + more


def canonical_names(model: nn.Module) -> dict[str, str]:
    """Map each parameter name to the first name of the same parameter: tied parameters have several names.

    >>> both = nn.ModuleDict({"a": nn.Linear(2, 2, bias=False), "b": nn.Linear(2, 2, bias=False)})
    >>> both["b"].weight = both["a"].weight
    >>> canonical_names(both)
    {'a.weight': 'a.weight', 'b.weight': 'a.weight'}
    """
    first: dict[int, str] = {}
    return {
        name: first.setdefault(id(parameter), name)
        for name, parameter in model.named_parameters(remove_duplicate=False)
    }


def tied_names(first: Mapping[str, str]) -> dict[str, list[str]]:
    """Map the first name of each parameter to all of its names.

    >>> tied_names({"a": "a", "b": "a", "c": "c"})
    {'a': ['a', 'b'], 'c': ['c']}
    """
    names: dict[str, list[str]] = {}
    for name, first_name in first.items():
        names.setdefault(first_name, []).append(name)
    return names


def without_tied_duplicates(weights: Mapping[str, Tensor], patterns: Iterable[str]) -> dict[str, Tensor]:
    """Leave out weights that loading ties again, if another kept name has the same tensor.

    Args:
        weights: a state dict.
        patterns: patterns of names that may be missing when the model is loaded.
    """
    patterns = list(patterns)
    spared = {name for name in weights if any(re.search(pattern, name) for pattern in patterns)}
    staying = {_storage_key(tensor) for name, tensor in weights.items() if name not in spared}
    return {
        name: tensor for name, tensor in weights.items() if name not in spared or _storage_key(tensor) not in staying
    }


def _storage_key(tensor: Tensor) -> tuple[Any, ...]:
    """Return a key that is equal for two views of the same memory."""
    return (tensor.device, tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype)
