"""The checks of lesson 06: the best segmentation and its score, and the chances with which segmentations are drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import exp, isclose, log
from typing import TYPE_CHECKING, Any

from tokenlab.algorithms.lattice import build_lattice, count_segmentations
from tokenlab.algorithms.sampling import powers
from tokenlab.algorithms.unigram_vocabulary import Vocabulary, log_probabilities, log_probability
from tokenlab.algorithms.viterbi import viterbi
from tokenlab.check import inputs
from tokenlab.check.answers import AnswerCheck, BugCheck
from tokenlab.check.functions import FunctionCheck
from tokenlab.check.traces import Question, close
from tokenlab.misconceptions import rule_of
from tokenlab.misconceptions import unigram_segmenting as wrong
from tokenlab.misconceptions.bpe_encode import greedy_longest_match

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

BEST = "The best way to a position: the best way to where its last piece starts, and that piece. The highest sum wins."
LONGEST = "The highest product of probabilities wins, not the longest piece."

_TRACED = {piece: log(p) for piece, p in {"a": 0.3, "b": 0.2, "ab": 0.1, "ba": 0.2, "aba": 0.05}.items()}

segmented = AnswerCheck(
    recording=lambda: viterbi.record("aba", _TRACED),
    answers=lambda recording: (count_segmentations(build_lattice("aba", _TRACED)), recording.result),
    names=("The number of segmentations", "The best one"),
    rules=(
        "Every path from the left to the right counts, the one with a single piece too.",
        "Multiply the probabilities of the pieces on each path; the highest product wins.",
    ),
)


def _words_and_vocabularies() -> SearchStrategy[tuple[str, dict[str, float]]]:
    """A word, and a vocabulary that can spell it; eighths are added without rounding, so that ties are ties."""
    from hypothesis import strategies as st

    value = st.integers(1, 32).map(lambda eighths: -eighths / 8)
    letters = st.fixed_dictionaries(dict.fromkeys("abc", value))
    longer = st.dictionaries(st.text("abc", min_size=2, max_size=4), value, max_size=5)
    return st.tuples(inputs.words(), st.tuples(longer, letters).map(lambda two: two[1] | two[0]))


def _beginnings(word: str, vocabulary: Vocabulary) -> Iterator[Question]:
    for end in range(len(word) + 1):
        yield (f"up to {word[:end]!r}" if end else "nothing"), (word[:end], vocabulary)


def _best_score(word: str, vocabulary: Vocabulary) -> float:
    return log_probability(viterbi(word, vocabulary), vocabulary)


# The wrong programs, called as the task calls a learner's.
_WRONG_SCORES = (
    (lambda word, vocabulary: 2 - wrong.init_score_one(word, vocabulary), rule_of(wrong.init_score_one)),
    (
        lambda word, vocabulary: log_probability(wrong.min_tokens_viterbi(word, vocabulary), vocabulary),
        rule_of(wrong.min_tokens_viterbi),
    ),
    (
        lambda word, vocabulary: exp(_best_score(word, vocabulary)),
        "The vocabulary holds logarithms: where probabilities are multiplied, they are added.",
    ),
    (
        lambda word, vocabulary: log_probability(greedy_longest_match(word, vocabulary), vocabulary),
        LONGEST,
    ),
)

best_score = FunctionCheck(
    _best_score,
    _words_and_vocabularies,
    BEST,
    examples=[
        ("", {"a": -1.0}),
        ("ab", {"a": -1.0, "b": -1.0, "ab": -2.5}),
        ("ab", {"a": -1.0, "b": -1.0, "ab": -1.5}),
    ],
    wrong=_WRONG_SCORES,
    asking=_beginnings,
    same=close,
)


def _segment(word: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    return viterbi(word, vocabulary)


_TIE = ("abb", {"a": -1.0, "b": -1.0, "ab": -1.5, "bb": -1.5})

segment = FunctionCheck(
    _segment,
    _words_and_vocabularies,
    BEST,
    examples=[("", {"a": -1.0}), ("ab", {"a": -1.0, "b": -1.0, "ab": -2.5}), _TIE],
    wrong=(
        (wrong.min_tokens_viterbi, rule_of(wrong.min_tokens_viterbi)),
        (wrong.viterbi_ge_instead_of_gt, rule_of(wrong.viterbi_ge_instead_of_gt)),
        (greedy_longest_match, LONGEST),
        (
            lambda word, vocabulary: viterbi(word, vocabulary)[::-1],
            "The way is followed from the end to the start; turn it round.",
        ),
    ),
    asking=_beginnings,
)


def sampling_shares(scores: Sequence[float], alpha: float) -> list[float]:
    """The chance of each segmentation, from the log probabilities of all and the exponent alpha.

    >>> [round(share, 2) for share in sampling_shares([-1.0, -2.0], 0)]
    [0.5, 0.5]
    """
    return powers(scores, alpha)


def _without_sum(scores: Sequence[float], alpha: float) -> list[float]:
    return [exp(alpha * score) for score in scores]


def _vanishing(scores: Sequence[float], alpha: float) -> list[float]:
    raised = _without_sum(scores, alpha)
    return [value / sum(raised) for value in raised]


def _scores_and_alphas() -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    values = st.integers(1, 40).map(lambda quarters: -quarters / 4)
    return st.tuples(st.lists(values, min_size=1, max_size=5), st.sampled_from([1, 2, 0, 0.5, 0.1]))


shares = FunctionCheck(
    sampling_shares,
    _scores_and_alphas,
    "Each probability to the power alpha, that is exp of alpha times its logarithm, over the sum of all of them.",
    examples=[([-1.0], 1), ([-1.0, -2.0], 0), ([-1.0, -2.0], 2)],
    edges=[([-1000.0, -1001.0], 1)],
    wrong=(
        (wrong.alpha_swapped, rule_of(wrong.alpha_swapped)),
        (_without_sum, "The chances of all segmentations add up to one."),
        (lambda scores, alpha: powers(scores, 1), "alpha is an exponent of every probability."),
        (_vanishing, "exp of a number far below zero is nothing: take the largest away from all of them first."),
    ),
    same=close,
)


# Finding a bug.


def _unusable_counts(counts: Any, word: Any) -> str:
    if not isinstance(word, str) or not word:
        return "Take a word of at least one letter."
    if not isinstance(counts, dict) or not counts or not all(map(_is_counted, counts.items())):
        return 'Write the counts of the pieces as a dict of whole numbers above zero, such as {"a": 3, "b": 1}.'
    for letter in word:
        if letter not in counts:
            return f"Count {letter!r} too, so that every letter is a piece."
    vocabulary = log_probabilities(counts)
    cuts = wrong.min_tokens_viterbi(word, vocabulary), viterbi(word, vocabulary)
    if cuts[0] != cuts[1] and isclose(*(log_probability(cut, vocabulary) for cut in cuts)):
        return f"{' '.join(cuts[0])!a} is another cut than {' '.join(cuts[1])!a}, but as probable; find a worse one."
    return ""


def _is_counted(item: tuple[Any, Any]) -> bool:
    piece, count = item
    return isinstance(piece, str) and piece != "" and type(count) is int and 0 < count < 10**9


def _fewest(counts: Mapping[str, int], word: str) -> tuple[str, ...]:
    return wrong.min_tokens_viterbi(word, log_probabilities(counts))


def _right(counts: Mapping[str, int], word: str) -> tuple[str, ...]:
    return viterbi(word, log_probabilities(counts))


bug_in_fewest = BugCheck(
    wrong=_fewest,
    right=_right,
    needs=_unusable_counts,
    rule=rule_of(wrong.min_tokens_viterbi),
    example=({"a": 3, "b": 3, "ab": 1}, "ab"),
)
