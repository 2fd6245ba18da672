"""The checks of lesson 05: the score, joining two pieces, the encoder, and a score among frequent pairs only."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tokenlab.algorithms.bpe_train import count_pairs
from tokenlab.algorithms.tie_break import Pair
from tokenlab.algorithms.wordpiece_encode import encode_word
from tokenlab.algorithms.wordpiece_pieces import Start, join
from tokenlab.algorithms.wordpiece_train import Vocabulary, count_pieces, score, train
from tokenlab.check import inputs
from tokenlab.check.answers import AnswerCheck, BugCheck
from tokenlab.check.functions import FunctionCheck
from tokenlab.check.traces import Question
from tokenlab.misconceptions import rule_of
from tokenlab.misconceptions import wordpiece as wrong

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

first_score = AnswerCheck(
    recording=lambda: train.record({"low": 6, "lot": 2, "new": 3}, vocab_size=7),
    answers=lambda recording: (recording[0].pair, float(recording[0].score)),
    names=("The first pair", "Its score"),
    rules=(
        "Divide how often two pieces stand together by the product of how often each occurs; the highest is merged.",
        "Count the pair, and count each of its pieces in all words; a word counts as often as it occurs.",
    ),
)


# Joining.


def join_two(left: str, right: str) -> str:
    """The piece that two pieces become, of which the right one stands inside a word.

    >>> join_two("##g", "##s")
    '##gs'
    """
    return join((left, right))


def _neighbours() -> SearchStrategy[Any]:
    spelled = inputs.one_of("a", "b", "ab", "日", "é", "#", "a#", "#a")
    return inputs.several(inputs.one_of("", "##"), spelled, spelled).map(
        lambda drawn: (drawn[0] + drawn[1], "##" + drawn[2])
    )


join_pieces = FunctionCheck(
    join_two,
    _neighbours,
    "The left piece stays as it is; the right one loses the two signs at its front, and nothing else.",
    examples=[("h", "##u"), ("##g", "##s")],
    edges=[("a", "###"), ("##a", "####")],
    wrong=(
        (lambda left, right: wrong.double_hash((left, right)), rule_of(wrong.double_hash)),
        (lambda left, right: (left + right).replace("##", ""), "The left piece keeps its mark if it has one."),
        (lambda left, right: left + right.lstrip("#"), "Only the mark goes; a # behind it belongs to the text."),
    ),
)


# Encoding.


def _words_and_vocabularies() -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    pieces = ("a", "b", "ab", "ba", "aab", "é", "日", "👍")
    vocabulary = st.lists(st.sampled_from([*pieces, *("##" + piece for piece in pieces)]), max_size=8, unique=True)
    word = st.lists(st.sampled_from(("a", "b", "ab", "é", "日", "👍", "x")), max_size=6).map("".join)
    return st.tuples(word, vocabulary)


def _longer(word: str, vocabulary: Sequence[str]) -> Iterator[Question]:
    for end in range(1, len(word) + 1):
        yield f"of {word[:end]}", (word[:end], vocabulary)


def encode(word: str, vocabulary: Sequence[str]) -> tuple[str, ...]:
    """The pieces of a word, the longest first; the unknown token alone where it cannot be cut.

    >>> encode("hugs", ["hug", "##s"])
    ('hug', '##s')
    """
    return encode_word(word, vocabulary)


encode_wordpiece = FunctionCheck(
    encode,
    _words_and_vocabularies,
    "The window starts as all that is left of the word, and shrinks from the right until it is a piece; "
    "inside the word a piece bears ##; if nothing is left of the window, the whole word is [UNK].",
    examples=[
        ("hugs", ["hug", "hugs", "##s"]),
        ("hugs", ["h", "hug", "##s"]),
        ("hugx", ["hug", "##s"]),
        ("aba", ["a", "ab", "##a", "##ba"]),
    ],
    edges=[("", ["a"])],
    wrong=tuple((program, rule_of(program)) for program in (wrong.piecewise_unk, wrong.rest_unk, wrong.no_hash)),
    asking=_longer,
)


# A score among frequent pairs only.


def best_frequent(pair_counts: Mapping[Pair, int], piece_counts: Mapping[str, int], least: int) -> Pair | tuple[()]:
    """The pair with the highest score among those that occur `least` times or more; () where there is none.

    >>> best_frequent({("a", "##b"): 2, ("c", "##d"): 1}, {"a": 3, "##b": 2, "c": 1, "##d": 2}, 2)
    ('a', '##b')
    """
    scores = {
        pair: score(count, piece_counts[str(pair[0])], piece_counts[str(pair[1])])
        for pair, count in pair_counts.items()
        if count >= least
    }
    return max(scores, key=scores.__getitem__) if scores else ()


def _counted() -> SearchStrategy[Any]:
    return inputs.several(inputs.word_counts(), inputs.one_of(1, 2, 3, 5)).map(
        lambda drawn: (*_counts(drawn[0]), drawn[1])
    )


def _counts(words: Mapping[str, int]) -> tuple[dict[Pair, int], dict[Any, int]]:
    """The counts of all pairs, and of all pieces, in words that are split into characters."""
    start = Start(words, sys.maxsize)
    return dict(count_pairs(start.splits, start.counts)), dict(count_pieces(start.splits, start.counts))


def _more_pairs(pair_counts: Mapping[Pair, int], piece_counts: Mapping[str, int], least: int) -> Iterator[Question]:
    for number in range(1, len(pair_counts) + 1):
        pairs = dict(list(pair_counts.items())[:number])
        yield f"up to {'+'.join(map(str, list(pairs)[-1]))}", (pairs, piece_counts, least)


def _most_frequent(pair_counts: Mapping[Pair, int], piece_counts: Mapping[str, int], least: int) -> Pair | tuple[()]:
    """What `frequency_score` merges first."""
    frequent = {pair: count for pair, count in pair_counts.items() if count >= least}
    return max(frequent, key=frequent.__getitem__) if frequent else ()


best_pair = FunctionCheck(
    best_frequent,
    _counted,
    "Leave out what occurs less than `least` times; of the rest take the pair whose count, divided by the product of "
    "the counts of its two pieces, is highest; of equal ones the first; () where nothing is left.",
    examples=[(*_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}), 1), (*_counts({"ab": 2, "cd": 1}), 2)],
    edges=[({}, {}, 1), (*_counts({"ab": 1}), 5)],
    wrong=(
        (_most_frequent, rule_of(wrong.frequency_score)),
        (
            lambda pair_counts, piece_counts, least: best_frequent(pair_counts, piece_counts, 1),
            "A pair that occurs less than `least` times is not merged, however high its score is.",
        ),
        (
            lambda pair_counts, piece_counts, least: best_frequent(pair_counts, piece_counts, least + 1),
            "A pair that occurs exactly `least` times is frequent enough.",
        ),
    ),
    asking=_more_pairs,
)


# The bug.


def _unusable_words(words: Any) -> str:
    if not isinstance(words, dict) or not all(isinstance(word, str) for word in words):
        return 'Give words and their counts, such as {"ab": 3, "ac": 2}.'
    if not all(isinstance(count, int) and count > 0 for count in words.values()):
        return "The counts should be whole numbers, larger than zero."
    if not any(len(word) > 1 for word in words):
        return "At least one word should have two letters, for there is no pair otherwise."
    return ""


def _with_one_merge(training: Any, words: Mapping[str, int]) -> Vocabulary:
    learned: Vocabulary = training(words, len(Start(words, sys.maxsize).ids) + 1)
    return learned


bug_in_frequency = BugCheck(
    wrong=lambda words: _with_one_merge(wrong.frequency_score, words),
    right=lambda words: _with_one_merge(train, words),
    needs=_unusable_words,
    rule=rule_of(wrong.frequency_score),
    example=({"ab": 2, "ad": 1, "cd": 1},),
)
