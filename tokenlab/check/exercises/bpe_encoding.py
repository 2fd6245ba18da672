"""Checks of lesson 02: find the pair with the lowest rank, and encode by rank."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from tokenlab.algorithms.bpe.encode import encode_by_rank, encode_in_order, merge_ranks
from tokenlab.algorithms.bpe.tie_break import Pair
from tokenlab.algorithms.bpe.train import merged_symbol
from tokenlab.algorithms.text.count_words import Word
from tokenlab.check import strategies as inputs
from tokenlab.check.answer_check import AnswerCheck, BugCheck
from tokenlab.check.function_check import FunctionCheck
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.trace_comparison import prefix_calls
from tokenlab.misconceptions import bpe_encoding as wrong

StrRanks = Mapping[Any, int]

LOWEST = "The pair with the lowest rank is merged first. If the lowest rank occurs twice, the left pair comes first."

encoded = AnswerCheck(
    recording=lambda: encode_by_rank.record("lower", merge_ranks([("e", "r"), ("w", "er"), ("l", "o"), ("lo", "w")])),
    answers=lambda recording: (recording.result,),
    names=("The segmentation",),
    rules=("Find the adjacent pair with the lowest rank, merge it, and repeat.",),
)


def _piece_and_ranks() -> Strategy:
    return inputs.words_and_merges().map(lambda drawn: (drawn[0], merge_ranks(drawn[1])))


_MORE_RANKS = prefix_calls(lambda ranks: f"with {[*ranks][-1]!r}" if ranks else "without a merge", 1)


def merges_of_ranks(ranks: StrRanks, word: str = "") -> list[Pair]:
    """Return all merges that could make these tokens, in rank order.

    >>> merges_of_ranks({"ab": 0, "abc": 1})
    [('a', 'b'), ('ab', 'c')]
    """
    known = {*ranks, *"".join(ranks), *word}
    cuts = [(token[:cut], token[cut:]) for token in ranks for cut in range(1, len(token))]
    return [(left, right) for left, right in cuts if left in known and right in known]


encode = FunctionCheck(
    lambda word, ranks: encode_by_rank(word, ranks),
    _piece_and_ranks,
    f"{LOWEST} Repeat this until no adjacent pair has a rank.",
    examples=[("", {"ab": 0}), ("abc", {"bc": 0, "ab": 1}), ("abcd", {"bc": 0, "bcd": 1, "abcd": 2, "ab": 3})],
    wrong=(
        (lambda word, ranks: wrong.greedy_longest_match(word, {*ranks, *word}), wrong.greedy_longest_match),
        (lambda word, ranks: wrong.left_to_right_merge(word, merges_of_ranks(ranks)), wrong.left_to_right_merge),
        (
            lambda word, ranks: wrong.single_pass_shuffled_merges(word, merges_of_ranks(ranks)),
            wrong.single_pass_shuffled_merges,
        ),
        (lambda word, ranks: wrong.min_tokens_dp(word, {*ranks, *word}), wrong.min_tokens_dp),
    ),
    traced_calls=_MORE_RANKS,
)


def position_of_lowest_rank(split: Word, ranks: StrRanks) -> int:
    """Index of the pair with the lowest rank, or -1 if no pair has a rank.

    >>> position_of_lowest_rank(("b", "c", "a", "b"), {"ab": 0, "bc": 1})
    2
    """
    made = enumerate(map(merged_symbol, pairwise(split)))
    found = [(ranks[token], place) for place, token in made if token in ranks]
    return min(found)[1] if found else -1


def _on_the_way(drawn: tuple[tuple[str, StrRanks], int]) -> tuple[Word, StrRanks]:
    """Return a word segmented by the first few merges, and all ranks."""
    (word, ranks), made = drawn
    return encode_by_rank(word, dict(list(ranks.items())[:made])), ranks


lowest_rank_position = FunctionCheck(
    position_of_lowest_rank,
    lambda: st.tuples(_piece_and_ranks(), inputs.sampled(0, 1, 2)).map(_on_the_way),
    LOWEST,
    examples=[(("a", "b"), {"ab": 0})],
)


def encode_short(word: str, ranks: StrRanks, longest: int) -> Word:
    """Encode by rank, but make no token longer than `longest` characters.

    >>> encode_short("abab", {"ab": 0, "abab": 1}, 3)
    ('ab', 'ab')
    """
    return encode_by_rank(word, {token: rank for token, rank in ranks.items() if len(token) <= longest})


encode_with_limit = FunctionCheck(
    encode_short,
    lambda: st.tuples(_piece_and_ranks(), inputs.sampled(1, 2, 3, 8)).map(lambda drawn: (*drawn[0], drawn[1])),
    "Skip a merge whose token is too long. Then a merge with a higher rank may use its symbols instead.",
    wrong=(
        (
            lambda word, ranks, longest: tuple(
                part
                for token in encode_by_rank(word, ranks)
                for part in ([token] if len(token) <= longest else list(token))
            ),
            "The limit holds at every merge, not only for the tokens at the end.",
        ),
        (lambda word, ranks, longest: encode_by_rank(word, ranks), "No token may be longer than the limit."),
    ),
    examples=[("abc", {"ab": 0, "abc": 1}, 2), ("", {"ab": 0}, 2)],
    traced_calls=_MORE_RANKS,
)


def _unusable_merges(merges: Any, word: Any) -> str:
    if not isinstance(word, str) or len(word) < 4:
        return "The word needs at least 4 letters."
    if not isinstance(merges, list) or not all(map(_is_pair, merges)):
        return 'Write the merges as a list of pairs, such as [("a", "b"), ("ab", "c")].'
    known: set[str] = set()
    for left, right in merges:
        for part in (left, right):
            if len(part) != 1 and part not in known:
                return f"{part!r} is not a letter, and no earlier merge creates it."
        if left + right in known:
            return f"Two merges create {left + right!r}. Remove one of them."
        known.add(left + right)
    return ""


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(part, str) for part in pair)


bug_left_to_right = BugCheck(
    program=wrong.left_to_right_merge,
    # subtle: a merge is a pair. encode_by_rank looks up the merged token, so it would also merge another pair that
    # makes this token. Here no later merge makes a part of an earlier one, so one pass in order finds the lowest rank.
    right=encode_in_order,
    input_problem=_unusable_merges,
    example=([("b", "c"), ("a", "b")], "abcd"),
    use=lambda program, merges, word: program(word, merges),
)
