"""Torch tensors as arguments and results of graded functions: equality, types in words, and short text.

Adds: comparison with a tolerance, after shape and dtype. Leaves out: importing torch; a tensor exists only where a task
has already imported it.

>>> import torch
>>> close_values(torch.tensor([0.1 + 0.2]), torch.tensor([0.3])), close_values([0.3], torch.tensor([0.3]))
(True, False)
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from math import isclose
from numbers import Real
from typing import Any

TOLERANCE = 1e-4  # absolute or relative
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


def kind_expected(given: Any, right: Any) -> str:
    """Return the type that a result should have, in words, if it has another one, or "".

    Only tensors are named, and tuples of them; a number may take the place of a tensor without dimensions.

    >>> import torch
    >>> kind_expected([1.0], torch.tensor([1.0])), kind_expected(1.0, torch.tensor(1.0))
    ('a float32 tensor of shape (1,)', '')
    """
    if is_tensor(right):
        if right.ndim == 0 and _is_number(given):
            return ""
        same = is_tensor(given) and (given.dtype, given.shape) == (right.dtype, right.shape)
        return "" if same else tensor_type(right)
    if isinstance(right, tuple) and has_tensors(right):
        if not isinstance(given, list | tuple) or len(given) != len(right):
            return f"a tuple of {len(right)} values"
        kinds = map(kind_expected, given, right)
        return next((f"{kind} at index {place}" for place, kind in enumerate(kinds) if kind), "")
    return "plain numbers, without tensors" if has_tensors(given) else ""


def close_values(given: Any, right: Any, tolerance: float = TOLERANCE) -> bool:
    """Whether a result has the type and shape of the right one, and numbers that differ by at most the tolerance.

    Integers and Booleans must be equal, and so must infinite numbers. A list equals a tuple.
    """
    if kind_expected(given, right):
        return False
    if is_tensor(right):
        if not right.is_floating_point():
            return bool((given == right).all()) if is_tensor(given) else bool(given == right.item())
        if not is_tensor(given):
            return isclose(given, right.item(), rel_tol=tolerance, abs_tol=tolerance)
        return bool(given.isclose(right, rtol=tolerance, atol=tolerance, equal_nan=True).all())
    if isinstance(right, list | tuple):
        if not isinstance(given, list | tuple) or len(given) != len(right):
            return False
        return all(close_values(mine, other, tolerance) for mine, other in zip(given, right, strict=True))
    if isinstance(right, float) and _is_number(given):
        return isclose(given, right, rel_tol=tolerance, abs_tol=tolerance)
    return type(given) is type(right) and bool(given == right)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
