"""Heads taken out for good: their rows and columns leave the four matrices of an attention.

Source: transformers 4.26.1, pytorch_utils.py (`find_pruneable_heads_and_indices`, `prune_linear_layer`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch
from torch import nn


def check_heads(heads: Iterable[int], left: Sequence[int], total: int) -> set[int]:
    """Those of the heads that are left, as a set.

    Args:
        heads: numbers as they were before any was taken out.
        left: the numbers of those that are there.
        total: how many there were at first.

    Raises:
        ValueError: there is no such head, or none would stay.

    >>> check_heads([0, 2], left=[1, 2, 3], total=4)
    {2}
    """
    given = list(heads)
    for head in given:
        if not isinstance(head, int) or isinstance(head, bool) or not 0 <= head < total:
            raise ValueError(f"heads={given} has {head!r}, and heads go from 0 to {total - 1}")
    if not set(left) - set(given):
        raise ValueError(f"heads={given} would leave no head; keep at least one of {list(left)}")
    return set(given) & set(left)


def numbers_of(heads: Iterable[int], width: int) -> torch.Tensor:
    """The rows that belong to heads, each with as many as its width.

    >>> numbers_of([0, 2], 2)
    tensor([0, 1, 4, 5])
    """
    return torch.tensor([head * width + i for head in heads for i in range(width)])


def kept(layer: nn.Linear, numbers: torch.Tensor, dim: int) -> nn.Linear:
    """A layer with these rows only (dim 0), or with these columns (dim 1)."""
    weight = layer.weight.detach().index_select(dim, numbers.to(layer.weight.device)).clone()
    smaller = nn.Linear(weight.shape[1], weight.shape[0], bias=False, device="meta")
    smaller.weight = nn.Parameter(weight)
    return smaller
