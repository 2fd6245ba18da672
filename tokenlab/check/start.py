"""The checks of lesson 00: counting tokens, what is unknown, ids, and falling back on characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tokenlab.algorithms.split import split_whitespace
from tokenlab.algorithms.three_ways import cut_three_ways
from tokenlab.check import inputs
from tokenlab.check.answers import AnswerCheck, BugCheck
from tokenlab.check.functions import FunctionCheck
from tokenlab.misconceptions import rule_of
from tokenlab.misconceptions.words import blanks_plus_one

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

token_counts = AnswerCheck(
    recording=lambda: cut_three_ways.record("so to speak", corpus="to speak so", merges=0),
    answers=lambda recording: tuple(len(cut.tokens) for cut in recording[:2]),
    names=("The number of words", "The number of characters"),
    rules=(
        "White space separates the words.",
        "Each character of each word is a token; here blanks only separate words, and are not counted.",
    ),
)


def number_of_words(text: str) -> int:
    """How many words a text has.

    >>> number_of_words("to  be ")
    2
    """
    return len(split_whitespace.words(text))


bug_in_blanks = BugCheck(
    wrong=blanks_plus_one,
    right=number_of_words,
    needs=lambda text: "" if isinstance(text, str) else "Give a text.",
    rule=rule_of(blanks_plus_one),
    example=("to  be",),
)


def _words_and_vocabulary() -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    words = st.lists(inputs.one_of("to", "be", "t", "日本", ""), max_size=5)
    vocabulary = st.lists(inputs.one_of("to", "be", "or", "t", "o", "日"), max_size=4, unique=True)
    return st.tuples(words, vocabulary)


def words_unknown(words: Sequence[str], vocabulary: Sequence[str]) -> list[str]:
    """The words that the vocabulary does not have, in their order, each as often as it comes.

    >>> words_unknown(["to", "be", "to"], ["be"])
    ['to', 'to']
    """
    return [word for word in words if word not in vocabulary]


unknown_words = FunctionCheck(
    words_unknown,
    _words_and_vocabulary,
    "A word is unknown if it is not in the vocabulary, whatever its letters are; each time that it comes counts.",
    examples=[(["to", "be"], ["be"])],
)


def ids_of(tokens: Sequence[str], vocabulary: Sequence[str]) -> list[int]:
    """The place of each token in the vocabulary, from zero, and -1 for one that is unknown.

    >>> ids_of(["b", "a", "c"], ["a", "b"])
    [1, 0, -1]
    """
    return [vocabulary.index(token) if token in vocabulary else -1 for token in tokens]


token_ids = FunctionCheck(
    ids_of,
    _words_and_vocabulary,
    "The id of a token is its place in the vocabulary, counted from zero; an unknown token gets -1.",
    examples=[(["b", "a"], ["a", "b"])],
)


def falling_back(words: Sequence[str], vocabulary: Sequence[str]) -> list[str]:
    """The words that the vocabulary has, whole, and the others as their characters.

    >>> falling_back(["to", "be"], ["be"])
    ['t', 'o', 'be']
    """
    return [token for word in words for token in ([word] if word in vocabulary else word)]


fall_back = FunctionCheck(
    falling_back,
    _words_and_vocabulary,
    "A word that the vocabulary has stays whole; another one is replaced by its characters, all of them.",
    examples=[(["to", "be"], ["be"])],
)
