"""Four beliefs about attention in a T5 that are wrong, each as a program that somebody has written.

>>> from tokenlab.algorithms.relative_bucket import relative_bucket
>>> bidirectional_decoder(-9), relative_bucket(-9, bidirectional=False)
(8, 9)
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from tokenlab.algorithms.attention_head import Matrix, Row, attention_weights
from tokenlab.algorithms.relative_bias import attentions, bias_tables
from tokenlab.algorithms.relative_bucket import relative_bucket
from tokenlab.algorithms.rms_norm import rms_norm
from tokenlab.misconceptions.bpe import Misconception

# 35. Scores are divided by the root of the vectors' length.


def scale_sqrt_d(
    queries: Matrix, keys: Matrix, bias: Matrix | None = None, mask: Matrix | None = None
) -> tuple[Row, ...]:
    """Weigh keys as the transformers before T5 do.

    >>> scale_sqrt_d([[3, 4]], [[1, 1], [1, 1]])
    ((0.5, 0.5),)
    """
    return attention_weights([[x / sqrt(len(query)) for x in query] for query in queries], keys, bias, mask)


# 36. Its norm is a LayerNorm.


def subtract_mean(vector: Sequence[float], weights: Sequence[float], epsilon: float = 1e-6) -> tuple[float, ...]:
    """Take the mean away first, as LayerNorm does.

    >>> subtract_mean([3.0, 3.0], [1.0, 1.0])
    (0.0, 0.0)
    """
    mean = sum(vector) / len(vector)
    return rms_norm([x - mean for x in vector], weights, epsilon)


# 37. Every block learns a table, or every attention of a decoder.


def bias_per_layer(encoder_blocks: int, decoder_blocks: int) -> tuple[str, ...]:
    """Store a table in the self attention of each block.

    >>> len(bias_per_layer(6, 6))
    12
    """
    return tuple(name for name in attentions(encoder_blocks, decoder_blocks) if name.endswith("self_attention"))


def cross_bias(encoder_blocks: int, decoder_blocks: int) -> tuple[str, ...]:
    """Store one in the first cross attention, too, as if places of two texts could be compared.

    >>> len(cross_bias(6, 6))
    3
    """
    crossing = [name for name in attentions(0, min(decoder_blocks, 1)) if name.endswith("cross_attention")]
    return (*bias_tables(encoder_blocks, decoder_blocks), *crossing)


# 38. The decoder uses the encoder's buckets.


def bidirectional_decoder(
    relative_position: int, bidirectional: bool = False, num_buckets: int = 32, max_distance: int = 128
) -> int:
    """Keep half of the buckets for keys that a decoder never sees; up to eight places back nobody notices."""
    return relative_bucket(relative_position, True, num_buckets, max_distance)


MISCONCEPTIONS = [
    Misconception(
        35,
        "scores are divided by the root of the vectors' length",
        "A score is the product of query and key as it is; T5's queries start so small that nothing has to be divided.",
        (scale_sqrt_d,),
    ),
    Misconception(
        36,
        "T5's norm is a LayerNorm",
        "No mean is subtracted: each number is divided by the root of the mean of the squares.",
        (subtract_mean,),
    ),
    Misconception(
        37,
        "every block learns a table of biases, and cross attention does, too",
        "Each stack stores one table, in its first self attention, and adds what it reads there in all of its blocks; "
        "cross attention has none.",
        (bias_per_layer, cross_bias),
    ),
    Misconception(
        38,
        "the decoder uses the encoder's buckets",
        "A decoder looks only back, so all of its buckets are for keys before the query; an encoder keeps half of them "
        "for keys after it.",
        (bidirectional_decoder,),
    ),
]
