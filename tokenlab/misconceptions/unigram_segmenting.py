"""Four beliefs about segmenting with a Unigram vocabulary that are wrong, each as a program that somebody has written.

Each takes a word and a vocabulary of log probabilities that can spell it.

>>> from tokenlab.algorithms.unigram_vocabulary import log_probabilities
>>> vocabulary = log_probabilities({"a": 30, "b": 30, "ab": 1, "c": 39})
>>> min_tokens_viterbi("ab", vocabulary), viterbi("ab", vocabulary)
(('ab',), ('a', 'b'))
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from tokenlab.algorithms.lattice import build_lattice
from tokenlab.algorithms.sampling import powers
from tokenlab.algorithms.unigram_vocabulary import Vocabulary, log_probability
from tokenlab.algorithms.viterbi import viterbi
from tokenlab.misconceptions.bpe import Misconception

# 21. The fewest tokens always win.


def min_tokens_viterbi(word: str, vocabulary: Vocabulary, unknown: float | None = None) -> tuple[str, ...]:
    """Cut the word into as few pieces as possible; probability decides only between cuts of the same number."""
    best: list[tuple[float, float, tuple[str, ...]]] = [(0, 0.0, ())]
    for arriving in build_lattice(word, vocabulary, unknown).edges_to[1:]:
        # subtle: max keeps the first of equals, which has the longest last piece.
        ways = [(best[edge.start], edge) for edge in arriving]
        longer = [(fewer - 1, score + edge.log_prob, (*cut, edge.piece)) for (fewer, score, cut), edge in ways]
        best.append(max(longer, key=lambda way: way[:2], default=(-inf, -inf, ())))
    return best[-1][2]


# 23. The score of nothing is 1, as its probability is.


def init_score_one(word: str, vocabulary: Vocabulary) -> float:
    """The cost of the best segmentation, minus its log probability; but the sum starts at 1 and not at 0.

    Hugging Face's course starts so, in chapter 6, section 7.

    >>> init_score_one("ab", {"a": -1.0, "b": -2.0})
    4.0
    """
    return 1 - log_probability(viterbi(word, vocabulary), vocabulary)


# 25. Of equals it does not matter which is kept.


def viterbi_ge_instead_of_gt(word: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Let a later way replace an equal one, `>=` where the libraries have `>`: the shortest last piece wins a tie.

    >>> viterbi_ge_instead_of_gt("nooo", {"n": -1.0, "o": -2.0, "oo": -3.0})
    ('n', 'oo', 'o')
    """
    return viterbi(word, vocabulary, ties="shortest_last")


# 26. A larger alpha draws more at random.


def alpha_swapped(log_probs: Sequence[float], alpha: float) -> list[float]:
    """The chance of each segmentation, with alpha taken for a temperature: 0 leaves the best, infinity makes all alike.

    >>> alpha_swapped([-1.0, -2.0], 0), alpha_swapped([-1.0, -2.0], float("inf"))
    ([1.0, 0.0], [0.5, 0.5])
    """
    if alpha > 0:
        return powers(log_probs, 1 / alpha)
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
        "the score of nothing is 1",
        "An empty product is 1, and its logarithm is 0: the sum of log probabilities starts at 0.",
        (init_score_one,),
    ),
    Misconception(
        25,
        "it does not matter which of equals is kept",
        "Of equally probable ways to a position, the one whose last piece is the longest is kept.",
        (viterbi_ge_instead_of_gt,),
    ),
    Misconception(
        26,
        "a larger alpha draws more at random",
        "alpha is an exponent: 0 makes all segmentations alike, and the larger it is, the more the best one gets.",
        (alpha_swapped,),
    ),
]
