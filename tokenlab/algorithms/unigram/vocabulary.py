"""The parameters of a Unigram model: pieces, and the natural logarithm of each one's probability.

Adds: log probabilities from counts, the log probability of a segmentation, and checks of a vocabulary.
Leaves out: training, which produces the counts.
Source: Kudo 2018, "Subword Regularization", section 3.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import exp, inf, isfinite, isnan, log
from typing import Any, AnyStr, TypeAlias

# The pieces of a vocabulary are all str or all bytes, and so are the texts that it segments.
Vocabulary: TypeAlias = Mapping[AnyStr, float]

UNKNOWN_PENALTY = 10.0  # sentencepiece's unigram_model.cc and tokenizers' unigram/model.rs: kUnkPenalty
SCORE_MARGIN = 1e-9  # the rounding error that is allowed above 0, the logarithm of 1


def log_probabilities(counts: Mapping[AnyStr, float]) -> dict[AnyStr, float]:
    """Return the natural logarithm of each piece's relative frequency.

    Raises:
        ValueError: counts is empty, or a count is not above 0.

    >>> log_probabilities({"a": 5, "b": 5})
    {'a': -0.6931471805599453, 'b': -0.6931471805599453}
    """
    if not counts:
        raise ValueError("counts is empty; give at least one piece with its count")
    for piece, count in counts.items():
        if not 0 < count < inf:
            raise ValueError(
                f"counts[{piece!r}]={count} has no logarithm; leave the piece out, or give a count above 0"
            )
    total = sum(counts.values())
    return {piece: log(count / total) for piece, count in counts.items()}


def log_probability(pieces: Iterable[AnyStr], vocabulary: Vocabulary[AnyStr], unknown: float | None = None) -> float:
    """Return the log probability of a segmentation: the sum of the log probabilities of its pieces.

    Raises:
        ValueError: a piece is not in the vocabulary, and `unknown` is not given.

    >>> log_probability(["hu", "g"], {"hu": -2.0, "g": -1.5})
    -3.5
    """
    total = 0.0
    for piece in pieces:
        found = vocabulary.get(piece, unknown)
        if found is None:
            raise ValueError(f"{piece!r} is not in the vocabulary; give unknown=, the log probability of such a piece")
        total += found
    return total


def probability(pieces: Iterable[AnyStr], vocabulary: Vocabulary[AnyStr]) -> float:
    """Return the probability of a segmentation: the product of the probabilities of its pieces.

    Raises:
        ValueError: a piece is not in the vocabulary.

    >>> probability(["a", "b"], log_probabilities({"a": 1, "b": 1}))
    0.25
    """
    return exp(log_probability(pieces, vocabulary))


def unknown_log_probability(vocabulary: Vocabulary[AnyStr]) -> float:
    """Return the libraries' score of an unknown character: 10 below the lowest log probability of a piece.

    Raises:
        TypeError, ValueError: as `check_vocabulary`.

    >>> unknown_log_probability({"a": -1.0, "b": -3.0})
    -13.0
    """
    check_vocabulary(vocabulary)
    return min(vocabulary.values()) - UNKNOWN_PENALTY


def check_vocabulary(vocabulary: Any) -> None:
    """Check that a vocabulary maps pieces to log probabilities.

    Raises:
        TypeError: not a mapping from str, or from bytes, to numbers.
        ValueError: there is no piece, a piece is empty, or a log probability is NaN, infinite, or above 0.

    >>> check_vocabulary({"a": 0.5})
    Traceback (most recent call last):
    ...
    ValueError: vocabulary['a']=0.5 is above 0, so exp(0.5) is no probability; give the logarithm of one
    """
    if not isinstance(vocabulary, Mapping):
        raise TypeError(f"vocabulary is {type(vocabulary).__name__}; give a dict of pieces and log probabilities")
    if not vocabulary:
        raise ValueError("vocabulary has no pieces; give at least one piece with its log probability")
    kind = bytes if isinstance(next(iter(vocabulary)), bytes) else str
    for piece, value in vocabulary.items():
        _check_piece(piece, value, kind)


def _check_piece(piece: Any, value: Any, kind: type) -> None:
    if not isinstance(piece, kind):
        raise TypeError(f"vocabulary has {piece!r:.60} among its pieces; a piece is a str, or all pieces are bytes")
    if not piece:
        raise ValueError(f"vocabulary has the empty piece {piece!r}; it would match everywhere, so leave it out")
    named = f"vocabulary[{piece!r:.60}]={value!r:.60}"
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{named} is no number; give the logarithm of the piece's probability")
    if isnan(value):
        raise ValueError(f"{named} cannot be compared; give the logarithm of the piece's probability")
    if not isfinite(value):
        raise ValueError(f"{named} is infinite; leave a piece out that can never be used")
    if value > SCORE_MARGIN:
        raise ValueError(f"{named} is above 0, so exp({value}) is no probability; give the logarithm of one")
