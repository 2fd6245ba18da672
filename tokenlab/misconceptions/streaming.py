"""Misconceptions about cosine similarity, streamed text and the decoder start token, each as faulty programs.

>>> from tokenlab.algorithms.decoding.incremental_utf8 import stream_text
>>> smile = "🙂".encode()
>>> decode_each_token([smile[:3], smile[3:]]), stream_text([smile[:3], smile[3:]])
(('�', '�'), ('', '🙂'))
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from statistics import fmean

from tokenlab.algorithms.attention.attention_weights import dot
from tokenlab.algorithms.decoding.contrastive import cosine_similarity
from tokenlab.algorithms.vectors import Matrix, Vector
from tokenlab.misconceptions.misconception import Misconception


def decode_each_token(tokens: Iterable[bytes]) -> tuple[str, ...]:
    """Decode each token separately."""
    return tuple(token.decode(errors="replace") for token in tokens)


def wait_while_replacement_character(tokens: Iterable[bytes]) -> tuple[str, ...]:
    """Wait while the text ends in U+FFFD, although the text itself may contain it.

    >>> wait_while_replacement_character([b"a", "�".encode()])
    ('a', '')
    """
    texts, pending = [], b""
    for token in tokens:
        text, pending = pending_by_replacement_character(pending + token)
        texts.append(text)
    return tuple(texts)


def pending_by_replacement_character(pending: bytes) -> tuple[str, bytes]:
    """Return the text and the pending bytes, judged by the decoded text instead of the bytes.

    >>> pending_by_replacement_character("a�".encode())
    ('', b'a\\xef\\xbf\\xbd')
    """
    text = pending.decode(errors="replace")
    return ("", pending) if text.endswith("�") else (text, b"")


def double_bos(ids: Sequence[int], start: int) -> tuple[int, ...]:
    """Always prepend the start token, so that ids with one begin with two.

    >>> double_bos([0, 8], 0)
    (0, 0, 8)
    """
    return (start, *ids)


def no_bos(ids: Sequence[int], start: int) -> tuple[int, ...]:
    """Never prepend the start token.

    >>> no_bos([8], 0)
    (8,)
    """
    return tuple(ids)


def dot_product_as_similarity(left: Vector, right: Vector) -> float:
    """Use the dot product as similarity, which favours long vectors.

    >>> dot_product_as_similarity([1, 1], [9, 0]), dot_product_as_similarity([1, 1], [1, 1])
    (9, 2)
    """
    return dot(left, right)


def divide_by_one_norm(left: Vector, right: Vector) -> float:
    """Divide by the norm of only one of the two.

    >>> divide_by_one_norm([3, 4], [6, 8])
    10.0
    """
    return dot(left, right) / sqrt(dot(left, left))


def contrastive_select_with(penalty_of: Sequence[float], probabilities: Sequence[float], alpha: float) -> int:
    """Return the candidate with the highest score for given penalties.

    >>> contrastive_select_with([1, 0], [0.6, 0.3], 0.5)
    1
    """
    both = zip(probabilities, penalty_of, strict=True)
    scores = [(1 - alpha) * probability - alpha * penalty for probability, penalty in both]
    return scores.index(max(scores))


def mean_similarity(probabilities: Sequence[float], states: Matrix, past: Matrix, alpha: float) -> int:
    """Use the mean similarity to the past, in which a single repeated token hardly counts."""
    return contrastive_select_with(
        [fmean(cosine_similarity(state, one) for one in past) for state in states], probabilities, alpha
    )


def last_token_similarity(probabilities: Sequence[float], states: Matrix, past: Matrix, alpha: float) -> int:
    """Compare only with the previous token, which allows loops of two tokens."""
    return contrastive_select_with([cosine_similarity(state, past[-1]) for state in states], probabilities, alpha)


def similarity_rewarded(probabilities: Sequence[float], states: Matrix, past: Matrix, alpha: float) -> int:
    """Add the similarity, so that a larger alpha causes more repetition."""
    penalties = [-max(cosine_similarity(state, one) for one in past) for state in states]
    return contrastive_select_with(penalties, probabilities, alpha)


MISCONCEPTIONS = [
    Misconception(
        50,
        "a token is a character",
        "A character may consist of several tokens. Its bytes are pending until the character is complete. The text "
        "itself may contain the character �, so test the bytes, not the decoded text.",
        (decode_each_token, wait_while_replacement_character),
    ),
    Misconception(
        51,
        "the library always, or never, adds the start token",
        "The start token comes first, exactly once. Add it if it is missing, and only then.",
        (double_bos, no_bos),
    ),
    Misconception(
        86,
        "hidden states are similar if their dot product is large",
        "The cosine similarity is the dot product divided by both norms. It depends on the directions of the vectors, "
        "not on their lengths.",
        (dot_product_as_similarity, divide_by_one_norm),
    ),
    Misconception(
        87,
        "the penalty is the mean similarity to the past",
        "The penalty is the largest cosine similarity to a token so far, not the mean. The penalty is subtracted.",
        (mean_similarity, last_token_similarity, similarity_rewarded),
    ),
]
