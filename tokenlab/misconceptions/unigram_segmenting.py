"""Four misconceptions about segmenting with a Unigram vocabulary, each as a program.

Each program takes a word and a vocabulary of log probabilities that can spell it.

>>> from tokenlab.algorithms.unigram.vocabulary import log_probabilities
>>> vocabulary = log_probabilities({"a": 30, "b": 30, "ab": 1, "c": 39})
>>> min_tokens_viterbi("ab", vocabulary), viterbi("ab", vocabulary)
(('ab',), ('a', 'b'))
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import AnyStr

from tokenlab.algorithms.unigram.lattice import build_lattice
from tokenlab.algorithms.unigram.sample_segmentation import sharpened
from tokenlab.algorithms.unigram.viterbi import viterbi
from tokenlab.algorithms.unigram.vocabulary import Vocabulary, log_probability
from tokenlab.misconceptions.misconception import Misconception


def min_tokens_viterbi(
    word: AnyStr, vocabulary: Vocabulary[AnyStr], unknown: float | None = None
) -> tuple[AnyStr, ...]:
    """Return the segmentation with the fewest pieces; probability decides only between equal numbers of pieces."""
    best: list[tuple[float, float, tuple[AnyStr, ...]]] = [(0, 0.0, ())]
    for incoming in build_lattice(word, vocabulary, unknown).edges_to[1:]:
        # subtle: max keeps the first of several ties, which has the longest last piece.
        paths = [(best[edge.start], edge) for edge in incoming]
        longer = [
            (fewer - 1, score + edge.log_prob, pieces + (edge.piece,))  # noqa: RUF005  # mypy loses the type after *
            for (fewer, score, pieces), edge in paths
        ]
        best.append(max(longer, key=lambda path: path[:2], default=(-inf, -inf, ())))
    return best[-1][2]


def init_score_one(word: AnyStr, vocabulary: Vocabulary[AnyStr]) -> float:
    """Return the negative log probability of the best segmentation, but with a sum that starts at 1 instead of 0.

    The Hugging Face course starts at 1 in chapter 6, section 7.

    >>> init_score_one("ab", {"a": -1.0, "b": -2.0})
    4.0
    """
    return 1 - log_probability(viterbi(word, vocabulary), vocabulary)


def viterbi_ge_instead_of_gt(word: AnyStr, vocabulary: Vocabulary[AnyStr]) -> tuple[AnyStr, ...]:
    """Replace an equally good path, with `>=` where the libraries have `>`: the shortest last piece wins a tie.

    >>> viterbi_ge_instead_of_gt("nooo", {"n": -1.0, "o": -2.0, "oo": -3.0})
    ('n', 'oo', 'o')
    """
    return viterbi(word, vocabulary, ties="shortest_last")


def alpha_swapped(log_probs: Sequence[float], alpha: float) -> list[float]:
    """Return sampling probabilities with alpha as a temperature: 0 keeps only the best, infinity is uniform.

    >>> alpha_swapped([-1.0, -2.0], 0), alpha_swapped([-1.0, -2.0], float("inf"))
    ([1.0, 0.0], [0.5, 0.5])
    """
    if alpha > 0:
        return sharpened(log_probs, 1 / alpha)
    best = max(log_probs)
    return [float(log_prob == best) / log_probs.count(best) for log_prob in log_probs]


MISCONCEPTIONS = [
    Misconception(
        21,
        "the fewest tokens always win",
        "The product of the probabilities decides; two frequent pieces beat one that is rare.",
        (min_tokens_viterbi,),
    ),
    Misconception(
        23,
        "the score of the empty segmentation is 1",
        "An empty product is 1, and its logarithm is 0: the sum of log probabilities starts at 0.",
        (init_score_one,),
    ),
    Misconception(
        25,
        "at a tie, it does not matter which path is kept",
        "Of equally probable paths to a position, the one with the longest last piece is kept.",
        (viterbi_ge_instead_of_gt,),
    ),
    Misconception(
        26,
        "a larger alpha makes sampling more random",
        "alpha is an exponent: 0 is uniform, and the larger it is, the more probable the best segmentation becomes.",
        (alpha_swapped,),
    ),
]
