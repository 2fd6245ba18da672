"""Three beliefs about a T5 as a whole that are wrong, each as programs that somebody has written.

>>> from tokenlab.algorithms.shift_right import shift_right
>>> no_shift([8, 9, 1]), double_pad([8, 9, 1]), shift_right([8, 9, 1])
((8, 9, 1), (0, 0, 8), (0, 8, 9))
"""

from __future__ import annotations

from collections.abc import Sequence

from tokenlab.algorithms.attention_head import Matrix, Row, Vector, softmax
from tokenlab.algorithms.cached_step import Cache, cached_step, rows_made
from tokenlab.algorithms.label_loss import label_loss
from tokenlab.algorithms.shift_right import IGNORED, shift_right
from tokenlab.misconceptions.bpe import Misconception

# 39. The decoder reads its labels, and all of them count.


def no_shift(labels: Sequence[int], start: int = 0, pad: int = 0) -> tuple[int, ...]:
    """Read the very token that is to be predicted."""
    return tuple(pad if label == IGNORED else label for label in labels)


def double_pad(labels: Sequence[int], start: int = 0, pad: int = 0) -> tuple[int, ...]:
    """Put the start in front of the labels, although the model does that."""
    return shift_right(shift_right(labels, start, pad), start, pad)


def pad_in_loss(scores: Matrix, labels: Sequence[int], pad: int = 0) -> float:
    """Let padding count as a token that has to be predicted, so that most of the loss is about nothing.

    >>> round(pad_in_loss([[0, 0], [9, 0]], [1, -100]), 3)
    0.347
    """
    return label_loss(scores, [pad if label == IGNORED else label for label in labels])


# 40. What works for one token works for all.


def no_causal_mask(scores: Matrix) -> tuple[Row, ...]:
    """Make weights of the scores of a decoder, also for keys that come later; with one token all is well.

    >>> no_causal_mask([[3]]), no_causal_mask([[3, 3], [3, 3]])
    (((1.0,),), ((0.5, 0.5), (0.5, 0.5)))
    """
    return tuple(softmax(row) for row in scores)


# 41. With a cache the new token is alone, or nothing is remembered.


def cache_without_bias(query: Vector, key: Vector, value: Vector, cache: Cache, biases: Vector) -> tuple[Row, Cache]:
    """Forget in the steps what was added to the scores before."""
    return cached_step(query, key, value, cache, [0] * len(biases))


def position_restart(query: Vector, key: Vector, value: Vector, cache: Cache, biases: Vector) -> tuple[Row, Cache]:
    """Take the new token for the first, since it is alone: no key is before it, so each gets the bias of no distance.

    >>> position_restart([0], [0], [8], ([[0]], [[4]]), biases=[0, -9])[0]
    (6.0,)
    """
    return cached_step(query, key, value, cache, [biases[0]] * len(biases))


def cross_kv_recomputed(source_length: int, steps: int) -> tuple[tuple[int, int], ...]:
    """Compute keys and values of the source anew in each step; the output is right, and late.

    >>> cross_kv_recomputed(source_length=5, steps=2)
    ((1, 5), (1, 5))
    """
    return tuple((own, source_length) for own, _ in rows_made(source_length, steps))


MISCONCEPTIONS = [
    Misconception(
        39,
        "a decoder reads its labels, and all of them count",
        "The decoder reads a start, once, and then each label but the last; a label of -100 is read as padding, and "
        "does not count in the loss.",
        (no_shift, double_pad, pad_in_loss),
    ),
    Misconception(
        40,
        "what works for one token works for all",
        "In a decoder no query looks at a later key. One token has none; two are the fewest that show it.",
        (no_causal_mask,),
    ),
    Misconception(
        41,
        "with a cache the new token is alone",
        "A step computes one row, at its own place in the text: the bias goes by the distance to each cached key, and "
        "what comes from the source is computed once.",
        (cache_without_bias, position_restart, cross_kv_recomputed),
    ),
]
