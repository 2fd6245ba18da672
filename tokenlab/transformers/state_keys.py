"""Names of weights: which of them mean one tensor, which a file lacks, which it has too many, which have another shape.

Source: transformers 4.26.1, modeling_utils.py (`_load_pretrained_model`).
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

SHOWN = 4  # names in a sentence; the rest is counted


class Difference(NamedTuple):
    """A weight whose shape is another one in the model."""

    name: str
    in_file: torch.Size
    in_model: torch.Size

    def __str__(self) -> str:
        return f"{self.name} is {tuple(self.in_file)} there and {tuple(self.in_model)} in the model"


class LoadingInfo(NamedTuple):
    """What did not fit when weights were loaded."""

    missing: list[str]
    unexpected: list[str]
    mismatched: list[Difference]

    def as_dict(self) -> dict[str, list[Any]]:
        """As `from_pretrained(..., output_loading_info=True)` answers it."""
        return {
            "missing_keys": self.missing,
            "unexpected_keys": self.unexpected,
            "mismatched_keys": [tuple(one) for one in self.mismatched],
            "error_msgs": [],
        }

    def tell(self, model: str, name: str) -> None:
        """Warn of what did not fit, one sentence each."""
        if self.unexpected:
            warn(
                f"{name!r} has {len(self.unexpected)} weights for which a {model} has no place, and they are left out: "
                f"{some(self.unexpected)}. That is right where it was saved from another class"
            )
        if self.missing:
            warn(
                f"{name!r} lacks {len(self.missing)} weights of a {model}, which are drawn anew: {some(self.missing)}. "
                "Train the model before you use it"
            )
        if self.mismatched:
            warn(
                f"{name!r} has {len(self.mismatched)} weights of another shape than this {model}, which are drawn "
                f"anew: {some(map(str, self.mismatched))}. Train the model before you use it"
            )


def warn(sentence: str) -> None:
    """Warn in the place from which a `from_pretrained` was called."""
    warnings.warn(sentence, UserWarning, stacklevel=4)


def some(names: Iterable[str]) -> str:
    """The first names, and how many there are besides.

    >>> some("abcdef")
    'a, b, c, d and 2 more'
    """
    listed = list(names)
    more = f" and {len(listed) - SHOWN} more" if len(listed) > SHOWN else ""
    return ", ".join(listed[:SHOWN]) + more


def first_names(model: nn.Module) -> dict[str, str]:
    """For each name of a parameter the first name of the same one: tied parameters have several.

    >>> both = nn.ModuleDict({"a": nn.Linear(2, 2, bias=False), "b": nn.Linear(2, 2, bias=False)})
    >>> both["b"].weight = both["a"].weight
    >>> first_names(both)
    {'a.weight': 'a.weight', 'b.weight': 'a.weight'}
    """
    first: dict[int, str] = {}
    return {
        name: first.setdefault(id(parameter), name)
        for name, parameter in model.named_parameters(remove_duplicate=False)
    }


def grouped(first: Mapping[str, str]) -> dict[str, list[str]]:
    """All names of each parameter, by its first one.

    >>> grouped({"a": "a", "b": "a", "c": "c"})
    {'a': ['a', 'b'], 'c': ['c']}
    """
    names: dict[str, list[str]] = {}
    for name, first_name in first.items():
        names.setdefault(first_name, []).append(name)
    return names


def without_aliases(weights: Mapping[str, Tensor], patterns: Iterable[str]) -> dict[str, Tensor]:
    """The weights without those that every loader ties again, where they are one with another that stays.

    Args:
        weights: as a state dict has them.
        patterns: which names a loader can do without.
    """
    patterns = list(patterns)
    spared = {name for name in weights if any(re.search(pattern, name) for pattern in patterns)}
    staying = {_place(tensor) for name, tensor in weights.items() if name not in spared}
    return {name: tensor for name, tensor in weights.items() if name not in spared or _place(tensor) not in staying}


def _place(tensor: Tensor) -> tuple[Any, ...]:
    """What two tensors have in common that are one."""
    return (tensor.device, tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype)
