"""Four misconceptions about the blocks of a T5, each as a wrong program.

>>> softmax_over_queries([[0], [0]], [[1], [2], [3]])
((0.5, 0.5, 0.5), (0.5, 0.5, 0.5))
>>> keys_from_decoder(source=7, target=5)
(5, 5)
"""

from __future__ import annotations

from collections.abc import Sequence

from tokenlab.algorithms.attention.attention_weights import dot, softmax
from tokenlab.algorithms.attention.sublayers import feed_forward, rms_norm
from tokenlab.algorithms.vectors import Matrix, Row, Vector
from tokenlab.misconceptions.misconception import Misconception


def softmax_over_queries(
    queries: Matrix, keys: Matrix, bias: Matrix | None = None, mask: Matrix | None = None
) -> tuple[Row, ...]:
    """Take the softmax of each column of scores, so that the weights of a key sum to 1."""
    scores = [[float(dot(query, key)) for key in keys] for query in queries]
    for added in (bias, mask):
        if added is not None:
            scores = [[x + y for x, y in zip(*rows, strict=True)] for rows in zip(scores, added, strict=True)]
    return tuple(zip(*map(softmax, zip(*scores, strict=True)), strict=True))


def residual_after_norm(row: Vector, w_in: Matrix, w_out: Matrix) -> Row:
    """Add the output of the feed-forward layer to the normed row, as if the norm changed the residual stream.

    >>> [round(x, 3) for x in residual_after_norm([2, 2], [[1, 0]], [[3], [4]])]
    [4.0, 5.0]
    """
    normed = rms_norm(row, [1] * len(row))
    return tuple(x + out for x, out in zip(normed, feed_forward(normed, w_in, w_out), strict=True))


def keys_from_decoder(source: int, target: int) -> tuple[int, int]:
    """Return the shape of cross-attention scores, with the keys taken from the decoder as well."""
    return target, target


def effect_is_part(row: Vector, sublayers: Sequence[Matrix], direction: Vector, number: int) -> tuple[float, float]:
    """Take the part of a sublayer for its effect, as if no later sublayer read its output.

    >>> effect_is_part([1, 0], [[[0, 0], [1, 0]], [[0, 3], [0, 0]]], [1, 0], 0)
    (0, 0)
    """
    for sublayer in sublayers[:number]:
        row = [x + dot(weights, row) for x, weights in zip(row, sublayer, strict=True)]
    part = dot(direction, [dot(weights, row) for weights in sublayers[number]])
    return part, part


MISCONCEPTIONS = [
    Misconception(
        120,
        "the softmax of attention is taken over the queries",
        "The softmax is taken over the keys of each query, so each row of weights sums to 1.",
        (softmax_over_queries,),
    ),
    Misconception(
        121,
        "the norm replaces the row that the residual connection adds to",
        "A sublayer reads the normed row, but its output is added to the row before the norm.",
        (residual_after_norm,),
    ),
    Misconception(
        122,
        "in cross-attention, the keys come from the decoder",
        "Cross-attention takes queries from the decoder, and keys and values from the encoder: one row of scores for "
        "each target position, one column for each source token.",
        (keys_from_decoder,),
    ),
    Misconception(
        152,
        "the part of a sublayer says what would change without it",
        "The effect of a sublayer includes what later sublayers make of its output: without it, they read another row. "
        "Only the part counts its own output alone.",
        (effect_is_part,),
    ),
]
