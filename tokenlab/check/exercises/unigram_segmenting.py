"""The checks of lesson 06: the best segmentation and its score, and the sampling probabilities of segmentations."""

from __future__ import annotations

from collections.abc import Iterator
from math import exp, isclose, log, prod
from typing import Any

from tokenlab.algorithms.unigram.lattice import build_lattice, count_segmentations, segmentations
from tokenlab.algorithms.unigram.sample_segmentation import sharpened
from tokenlab.algorithms.unigram.viterbi import viterbi
from tokenlab.algorithms.unigram.vocabulary import Vocabulary, log_probabilities, log_probability
from tokenlab.check import strategies as inputs
from tokenlab.check.answer_check import AnswerCheck, BugCheck
from tokenlab.check.function_check import FunctionCheck
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.trace_comparison import nearly_equal, prefix_calls
from tokenlab.misconceptions import unigram_segmenting as wrong
from tokenlab.misconceptions.bpe_encoding import greedy_longest_match

BEST = "The best path to a position: extend the best path to the start of its last piece. The highest sum wins."
LONGEST = "The highest product of probabilities wins, not the longest piece."

_PROBABILITIES = {"a": 0.3, "b": 0.2, "ab": 0.1, "ba": 0.2, "aba": 0.05}
_TRACED = {piece: log(p) for piece, p in _PROBABILITIES.items()}


def _products(recording: Any) -> Iterator[str]:
    for path in segmentations(build_lattice("aba", _TRACED)):
        factors = [_PROBABILITIES[edge.piece] for edge in path]
        product = f" = {prod(factors):.3g}" if len(factors) > 1 else ""
        yield f"The probability of {' | '.join(edge.piece for edge in path)}: {' * '.join(map(str, factors))}{product}"


segmented = AnswerCheck(
    recording=lambda: viterbi.record("aba", _TRACED),
    answers=lambda recording: (count_segmentations(build_lattice("aba", _TRACED)), recording.result),
    names=("The number of segmentations", "The best segmentation"),
    rules=(
        "Every path from left to right is a segmentation, also the path with a single piece.",
        "Multiply the probabilities of the pieces on each path; the highest product wins.",
    ),
    sums=_products,
)


def _words_and_vocabularies() -> Strategy:
    """Draw a word and a vocabulary that can spell it; sums of eighths are exact, so that ties are real ties."""
    value = st.integers(1, 32).map(lambda eighths: -eighths / 8)
    letters = st.fixed_dictionaries(dict.fromkeys("abc", value))
    longer = st.dictionaries(st.text("abc", min_size=2, max_size=4), value, max_size=5)
    return st.tuples(inputs.words(), st.tuples(longer, letters).map(lambda two: two[1] | two[0]))


_PREFIXES = prefix_calls(lambda word: f"up to {word!r}" if word else "nothing")


def _best_score(word: str, vocabulary: Vocabulary[Any]) -> float:
    return log_probability(viterbi(word, vocabulary), vocabulary)


best_score = FunctionCheck(
    _best_score,
    _words_and_vocabularies,
    BEST,
    examples=[
        ("", {"a": -1.0}),
        ("ab", {"a": -1.0, "b": -1.0, "ab": -2.5}),
        ("ab", {"a": -1.0, "b": -1.0, "ab": -1.5}),
    ],
    wrong=(
        (lambda *given: 2 - wrong.init_score_one(*given), wrong.init_score_one),
        (
            lambda word, vocabulary: log_probability(wrong.min_tokens_viterbi(word, vocabulary), vocabulary),
            wrong.min_tokens_viterbi,
        ),
        (
            lambda *given: exp(_best_score(*given)),
            "The vocabulary holds logarithms: where probabilities are multiplied, they are added.",
        ),
        (lambda word, vocabulary: log_probability(greedy_longest_match(word, vocabulary), vocabulary), LONGEST),
    ),
    traced_calls=_PREFIXES,
    same=nearly_equal,
)


_TIE = ("abb", {"a": -1.0, "b": -1.0, "ab": -1.5, "bb": -1.5})

segment = FunctionCheck(
    lambda word, vocabulary: viterbi(word, vocabulary),
    _words_and_vocabularies,
    BEST,
    examples=[("", {"a": -1.0}), ("ab", {"a": -1.0, "b": -1.0, "ab": -2.5}), _TIE],
    wrong=(
        wrong.min_tokens_viterbi,
        wrong.viterbi_ge_instead_of_gt,
        (greedy_longest_match, LONGEST),
        (lambda *given: viterbi(*given)[::-1], "The path is followed from the end to the start; reverse it."),
    ),
    traced_calls=_PREFIXES,
)


def _scores_and_alphas() -> Strategy:
    values = st.integers(1, 40).map(lambda quarters: -quarters / 4)
    return st.tuples(st.lists(values, min_size=1, max_size=5), st.sampled_from([1, 2, 0, 0.5, 0.1]))


sampling_probabilities = FunctionCheck(
    lambda scores, alpha: sharpened(scores, alpha),
    _scores_and_alphas,
    "Raise each probability to the power alpha: exp(alpha * score). Then divide each result by the sum of the results.",
    examples=[([-1.0], 1), ([-1.0, -2.0], 0), ([-1.0, -2.0], 2)],
    edges=[([-1000.0, -1001.0], 1)],
    wrong=(
        wrong.alpha_swapped,
        (
            lambda scores, alpha: [exp(alpha * score) for score in scores],
            "The probabilities of all segmentations sum to 1.",
        ),
        (lambda scores, alpha: sharpened(scores, 1), "alpha is an exponent of every probability."),
        (
            lambda scores, alpha: [exp(alpha * score) / sum(exp(alpha * one) for one in scores) for score in scores],
            "exp(-1000) is 0 in floating point. First subtract the largest score from all scores.",
        ),
    ),
    same=nearly_equal,
)


# Finding a bug.


def _unusable_counts(counts: Any, word: Any) -> str:
    if not isinstance(word, str) or not word:
        return "Give a word of at least one letter."
    if not isinstance(counts, dict) or not counts or not all(map(_is_counted, counts.items())):
        return 'Give the counts of the pieces as a dict of integers above 0, such as {"a": 3, "b": 1}.'
    for letter in word:
        if letter not in counts:
            return f"Add a count of {letter!r}, so that every letter is a piece."
    vocabulary = log_probabilities(counts)
    cuts = wrong.min_tokens_viterbi(word, vocabulary), viterbi(word, vocabulary)
    if cuts[0] != cuts[1] and isclose(*(log_probability(cut, vocabulary) for cut in cuts)):
        return (
            f"{' '.join(cuts[0])!a} differs from {' '.join(cuts[1])!a}, but is as probable; find a less probable one."
        )
    return ""


def _is_counted(item: tuple[Any, Any]) -> bool:
    piece, count = item
    return isinstance(piece, str) and piece != "" and type(count) is int and 0 < count < 10**9


bug_in_fewest = BugCheck(
    program=wrong.min_tokens_viterbi,
    right=viterbi,
    input_problem=_unusable_counts,
    example=({"a": 3, "b": 3, "ab": 1}, "ab"),
    use=lambda program, counts, word: program(word, log_probabilities(counts)),
)
