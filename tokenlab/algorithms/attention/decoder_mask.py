"""The attention mask of a decoder, as numbers that are added to the scores.

Adds: a square mask that hides later keys (causal mask) and padding. Leaves out: batches, and the encoder's mask, which
hides only padding.
Source: transformers 4.26.1, ModuleUtilsMixin.get_extended_attention_mask.
"""

from __future__ import annotations

from collections.abc import Sequence

MIN_VALUE = -3.4028234663852886e38  # the most negative number of float32, which the library adds

Mask = tuple[tuple[float, ...], ...]


def decoder_mask(attention_mask: Sequence[int], min_value: float = MIN_VALUE) -> Mask:
    """Return a row for each query: 0 for the keys that it may attend to, and `min_value` for all others.

    Args:
        attention_mask: 1 for each token, and 0 for padding.
        min_value: the number that hides a key. It is not -inf: a row with only hidden keys would have no softmax.

    >>> decoder_mask([1, 1, 0], min_value=-9)
    ((0, -9, -9), (0, 0, -9), (0, 0, -9))
    """
    places = range(len(attention_mask))
    # A key is hidden once, even if it is both later than the query and padding.
    return tuple(tuple(0 if key <= query and attention_mask[key] else min_value for key in places) for query in places)
