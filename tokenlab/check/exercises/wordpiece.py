"""Checks of lesson 05: the score, joining two symbols, the encoder, and the best pair above a minimum count."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from tokenlab.algorithms.bpe.tie_break import Pair
from tokenlab.algorithms.bpe.train import count_pairs
from tokenlab.algorithms.wordpiece.encode import encode_word
from tokenlab.algorithms.wordpiece.pieces import TrainingState, join
from tokenlab.algorithms.wordpiece.train import count_symbols, score, train
from tokenlab.check import strategies as inputs
from tokenlab.check.answer_check import AnswerCheck, BugCheck
from tokenlab.check.function_check import FunctionCheck
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.trace_comparison import prefix_calls
from tokenlab.misconceptions import wordpiece as wrong

_TRACED = {"low": 6, "lot": 2, "new": 3}


def _sums_of_scores(recording: Any) -> Iterator[str]:
    pairs, symbols = _counts(_TRACED)
    for pair, count in pairs.items():
        one, other = (symbols[symbol] for symbol in pair)
        yield f"The score of {' '.join(map(str, pair))}: {count} / ({one} * {other}) = {count / (one * other):.3g}"


first_score = AnswerCheck(
    recording=lambda: train.record(_TRACED, vocab_size=7),
    answers=lambda recording: (recording[0].pair, float(recording[0].score)),
    names=("The first pair", "The score of the first pair"),
    rules=(
        "The score is the count of the pair divided by the product of the counts of its two symbols. "
        "The pair with the highest score is merged.",
        "Count the pair and each of its two symbols in all words. Multiply each count by the count of the word.",
    ),
    sums=_sums_of_scores,
)


# Join symbols.


def _neighbours() -> Strategy:
    texts = inputs.sampled("a", "b", "ab", "日", "é", "#", "a#", "#a")
    return st.tuples(inputs.sampled("", "##"), texts, texts).map(lambda drawn: (drawn[0] + drawn[1], "##" + drawn[2]))


join_symbols = FunctionCheck(
    lambda left, right: join((left, right)),
    _neighbours,
    "The left symbol does not change. The right symbol loses only its prefix ##.",
    examples=[("h", "##u"), ("##g", "##s")],
    edges=[("a", "###"), ("##a", "####")],
    wrong=(
        (lambda left, right: wrong.double_hash((left, right)), wrong.double_hash),
        (lambda left, right: (left + right).replace("##", ""), "The left symbol keeps its prefix if it has one."),
        (
            lambda left, right: left + right.lstrip("#"),
            "Only the prefix is removed. Every # after the prefix belongs to the text.",
        ),
    ),
)


# Encode.


def _words_and_vocabularies() -> Strategy:
    tokens = ("a", "b", "ab", "ba", "aab", "é", "日", "👍")
    vocabulary = st.lists(st.sampled_from([*tokens, *("##" + token for token in tokens)]), max_size=8, unique=True)
    word = st.lists(st.sampled_from(("a", "b", "ab", "é", "日", "👍", "x")), max_size=6).map("".join)
    return st.tuples(word, vocabulary)


encode_wordpiece = FunctionCheck(
    lambda word, vocabulary: encode_word(word, vocabulary),
    _words_and_vocabularies,
    "Look up the rest of the word and remove its last character until the lookup succeeds. "
    "A lookup inside the word starts with ##. If every lookup fails, the whole word becomes [UNK].",
    examples=[
        ("hugs", ["hug", "hugs", "##s"]),
        ("hugs", ["h", "hug", "##s"]),
        ("hugx", ["hug", "##s"]),
        ("aba", ["a", "ab", "##a", "##ba"]),
    ],
    edges=[("", ["a"])],
    wrong=(wrong.piecewise_unk, wrong.rest_unk, wrong.no_hash),
    traced_calls=prefix_calls(lambda word: f"of {word}", least=1),
)


# The best pair above a minimum count.


def best_frequent(
    pair_counts: Mapping[Pair, int], symbol_counts: Mapping[str, int], min_frequency: int
) -> Pair | tuple[()]:
    """Return the pair with the highest score among those that occur at least `min_frequency` times, or ().

    >>> best_frequent({("a", "##b"): 2, ("c", "##d"): 1}, {"a": 3, "##b": 2, "c": 1, "##d": 2}, 2)
    ('a', '##b')
    """
    scores = {
        pair: score(count, symbol_counts[str(pair[0])], symbol_counts[str(pair[1])])
        for pair, count in pair_counts.items()
        if count >= min_frequency
    }
    return max(scores, key=scores.__getitem__) if scores else ()


def _counted() -> Strategy:
    return st.tuples(inputs.word_counts(), inputs.sampled(1, 2, 3, 5)).map(lambda drawn: (*_counts(drawn[0]), drawn[1]))


def _counts(words: Mapping[str, int]) -> tuple[dict[Pair, int], dict[Any, int]]:
    """Count all pairs and all symbols in words that are split into characters."""
    start = TrainingState(words, sys.maxsize)
    return dict(count_pairs(start.splits, start.counts)), dict(count_symbols(start.splits, start.counts))


best_pair = FunctionCheck(
    best_frequent,
    _counted,
    "Ignore pairs with a count below `min_frequency`. Divide the count of each other pair by the product of the counts "
    "of its two symbols. Return the pair with the highest result. If several pairs have it, return the first of "
    "them. If no pair is left, return ().",
    examples=[(*_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}), 1), (*_counts({"ab": 2, "cd": 1}), 2)],
    edges=[({}, {}, 1), (*_counts({"ab": 1}), 5)],
    wrong=(
        (
            lambda pair_counts, symbol_counts, min_frequency: best_frequent(
                pair_counts, dict.fromkeys(symbol_counts, 1), min_frequency
            ),
            wrong.frequency_score,
        ),
        (
            lambda pair_counts, symbol_counts, min_frequency: best_frequent(pair_counts, symbol_counts, 1),
            "A pair with a count below `min_frequency` is ignored, even if its score is the highest.",
        ),
        (
            lambda pair_counts, symbol_counts, min_frequency: best_frequent(
                pair_counts, symbol_counts, min_frequency + 1
            ),
            "A pair with a count of exactly `min_frequency` is not ignored.",
        ),
    ),
    traced_calls=prefix_calls(lambda pairs: f"up to {'+'.join(map(str, [*pairs][-1]))}", least=1),
)


# The bug.


def _unusable_words(words: Any) -> str:
    if not isinstance(words, dict) or not all(isinstance(word, str) for word in words):
        return 'Give a dict of words and their counts, such as {"ab": 3, "ac": 2}.'
    if not all(isinstance(count, int) and count > 0 for count in words.values()):
        return "The counts should be positive integers."
    if not any(len(word) > 1 for word in words):
        return "At least one word should have 2 characters; otherwise there is no pair."
    return ""


bug_in_frequency = BugCheck(
    program=wrong.frequency_score,
    right=train,
    input_problem=_unusable_words,
    example=({"ab": 2, "ad": 1, "cd": 1},),
    use=lambda program, words: program(words, len(TrainingState(words, sys.maxsize).ids) + 1),
)
