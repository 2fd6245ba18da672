"""Checks of lesson 00: count tokens, find unknown words, assign ids, and fall back to characters."""

from __future__ import annotations

from collections.abc import Sequence

from tokenlab.algorithms.text.granularity import tokenize_at_each_granularity
from tokenlab.algorithms.text.pretokenize import split_whitespace
from tokenlab.check import strategies as inputs
from tokenlab.check.answer_check import AnswerCheck, BugCheck, summed
from tokenlab.check.function_check import FunctionCheck
from tokenlab.check.strategies import Strategy, st
from tokenlab.misconceptions.word_counting import spaces_plus_one

_SPOKEN = "so to speak"

token_counts = AnswerCheck(
    recording=lambda: tokenize_at_each_granularity.record(_SPOKEN, corpus="to speak so", merges=0),
    answers=lambda recording: tuple(len(cut.tokens) for cut in recording[:2]),
    names=("The number of words", "The number of characters"),
    rules=("Spaces separate the words.", "Each character of each word is a token. The spaces are not counted."),
    sums=lambda recording: (
        f"The words {' | '.join(_SPOKEN.split())}: {summed(1 for _ in _SPOKEN.split())}",
        f"Their characters: {summed(map(len, _SPOKEN.split()))}",
    ),
)


bug_in_spaces = BugCheck(
    program=spaces_plus_one,
    right=lambda text: len(split_whitespace.words(text)),
    input_problem=lambda text: "" if isinstance(text, str) else "Give a string.",
    example=("to  be",),
)


def _words_and_vocabulary() -> Strategy:
    words = st.lists(inputs.sampled("to", "be", "t", "日本", ""), max_size=5)
    vocabulary = st.lists(inputs.sampled("to", "be", "or", "t", "o", "日"), max_size=4, unique=True)
    return st.tuples(words, vocabulary)


def words_unknown(words: Sequence[str], vocabulary: Sequence[str]) -> list[str]:
    """Return the words that are not in the vocabulary, in order, with repetitions.

    >>> words_unknown(["to", "be", "to"], ["be"])
    ['to', 'to']
    """
    return [word for word in words if word not in vocabulary]


unknown_words = FunctionCheck(
    words_unknown,
    _words_and_vocabulary,
    "A word is unknown if it is not in the vocabulary, even if its letters are. Return every occurrence of it.",
    examples=[(["to", "be"], ["be"])],
)


def ids_of(tokens: Sequence[str], vocabulary: Sequence[str]) -> list[int]:
    """Return the index of each token in the vocabulary, counted from 0, and -1 for a string that it lacks.

    >>> ids_of(["b", "a", "c"], ["a", "b"])
    [1, 0, -1]
    """
    return [vocabulary.index(token) if token in vocabulary else -1 for token in tokens]


token_ids = FunctionCheck(
    ids_of,
    _words_and_vocabulary,
    "The id of a token is its index in the vocabulary, counted from 0. A string that the vocabulary lacks gets -1.",
    examples=[(["b", "a"], ["a", "b"])],
)


def character_fallback(words: Sequence[str], vocabulary: Sequence[str]) -> list[str]:
    """Keep known words whole, and split unknown words into characters.

    >>> character_fallback(["to", "be"], ["be"])
    ['t', 'o', 'be']
    """
    return [token for word in words for token in ([word] if word in vocabulary else word)]


fall_back = FunctionCheck(
    character_fallback,
    _words_and_vocabulary,
    "A word in the vocabulary stays whole. Any other word is replaced by all of its characters.",
    examples=[(["to", "be"], ["be"])],
)
