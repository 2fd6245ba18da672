"""Misconceptions about decoder-only models, each as wrong programs.

>>> from tokenlab.algorithms.attention.grouped_queries import group_heads
>>> interleaved_groups(4, 2), group_heads(4, 2)
((0, 1, 0, 1), (0, 0, 1, 1))
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, fsum, log, sin

from tokenlab.algorithms.attention.grouped_queries import kv_cache_bytes
from tokenlab.algorithms.attention.rotary_positions import pair_angle
from tokenlab.algorithms.vectors import Matrix, Row, Vector
from tokenlab.misconceptions.misconception import Misconception


def position_added(vector: Vector, position: float, theta: float = 10_000.0) -> Row:
    """Add the cosine and the sine of each pair's angle, as the first transformer adds them to its embeddings.

    >>> position_added([2.0, 5.0], 0)
    (3.0, 5.0)
    """
    half = len(vector) // 2
    angles = [pair_angle(pair, len(vector), position, theta) for pair in range(half)]
    return tuple(x + added for x, added in zip(vector, [*map(cos, angles), *map(sin, angles)], strict=True))


def interleaved_groups(num_heads: int, num_kv_heads: int) -> tuple[int, ...]:
    """Let the query heads take turns with the key-value heads.

    >>> interleaved_groups(4, 4)
    (0, 1, 2, 3)
    """
    return tuple(head % num_kv_heads for head in range(num_heads))


def queries_per_group(num_heads: int, num_kv_heads: int) -> int:
    """Count the queries of a token as if each group shared one.

    >>> queries_per_group(4, 2)
    2
    """
    return num_kv_heads


def queries_in_cache(layers: int, num_heads: int, num_kv_heads: int, head_dim: int, tokens: int) -> int:
    """Count the bytes of a cache that stores queries as well, in half precision.

    >>> queries_in_cache(1, 4, 2, 10, 1), kv_cache_bytes(1, 2, 10, 1)
    (160, 80)
    """
    return kv_cache_bytes(layers, num_kv_heads, head_dim, tokens) + layers * num_heads * head_dim * tokens * 2


def no_mask_in_prefill(attention_mask: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Let each token of a prompt attend to all tokens of the prompt, also later ones.

    >>> no_mask_in_prefill([0, 1, 1])
    ((), (1, 2), (1, 2))
    """
    tokens = tuple(place for place, is_token in enumerate(attention_mask) if is_token)
    return tuple(tokens if is_token else () for is_token in attention_mask)


def last_token_loss(probabilities: Matrix, ids: Sequence[int]) -> float:
    """Compute the loss of the last token alone, as if a text were one example.

    >>> last_token_loss([[0.5, 0.5], [0.0, 1.0], [0.5, 0.5]], [0, 0, 1])
    0.0
    """
    return -log(probabilities[-2][ids[-1]]) + 0.0


def unshifted_loss(probabilities: Matrix, ids: Sequence[int]) -> float:
    """Compare each row with the token that the model has just read.

    >>> unshifted_loss([[1.0, 0.0], [0.0, 1.0]], [0, 1])
    0.0
    """
    losses = [-log(row[token]) for row, token in zip(probabilities, ids, strict=True)]
    return fsum(losses) / len(losses) + 0.0


def absolute_min_p(probabilities: Vector, min_p: float) -> tuple[int, ...]:
    """Keep the tokens whose probability is at least `min_p`, however certain the model is.

    >>> absolute_min_p([0.5, 0.3, 0.2], 0.5)
    (0,)
    """
    return tuple(token for token, probability in enumerate(probabilities) if probability >= min_p)


MISCONCEPTIONS = [
    Misconception(
        160,
        "a rotary position is added to the embeddings",
        "Nothing is added. Each pair of numbers of a query or a key is rotated by an angle that its position gives.",
        (position_added,),
    ),
    Misconception(
        161,
        "query heads take turns with the key-value heads",
        "Neighbouring query heads form a group and read the same key-value head: with H query heads and G key-value "
        "heads, head h reads h // (H // G).",
        (interleaved_groups,),
    ),
    Misconception(
        162,
        "grouped-query attention shares queries",
        "Every query head has its own queries. Only keys and values are shared.",
        (queries_per_group,),
    ),
    Misconception(
        163,
        "the cache of a decoder-only model holds queries",
        "The cache holds keys and values. A query is used in the pass that computes it, and never again.",
        (queries_in_cache,),
    ),
    Misconception(
        164,
        "the causal mask is only for training",
        "A token attends to itself and to earlier tokens, in training as in generation. The prompt is read with the "
        "same mask.",
        (no_mask_in_prefill,),
    ),
    Misconception(
        165,
        "a text is one training example, for its last token",
        "Each position predicts the next token, and the loss is the mean over all of them.",
        (last_token_loss,),
    ),
    Misconception(
        166,
        "position i predicts the token that it reads",
        "Position i reads token i and predicts token i + 1, so the ids are shifted by one before they are compared.",
        (unshifted_loss,),
    ),
    Misconception(
        167,
        "min-p is the least probability of a kept token",
        "A token is kept if it has at least min_p times the highest probability, so the limit falls if the model is "
        "uncertain.",
        (absolute_min_p,),
    ),
]
