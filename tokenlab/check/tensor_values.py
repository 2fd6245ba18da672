"""Torch tensors as arguments and results of functions: equality, types in words, and short text.

Leaves out: importing torch; a tensor exists only where a task has already imported it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

MOST_NUMBERS = 24  # a longer tensor is shown by its shape and its first numbers
FIRST_NUMBERS = 4
MAX_DEPTH = 4  # nesting levels searched for a tensor; a list may contain itself


def is_tensor(value: Any) -> bool:
    """Whether a value is a tensor of torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def has_tensors(value: Any, deep: int = MAX_DEPTH) -> bool:
    """Whether a value is a tensor, or a list, tuple or dictionary that contains one."""
    if isinstance(value, list | tuple | dict):
        parts = value.values() if isinstance(value, dict) else value
        return deep > 0 and "torch" in sys.modules and any(has_tensors(part, deep - 1) for part in parts)
    return is_tensor(value)


def identical(left: Any, right: Any) -> bool:
    """Whether two values are equal, with tensors inside compared by dtype, shape and every number.

    >>> import torch
    >>> identical([torch.ones(2)], [torch.ones(2)]), identical(torch.ones(2), torch.zeros(2))
    (True, False)
    """
    if is_tensor(left) and is_tensor(right):
        return (
            left.dtype == right.dtype and left.shape == right.shape and bool(((left == right) | (left != left)).all())
        )
    if type(left) is not type(right) or is_tensor(left):
        return False
    if isinstance(left, Mapping):
        return list(left) == list(right) and all(identical(left[key], right[key]) for key in left)
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(map(identical, left, right))
    return bool(left == right)


def tensor_type(value: Any) -> str:
    """Return the dtype and shape of a tensor in words.

    >>> import torch
    >>> tensor_type(torch.ones(2, 3))
    'a float32 tensor of shape (2, 3)'
    """
    dtype = str(value.dtype).removeprefix("torch.")
    article = "an" if dtype[0] in "iu" else "a"
    return f"{article} {dtype} tensor of shape {tuple(value.shape)}"


def tensor_text(value: Any, described: bool = False) -> str:
    """Return a tensor as source code, or, if it is long, its type and first numbers.

    Args:
        value: the tensor.
        described: begin with its type in any case.

    >>> import torch
    >>> tensor_text(torch.tensor([[1.0, 2.0]])), tensor_text(torch.tensor([True]), described=True)
    ('tensor([[1.0, 2.0]])', 'a bool tensor of shape (1,): [True]')
    >>> tensor_text(torch.arange(100))
    '<an int64 tensor of shape (100,): 0, 1, 2, 3, …>'
    """
    if value.numel() > MOST_NUMBERS:
        first = ", ".join(str(_rounded(number)) for number in value.detach().reshape(-1)[:FIRST_NUMBERS].tolist())
        text = f"{tensor_type(value)}: {first}, …"
        return text if described else f"<{text}>"
    numbers = _rounded(value.detach().tolist())
    if described:
        return f"{tensor_type(value)}: {numbers}"
    return f"tensor({numbers})" if value.numel() or value.ndim == 1 else f"<{tensor_type(value)}>"


def _rounded(value: Any) -> Any:
    """Round all floats to 4 decimal places."""
    if isinstance(value, list):
        return [*map(_rounded, value)]
    return round(value, 4) if isinstance(value, float) else value


def written(value: Any) -> str:
    """Return the `repr` of a value, with tensors inside as `tensor_text` writes them."""
    if is_tensor(value):
        return tensor_text(value)
    if type(value) is dict:
        return f"{{{', '.join(f'{key!r}: {written(item)}' for key, item in value.items())}}}"
    if type(value) is list:
        return f"[{', '.join(map(written, value))}]"
    if type(value) is tuple:
        return f"({', '.join(map(written, value))}{',' * (len(value) == 1)})"
    return repr(value)
