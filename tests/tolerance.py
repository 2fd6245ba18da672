"""How far two float32 results of the same computation may differ: the rule of all tests that compare numbers of torch.

Each addition and multiplication rounds to 24 binary digits, and the order of the additions in a product of matrices
depends on the processor, the number of threads and the library. Rounding errors go up as often as down, so `n` of them
add up to about the square root of `n` (Higham and Mary 2019, "A new approach to probabilistic rounding error
analysis"). So the tolerance follows from the length of the computation, relative to the largest number in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import sqrt
from typing import Any

import pytest
from torch import Tensor

ROUNDING = 2.0**-24  # the largest relative error of one float32 operation
SAFETY = 8  # a test compares thousands of numbers, and the worst is several standard deviations off
MASKED = 1e6  # larger numbers stand for minus infinity, and do not make the tolerance of the others larger


def tolerance(length: int) -> float:
    """Return the largest relative difference of two results that take `length` operations, one after the other.

    >>> f"{tolerance(1):.0e}", f"{tolerance(96):.0e}", f"{tolerance(MODEL):.0e}"
    ('5e-07', '5e-06', '3e-05')
    """
    return SAFETY * sqrt(length) * ROUNDING


def model_length(d_model: int, d_ff: int, inner_dim: int, layers: int, keys: int = 32) -> int:
    """Return the number of operations, one after the other, from the ids to a logit of a T5.

    Args:
        inner_dim: num_heads * d_kv.
        layers: those of the encoder plus those of the decoder, which have a second attention.
        keys: the number of keys that a query attends to.
    """
    attention = d_model + inner_dim + 2 * keys + inner_dim  # a query, its scores, the weighted values, the output
    return layers * (attention + attention // 2 + d_model + d_ff) + d_model


MODEL = model_length(d_model=96, d_ff=192, inner_dim=96, layers=4)  # of t5-tiny, the largest model in the tests
SMALL = model_length(d_model=8, d_ff=16, inner_dim=8, layers=4, keys=8)  # of the untrained models in the tests


def near(value: Any, length: int = MODEL) -> Any:
    """Return what is equal to all numbers that differ from `value` by at most the tolerance.

    Args:
        value: a number, or a list, tuple or dictionary of numbers.
        length: the number of operations; of a sum over several passes, MODEL times their number.

    >>> 1.00001 == near(1.0), 1.0001 == near(1.0), [100.001, 0.0] == near([100.0, 0.001])
    (True, False, True)
    """
    return pytest.approx(value, rel=0, abs=tolerance(length) * largest(value), nan_ok=True)


def are_close(one: Tensor, other: Tensor, length: int = MODEL) -> bool:
    """Whether two tensors of one shape differ by at most the tolerance, relative to the largest number.

    >>> from torch import tensor
    >>> are_close(tensor([100.0, 0.0]), tensor([100.0, 0.001])), are_close(tensor([1.0]), tensor([1.001]))
    (True, False)
    """
    if one.shape != other.shape:
        return False
    relative = tolerance(length)
    close = one.isclose(other, rtol=0, atol=relative * largest(other), equal_nan=True)
    return bool((close | one.isclose(other, rtol=relative, atol=0)).all())  # masked numbers: relative to themselves


def largest(value: Any) -> float:
    """Return the largest absolute number that is not masked, and at least 1.

    >>> largest([-7.0, -1e9, 0.1]), largest({"a": 0.1})
    (7.0, 1.0)
    """
    return max([1.0, *(abs(number) for number in _numbers(value) if abs(number) < MASKED)])


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, Tensor):
        value = value.detach().flatten().tolist()
    if isinstance(value, Mapping):
        value = value.values()
    if isinstance(value, Iterable):
        for each in value:
            yield from _numbers(each)
    elif value is not None:
        yield float(value)
