"""Three misconceptions about a T5 as a whole, each as wrong programs.

>>> from tokenlab.algorithms.attention.decoder import shift_right
>>> no_shift([8, 9, 1]), double_pad([8, 9, 1]), shift_right([8, 9, 1])
((8, 9, 1), (0, 0, 8), (0, 8, 9))
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from statistics import fmean

from tokenlab.algorithms.attention.attention_weights import softmax
from tokenlab.algorithms.attention.decoder import (
    IGNORE_INDEX,
    Cache,
    cached_attention,
    projections_computed,
    shift_right,
)
from tokenlab.algorithms.vectors import Matrix, Row, Vector
from tokenlab.misconceptions.misconception import Misconception


def no_shift(labels: Sequence[int], start: int = 0, pad: int = 0) -> tuple[int, ...]:
    """Use the token to predict as the input."""
    return tuple(pad if label == IGNORE_INDEX else label for label in labels)


def double_pad(labels: Sequence[int], start: int = 0, pad: int = 0) -> tuple[int, ...]:
    """Prepend the start id to the labels, although the model already does so."""
    return shift_right(shift_right(labels, start, pad), start, pad)


def pad_in_loss(scores: Matrix, labels: Sequence[int], pad: int = 0) -> float:
    """Include padding in the loss, as if it had to be predicted.

    >>> round(pad_in_loss([[0, 0], [9, 0]], [1, -100]), 3)
    0.347
    """
    expected = [pad if label == IGNORE_INDEX else label for label in labels]
    return fmean(-log(softmax(row)[label]) for row, label in zip(scores, expected, strict=True))


def no_causal_mask(scores: Matrix) -> tuple[Row, ...]:
    """Compute a decoder's attention weights without hiding later keys; with one token the result is correct.

    >>> no_causal_mask([[3]]), no_causal_mask([[3, 3], [3, 3]])
    (((1.0,),), ((0.5, 0.5), (0.5, 0.5)))
    """
    return tuple(softmax(row) for row in scores)


def cache_without_bias(query: Vector, key: Vector, value: Vector, cache: Cache, biases: Vector) -> tuple[Row, Cache]:
    """Omit the position bias in decoding steps."""
    return cached_attention(query, key, value, cache, [0] * len(biases))


def position_restart(query: Vector, key: Vector, value: Vector, cache: Cache, biases: Vector) -> tuple[Row, Cache]:
    """Treat the new token as the first one: every key gets the bias of distance 0.

    >>> position_restart([0], [0], [8], ([[0]], [[4]]), biases=[0, -9])[0]
    (6.0,)
    """
    return cached_attention(query, key, value, cache, [biases[0]] * len(biases))


def cross_kv_recomputed(source_length: int, steps: int) -> tuple[tuple[int, int], ...]:
    """Compute the keys and values of the source again in each step; the output is correct, but slow.

    >>> cross_kv_recomputed(source_length=5, steps=2)
    ((1, 5), (1, 5))
    """
    return tuple((own, source_length) for own, _ in projections_computed(source_length, steps))


MISCONCEPTIONS = [
    Misconception(
        39,
        "a decoder reads its labels, and no label is ignored",
        "The decoder reads one start id and then each label except the last. The loss ignores a label of -100, and the "
        "decoder reads padding in its place.",
        (no_shift, double_pad, pad_in_loss),
    ),
    Misconception(
        40,
        "a model that is correct for one token is correct for all",
        "In a decoder, no query attends to a later key. One token has no later key, so a test needs at least 2 tokens.",
        (no_causal_mask,),
    ),
    Misconception(
        41,
        "with a KV cache the new token is the first token",
        "A step computes one row, at the token's position in the text. The bias depends on the distance to each cached "
        "key. The source's keys and values are computed once.",
        (cache_without_bias, position_restart, cross_kv_recomputed),
    ),
]
