"""RMSNorm, the normalization of T5: a vector is divided by its root mean square.

Adds: each dimension is then multiplied by a learned weight. Leaves out: the two other parts of
LayerNorm, subtracting the mean and adding a learned bias.
Source: transformers 4.26.1, T5LayerNorm; Zhang and Sennrich 2019.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt


def rms_norm(vector: Sequence[float], weights: Sequence[float], epsilon: float = 1e-6) -> tuple[float, ...]:
    """Return the vector, scaled to a mean square of 1, with each dimension multiplied by its weight.

    Args:
        vector: the hidden state of one position.
        weights: the learned weight of each dimension.
        epsilon: added to the mean square, so that a vector of zeros is not divided by zero.

    Raises:
        ZeroDivisionError: the vector is zero, and so is epsilon.

    >>> rms_norm([2.0, -2.0], [1.0, 10.0], epsilon=0)
    (1.0, -10.0)
    """
    mean_square = sum(x * x for x in vector) / (len(vector) or 1)
    return tuple(x / sqrt(mean_square + epsilon) * weight for x, weight in zip(vector, weights, strict=True))
