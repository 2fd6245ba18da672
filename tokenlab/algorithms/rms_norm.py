"""T5's norm: a vector over the root of the mean of its squares.

Adds: the size of a vector is taken out, and learned for each dimension anew. Leaves out: what LayerNorm does besides,
which is to subtract the mean, and to add a learned number.
Source: transformers 4.26.1, T5LayerNorm; Zhang and Sennrich 2019.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt


def rms_norm(vector: Sequence[float], weights: Sequence[float], epsilon: float = 1e-6) -> tuple[float, ...]:
    """The vector with a mean square of one, and each dimension times its weight.

    Args:
        vector: one position's numbers.
        weights: what each dimension has learned.
        epsilon: keeps a vector of zeros from a division by zero.

    >>> rms_norm([2.0, -2.0], [1.0, 10.0], epsilon=0)
    (1.0, -10.0)
    """
    mean_square = sum(x * x for x in vector) / len(vector)
    return tuple(x / sqrt(mean_square + epsilon) * weight for x, weight in zip(vector, weights, strict=True))
