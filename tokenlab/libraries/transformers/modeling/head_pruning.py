"""Head pruning: permanently remove the rows and columns of heads from the four projections of an attention.

Source: transformers 4.26.1, pytorch_utils.py (`find_pruneable_heads_and_indices`, `prune_linear_layer`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch
from torch import nn


def check_heads_to_prune(heads: Iterable[int], left: Sequence[int], total: int) -> set[int]:
    """Return the given heads that have not been pruned yet.

    Args:
        heads: head numbers, as they were before any pruning.
        left: the numbers of the heads that remain.
        total: the original number of heads.

    Raises:
        ValueError: a head does not exist, or no head would remain.

    >>> check_heads_to_prune([0, 2], left=[1, 2, 3], total=4)
    {2}
    """
    given = list(heads)
    for head in given:
        if not isinstance(head, int) or isinstance(head, bool) or not 0 <= head < total:
            raise ValueError(f"heads={given} has {head!r}, but heads are numbered from 0 to {total - 1}")
    if not set(left) - set(given):
        raise ValueError(f"heads={given} would leave no head; keep at least one of {list(left)}")
    return set(given) & set(left)


def head_row_indices(heads: Iterable[int], width: int) -> torch.Tensor:
    """Return the row indices of the given heads, `width` (d_kv) rows for each.

    >>> head_row_indices([0, 2], 2)
    tensor([0, 1, 4, 5])
    """
    return torch.tensor([head * width + i for head in heads for i in range(width)])


def prune_linear(layer: nn.Linear, indices: torch.Tensor, dim: int) -> nn.Linear:
    """Return a linear layer with only the given rows (dim 0) or columns (dim 1)."""
    weight = layer.weight.detach().index_select(dim, indices.to(layer.weight.device)).clone()
    smaller = nn.Linear(weight.shape[1], weight.shape[0], bias=False, device="meta")
    smaller.weight = nn.Parameter(weight)
    return smaller
