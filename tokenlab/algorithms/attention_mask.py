"""Who may look at whom, as numbers that are added to scores.

Adds: a square for the decoder, where no query looks at later keys, nor at padding. Leaves out: batches, and the
encoder's mask, which has the second rule alone.
Source: transformers 4.26.1, ModuleUtilsMixin.get_extended_attention_mask.
"""

from __future__ import annotations

from collections.abc import Sequence

LOWEST = -3.4028234663852886e38  # the most negative number of float32, which the library adds

Square = tuple[tuple[float, ...], ...]


def decoder_mask(is_token: Sequence[int], lowest: float = LOWEST) -> Square:
    """A row for each query: 0 for the keys it may look at, and the lowest number for all others.

    Args:
        is_token: 1 for each token, and 0 for padding.
        lowest: what is added to forbid a key. Not minus infinity: a row of nothing else would have no softmax.

    >>> decoder_mask([1, 1, 0], lowest=-9)
    ((0, -9, -9), (0, 0, -9), (0, 0, -9))
    """
    places = range(len(is_token))
    return tuple(
        tuple(0 if key <= query and is_token[key] else lowest for key in places)  # once, though two rules may forbid it
        for query in places
    )


def causal_mask(length: int, lowest: float = LOWEST) -> Square:
    """The mask of a decoder whose input has no padding.

    >>> causal_mask(2, lowest=-9)
    ((0, -9), (0, 0))
    """
    return decoder_mask([1] * length, lowest)
