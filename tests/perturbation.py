"""Seeded noise in all matrix products, for tests that find digits and decisions which depend on the processor.

Another processor, another number of threads or another library for matrix products changes the last bits of results.
`perturbed(seed)` makes the same kind of change, several times as large, wherever torch multiplies matrices: in
`forward`, in the fast incremental decoder, in a learner's program. None of them knows of it. As on a processor, the
same number always becomes the same number, so that a computation that is repeated gives the same result.

The logits change by a relative 1e-5. In hidden states and attention scores, each product adds a fifth of this, because
the changes of all products before it are in a number as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from tests.tolerance import MODEL, tolerance

T = TypeVar("T")
RELATIVE = 1e-5  # the largest relative change of a logit
COLUMNS = 256  # a product with more columns makes logits: t5-tiny has 900 tokens, and its other dimensions are smaller
PRODUCTS = {getattr(torch.ops.aten, name) for name in ("mm", "addmm", "bmm", "baddbmm", "mv", "addmv", "dot")}


class perturbed(TorchDispatchMode):
    """Multiply each logit inside this `with` block by a factor between 1 - size and 1 + size.

    Numbers of other matrix products are multiplied by a factor between 1 - size / 5 and 1 + size / 5.

    >>> with perturbed(seed=1, size=0.1):
    ...     noisy = torch.ones(1, 2) @ torch.tensor([[3.0], [4.0]])
    >>> bool(noisy == 7), bool((noisy - 7).abs() < 0.14)
    (False, True)
    """

    def __init__(self, seed: int, size: float = RELATIVE) -> None:
        super().__init__()
        self.seed, self.size = seed, size

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call the operation, and add the noise if it is a product."""
        result = function(*args, **(kwargs or {}))
        if function.overloadpacket in PRODUCTS and result.is_floating_point():
            share = 1.0 if result.dim() and result.shape[-1] > COLUMNS else 0.2
            result.mul_(1 + share * self.size * noise(result, self.seed))
        return result


def noise(tensor: Tensor, seed: int) -> Tensor:
    """Return a number from -1 to 1 for each number of a tensor: a hash of its bits and the seed."""
    mixed = tensor.double().view(torch.int64) ^ (seed * 0x9E3779B9)
    for factor in (0x2545F4914F6CDD1D, 0x369DEA0F31A53F85):  # odd numbers of 62 bits; the product wraps around
        mixed = (mixed ^ (mixed >> 32)) * factor
    return ((mixed >> 40).double() / 2**23).to(tensor.dtype)  # the highest 24 bits, with their sign


def assert_up_to_near_ties(make: Callable[[], T], compare: Callable[[T, float], None]) -> None:
    """Fail if a result is wrong with the processor's rounding, and with the noise of all seeds as well.

    Args:
        make: computes the result.
        compare: raises AssertionError if the result is another one than expected, or if a number of it differs by more
            than its second argument, relative to the largest number.
    """

    def is_right(made: T) -> bool:
        try:
            compare(made, 100 * RELATIVE)
        except AssertionError:
            return False
        return True

    try:
        compare(make(), tolerance(MODEL))
    except AssertionError:
        if not rests_on_a_near_tie(make, is_right):
            raise


def rests_on_a_near_tie(make: Callable[[], T], is_right: Callable[[T], bool], seeds: int = 8) -> bool:
    """Whether noise makes a wrong result right: two choices are so close that the processor decides between them.

    Args:
        make: computes the result, which is wrong without noise.
        is_right: compares it, to a tolerance that allows the noise, with another library's or processor's result.
    """
    for seed in range(seeds):
        with perturbed(seed):
            made = make()
        if is_right(made):
            return True
    return False
