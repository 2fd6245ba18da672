"""The checks of lesson 02: finding the pair with the lowest rank, and encoding by it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tokenlab.algorithms.bpe_encode import encode_by_rank, ranks_of
from tokenlab.algorithms.bpe_start import join
from tokenlab.algorithms.tie_break import Pair
from tokenlab.algorithms.words import Word
from tokenlab.check import inputs
from tokenlab.check.answers import AnswerCheck, BugCheck
from tokenlab.check.functions import FunctionCheck
from tokenlab.check.traces import Question
from tokenlab.misconceptions import bpe_encode as wrong
from tokenlab.misconceptions import rule_of

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

StrRanks = Mapping[Any, int]

LOWEST = "Of all neighbours that can be merged, those with the lowest rank come first; of equal ones the leftmost."

encoded = AnswerCheck(
    recording=lambda: encode_by_rank.record("lower", ranks_of([("e", "r"), ("w", "er"), ("l", "o"), ("lo", "w")])),
    answers=lambda recording: (recording.result,),
    names=("The cut",),
    rules=("Look for the lowest rank among all neighbours, merge there, and look again.",),
)


def _piece_and_ranks() -> SearchStrategy[Any]:
    return inputs.words_and_merges().map(lambda drawn: (drawn[0], ranks_of(drawn[1])))


def _more_ranks(word: str, ranks: StrRanks) -> Iterator[Question]:
    for number in range(len(ranks) + 1):
        known = dict(list(ranks.items())[:number])
        yield (f"with {list(known)[-1]!r}" if known else "without a merge"), (word, known)


def _encode(word: str, ranks: StrRanks) -> Word:
    return encode_by_rank(word, ranks)


def merges_behind(ranks: StrRanks, word: str = "") -> list[Pair]:
    """All merges that could have made these tokens, in the order of the ranks.

    >>> merges_behind({"ab": 0, "abc": 1})
    [('a', 'b'), ('ab', 'c')]
    """
    known = {*ranks, *"".join(ranks), *word}
    cuts = [(token[:cut], token[cut:]) for token in ranks for cut in range(1, len(token))]
    return [(left, right) for left, right in cuts if left in known and right in known]


# The wrong programs, called as the task calls a learner's.
_WRONG = (
    (lambda word, ranks: wrong.greedy_longest_match(word, {*ranks, *word}), rule_of(wrong.greedy_longest_match)),
    (lambda word, ranks: wrong.left_to_right_merge(word, merges_behind(ranks)), rule_of(wrong.left_to_right_merge)),
    (
        lambda word, ranks: wrong.single_pass_shuffled_merges(word, merges_behind(ranks)),
        rule_of(wrong.single_pass_shuffled_merges),
    ),
    (lambda word, ranks: wrong.min_tokens_dp(word, {*ranks, *word}), rule_of(wrong.min_tokens_dp)),
)

encode = FunctionCheck(
    _encode,
    _piece_and_ranks,
    f"{LOWEST} Then look again, until no neighbours have a rank.",
    examples=[("", {"ab": 0}), ("abc", {"bc": 0, "ab": 1}), ("abcd", {"bc": 0, "bcd": 1, "abcd": 2, "ab": 3})],
    wrong=_WRONG,
    asking=_more_ranks,
)


def place_of_best(split: Word, ranks: StrRanks) -> int:
    """The place of the pair with the lowest rank, or -1 where no pair has one.

    >>> place_of_best(("b", "c", "a", "b"), {"ab": 0, "bc": 1})
    2
    """
    made = enumerate(map(join, pairwise(split)))
    found = [(ranks[token], place) for place, token in made if token in ranks]
    return min(found)[1] if found else -1


def _on_the_way(drawn: tuple[tuple[str, StrRanks], int]) -> tuple[Word, StrRanks]:
    """A word as it is split after the first few merges, and all ranks."""
    (word, ranks), made = drawn
    return encode_by_rank(word, dict(list(ranks.items())[:made])), ranks


best_place = FunctionCheck(
    place_of_best,
    lambda: inputs.several(_piece_and_ranks(), inputs.one_of(0, 1, 2)).map(_on_the_way),
    LOWEST,
    examples=[(("a", "b"), {"ab": 0})],
)


def encode_short(word: str, ranks: StrRanks, longest: int) -> Word:
    """Encode by rank, but make no token that is longer than `longest` characters.

    >>> encode_short("abab", {"ab": 0, "abab": 1}, 3)
    ('ab', 'ab')
    """
    return encode_by_rank(word, {token: rank for token, rank in ranks.items() if len(token) <= longest})


def _more_ranks_within(word: str, ranks: StrRanks, longest: int) -> Iterator[Question]:
    for about, part in _more_ranks(word, ranks):
        yield about, (*part, longest)


encode_with_limit = FunctionCheck(
    encode_short,
    lambda: inputs.several(_piece_and_ranks(), inputs.one_of(1, 2, 3, 8)).map(lambda drawn: (*drawn[0], drawn[1])),
    "A merge whose token is too long is not made, and others, of a higher rank, may get its symbols instead.",
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
    asking=_more_ranks_within,
)


def _unusable_merges(merges: Any, word: Any) -> str:
    if not isinstance(word, str) or len(word) < 4:
        return "Take a word of at least four letters."
    if not isinstance(merges, list) or not all(map(_is_pair, merges)):
        return 'Write the merges as a list of pairs, such as [("a", "b"), ("ab", "c")].'
    known: set[str] = set()
    for left, right in merges:
        for part in (left, right):
            if len(part) != 1 and part not in known:
                return f"{part!r} is no letter, and no merge before makes it."
        if left + right in known:
            return f"{left + right!r} is made by two merges; one is enough."
        known.add(left + right)
    return ""


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(part, str) for part in pair)


def _by_rank(merges: Sequence[Pair], word: str) -> Word:
    return encode_by_rank(word, ranks_of(merges))


bug_left_to_right = BugCheck(
    wrong=lambda merges, word: wrong.left_to_right_merge(word, merges),
    right=_by_rank,
    needs=_unusable_merges,
    rule=rule_of(wrong.left_to_right_merge),
    example=([("b", "c"), ("a", "b")], "abcd"),
)
