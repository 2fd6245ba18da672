"""Five misconceptions about attention in a T5, each as a wrong program.

>>> from tokenlab.algorithms.attention.relative_buckets import relative_bucket
>>> bidirectional_decoder(-9), relative_bucket(-9, bidirectional=False)
(8, 9)
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log, sqrt

from tokenlab.algorithms.attention.attention_weights import attention_weights
from tokenlab.algorithms.attention.relative_buckets import attention_layers, bias_tables, relative_bucket
from tokenlab.algorithms.attention.sublayers import rms_norm
from tokenlab.algorithms.vectors import Matrix, Row
from tokenlab.misconceptions.misconception import Misconception


def scale_sqrt_d(
    queries: Matrix, keys: Matrix, bias: Matrix | None = None, mask: Matrix | None = None
) -> tuple[Row, ...]:
    """Compute attention weights with scaled scores, as the original transformer does.

    >>> scale_sqrt_d([[3, 4]], [[1, 1], [1, 1]])
    ((0.5, 0.5),)
    """
    return attention_weights([[x / sqrt(len(query)) for x in query] for query in queries], keys, bias, mask)


def subtract_mean(vector: Sequence[float], weights: Sequence[float], epsilon: float = 1e-6) -> tuple[float, ...]:
    """Subtract the mean first, as LayerNorm does.

    >>> subtract_mean([3.0, 3.0], [1.0, 1.0])
    (0.0, 0.0)
    """
    mean = sum(vector) / len(vector)
    return rms_norm([x - mean for x in vector], weights, epsilon)


def bias_per_layer(encoder_blocks: int, decoder_blocks: int) -> tuple[str, ...]:
    """Store a bias table in the self attention of each block.

    >>> len(bias_per_layer(6, 6))
    12
    """
    return tuple(name for name in attention_layers(encoder_blocks, decoder_blocks) if name.endswith("self_attention"))


def cross_bias(encoder_blocks: int, decoder_blocks: int) -> tuple[str, ...]:
    """Also store a bias table in the first cross attention, as if positions of two texts could be compared.

    >>> len(cross_bias(6, 6))
    3
    """
    crossing = [name for name in attention_layers(0, min(decoder_blocks, 1)) if name.endswith("cross_attention")]
    return (*bias_tables(encoder_blocks, decoder_blocks), *crossing)


def bidirectional_decoder(
    relative_position: int, bidirectional: bool = False, num_buckets: int = 32, max_distance: int = 128
) -> int:
    """Reserve half of the buckets for later keys; up to 8 positions back, the result is the same."""
    return relative_bucket(relative_position, True, num_buckets, max_distance)


def half_shared(
    relative_position: int, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> int:
    """Let as many buckets share distances as have their own; with an odd number for one direction, one is missing.

    >>> half_shared(5, True, 10, 30), relative_bucket(5, True, 10, 30)
    (7, 8)
    """
    side = num_buckets // 2 if bidirectional else num_buckets
    first = side if bidirectional and relative_position > 0 else 0
    own, distance = side // 2, abs(relative_position) if bidirectional else max(-relative_position, 0)
    if distance < own:
        return first + distance
    return first + min(side - 1, own + int(own * log(distance / own) / log(max_distance / own)))


MISCONCEPTIONS = [
    Misconception(
        35,
        "scores are divided by the square root of d_kv",
        "A score is the dot product of query and key, without a division. T5 initializes its query projection smaller.",
        (scale_sqrt_d,),
    ),
    Misconception(
        36,
        "T5's norm is a LayerNorm",
        "T5 uses an RMS norm. It subtracts no mean, and divides each number by the root mean square.",
        (subtract_mean,),
    ),
    Misconception(
        37,
        "every block learns a bias table, and cross attention does as well",
        "Each stack stores one bias table, in its first self-attention, and adds its biases in all blocks. "
        "Cross-attention has no table.",
        (bias_per_layer, cross_bias),
    ),
    Misconception(
        38,
        "the decoder uses the encoder's buckets",
        "A decoder attends only to earlier keys, so all of its buckets are for keys before the query. An encoder "
        "uses half of its buckets for keys after the query.",
        (bidirectional_decoder,),
    ),
    Misconception(
        151,
        "as many buckets are shared as have one distance each",
        "With N buckets for one direction, N // 2 are for one distance each. The other N - N // 2 share the larger "
        "distances, so the logarithm is multiplied by N - N // 2.",
        (half_shared,),
    ),
]
