"""Lesson 06: right programs in three styles, wrong ones with their rules, answers, and inputs that show the bug."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from tokenlab.algorithms.unigram.viterbi import viterbi
from tokenlab.algorithms.unigram.vocabulary import log_probability
from tokenlab.misconceptions import unigram_segmenting as wrong
from tokenlab.misconceptions.bpe_encoding import greedy_longest_match
from tokenlab.misconceptions.catalog import rule_of


def score_1(word: Any, vocabulary: Any) -> Any:
    scores = [0.0] + [float("-inf")] * len(word)
    for end in range(1, len(word) + 1):
        for start in range(end):
            if word[start:end] in vocabulary:
                scores[end] = max(scores[end], scores[start] + vocabulary[word[start:end]])
    return scores[-1]


def score_2(word: Any, vocabulary: Any) -> Any:
    @cache
    def best(rest: str) -> float:
        if not rest:
            return 0
        ends = [end for end in range(1, len(rest) + 1) if rest[:end] in vocabulary]
        return max(vocabulary[rest[:end]] + best(rest[end:]) for end in ends)

    return best(word)


def score_3(word: Any, vocabulary: Any) -> Any:
    costs = {0: 0.0}
    for end in range(1, len(word) + 1):
        pieces = ((start, word[start:end]) for start in costs)
        costs[end] = min(costs[start] - vocabulary[piece] for start, piece in pieces if piece in vocabulary)
    return -costs[len(word)]


def segment_1(word: Any, vocabulary: Any) -> Any:
    best: list[Any] = [(0.0, [])]
    for end in range(1, len(word) + 1):
        ways = [
            (best[start][0] + vocabulary[word[start:end]], [*best[start][1], word[start:end]])
            for start in range(end)
            if word[start:end] in vocabulary
        ]
        best.append(max(ways, key=lambda way: way[0]))
    return best[-1][1]


def segment_2(word: Any, vocabulary: Any) -> Any:
    scores, starts = [0.0] + [-math.inf] * len(word), [0] * (len(word) + 1)
    for start in range(len(word)):
        for piece, value in vocabulary.items():
            end = start + len(piece)
            if word.startswith(piece, start) and scores[start] + value > scores[end]:
                scores[end], starts[end] = scores[start] + value, start
    pieces: list[str] = []
    end = len(word)
    while end > 0:
        pieces.insert(0, word[starts[end] : end])
        end = starts[end]
    return tuple(pieces)


def segment_3(word: Any, vocabulary: Any) -> Any:
    def cuts(rest: str) -> Any:
        if not rest:
            yield ()
        for start in range(len(rest)):  # the longest last piece first
            if rest[start:] in vocabulary:
                yield from ((*cut, rest[start:]) for cut in cuts(rest[:start]))

    return max(cuts(word), key=lambda cut: sum(vocabulary[piece] for piece in cut))


def shares_1(scores: Any, alpha: Any) -> Any:
    most = max(scores)
    raised = [math.exp(alpha * (score - most)) for score in scores]
    return [value / sum(raised) for value in raised]


def shares_2(scores: Any, alpha: Any) -> Any:
    return tuple(1 / sum(math.exp(alpha * (other - score)) for other in scores) for score in scores)


def shares_3(scores: Any, alpha: Any) -> Any:
    top = max(alpha * score for score in scores)
    total = top + math.log(sum(math.exp(alpha * score - top) for score in scores))
    return [math.exp(alpha * score - total) for score in scores]


VARIANTS: dict[str, tuple[Any, ...]] = {
    "best_score": (score_1, score_2, score_3),
    "segment": (segment_1, segment_2, segment_3),
    "sampling_probabilities": (shares_1, shares_2, shares_3),
}


def _from_one(word: Any, vocabulary: Any) -> Any:
    return 2 - wrong.init_score_one(word, vocabulary)


def _shortest(word: Any, vocabulary: Any) -> Any:
    return log_probability(wrong.min_tokens_viterbi(word, vocabulary), vocabulary)


WRONG: dict[str, list[tuple[Any, str, int]]] = {
    "best_score": [
        (_from_one, rule_of(wrong.init_score_one), 40),
        (_shortest, rule_of(wrong.min_tokens_viterbi), 50),
        (lambda word, vocabulary: math.exp(score_1(word, vocabulary)), "The vocabulary holds logarithms", 40),
        (lambda word, vocabulary: math.prod(vocabulary[piece] for piece in viterbi(word, vocabulary)), "best path", 40),
        (lambda word, vocabulary: sum(vocabulary[letter] for letter in word), "best path", 60),
    ],
    "segment": [
        (wrong.min_tokens_viterbi, rule_of(wrong.min_tokens_viterbi), 50),
        (wrong.viterbi_ge_instead_of_gt, rule_of(wrong.viterbi_ge_instead_of_gt), 70),
        (greedy_longest_match, "not the longest piece", 60),
        (lambda word, vocabulary: segment_2(word, vocabulary)[::-1], "reverse it", 50),
    ],
    "sampling_probabilities": [
        (wrong.alpha_swapped, rule_of(wrong.alpha_swapped), 40),
        (lambda scores, alpha: [math.exp(alpha * score) for score in scores], "sum to 1", 30),
        (lambda scores, alpha: shares_1(scores, 1), "an exponent of every probability", 30),
        (
            lambda scores, alpha: [math.exp(alpha * s) / sum(math.exp(alpha * o) for o in scores) for s in scores],
            "exp(-1000) is 0 in floating point.",
            40,
        ),
    ],
}

CAUGHT = {
    "min_tokens_viterbi": ("segment", wrong.min_tokens_viterbi),
    "init_score_one": ("best_score", _from_one),
    "viterbi_ge_instead_of_gt": ("segment", wrong.viterbi_ge_instead_of_gt),
    "alpha_swapped": ("sampling_probabilities", wrong.alpha_swapped),
}

RIGHT: dict[str, tuple[Any, ...]] = {"segmented": (4, ("a", "ba"))}
NOT_RIGHT: list[tuple[str, tuple[Any, ...], str]] = [
    ("segmented", (3, ("a", "ba")), "The number of segmentations is not 3."),
    ("segmented", (4, ("aba",)), "The best segmentation is not ('aba',)."),
    ("segmented", (4, "a ba"), "The best segmentation is not 'a ba'."),
]

SHOWS: dict[Any, list[tuple[Any, ...]]] = {
    wrong.min_tokens_viterbi: [({"a": 30, "b": 30, "ab": 1, "c": 39}, "ab"), ({"日": 5, "本": 5, "日本": 1}, "日本日")]
}
DOES_NOT: dict[Any, list[tuple[Any, ...]]] = {
    wrong.min_tokens_viterbi: [({"a": 1, "b": 1, "ab": 5}, "ab"), ({"a": 1}, "aa")]
}
