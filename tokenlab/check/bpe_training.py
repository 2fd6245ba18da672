"""The checks of lesson 01: counting pairs, merging, training, and a tie-break of one's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tokenlab.algorithms import bpe_train
from tokenlab.algorithms.bpe_train import Merges, train
from tokenlab.algorithms.tie_break import Pair, Tied
from tokenlab.algorithms.words import Word
from tokenlab.check import inputs
from tokenlab.check.answers import AnswerCheck, BugCheck
from tokenlab.check.functions import FunctionCheck, Use
from tokenlab.check.running import shown
from tokenlab.check.traces import Question
from tokenlab.misconceptions import bpe as wrong
from tokenlab.misconceptions import rule_of

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

first_merge = AnswerCheck(
    recording=lambda: train.record({"aab": 3, "ab": 4, "ba": 2}, vocab_size=3),
    answers=lambda recording: (recording[0].pair, recording[0].count),
    names=("The first pair", "Its count"),
    rules=(
        "Every word gives its count to each pair of neighbours in it; the pair that gets most is merged first.",
        "Add the counts of the words that have the pair, a word as often as the pair stands in it.",
    ),
)


# Counting.


def _counting_inputs() -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    word = st.tuples(inputs.splits(("a", "b", "ab"), least=1), inputs.one_of(1, 2, 3, 5))
    words = st.lists(word, max_size=3, unique_by=lambda drawn: "".join(drawn[0]))
    return words.map(
        lambda drawn: (
            {"".join(split): split for split, _ in drawn},
            {"".join(split): count for split, count in drawn},
        )
    )


def _more_words(splits: Mapping[str, Word], word_counts: Mapping[str, int]) -> Iterator[Question]:
    for number in range(1, len(splits) + 1):
        seen = list(splits)[:number]
        yield f"up to {seen[-1]!r}", ({word: splits[word] for word in seen}, {word: word_counts[word] for word in seen})


def _same_counts(mine: Any, right: Any) -> bool:
    return isinstance(mine, Mapping) and Counter(mine) == right


count_pairs = FunctionCheck(
    bpe_train.count_pairs,
    _counting_inputs,
    "All neighbours are a pair, also where two pairs share a symbol; a pair gets the count of its word.",
    examples=[({"hug": ("h", "u", "g"), "pun": ("pu", "n")}, {"hug": 10, "pun": 12})],
    edges=[({}, {}), ({"": ()}, {"": 1})],
    wrong=((wrong.nonoverlap_count, rule_of(wrong.nonoverlap_count)),),
    asking=_more_words,
    same=_same_counts,
)


# Merging.


def _longer(split: Word, pair: Pair) -> Iterator[Question]:
    for end in range(1, len(split) + 1):
        yield f"of {' '.join(map(str, split[:end]))}", (split[:end], pair)


merge = FunctionCheck(
    bpe_train.merge,
    lambda: inputs.several(inputs.splits(least=1), inputs.pairs()),
    "Go from the left; two whole symbols that are the pair become one, and each symbol is used once.",
    examples=[(("p", "u", "n"), ("p", "u"))],
    edges=[((), ("a", "b"))],
    wrong=((wrong.string_replace_merge, rule_of(wrong.string_replace_merge)),),
    asking=_longer,
)

merged_count = FunctionCheck(
    wrong.merged_count,
    lambda: inputs.several(inputs.splits(("a", "b"), least=1), inputs.pairs(("a", "b"))),
    "A merge goes from the left and uses each symbol once, so pairs that share a symbol cannot both be merged.",
    examples=[(("p", "u", "n"), ("p", "u"))],
    edges=[((), ("a", "b"))],
    wrong=((wrong.overlap_count, rule_of(wrong.overlap_count)),),
    asking=_longer,
)


# Training.


def _train(word_counts: Mapping[str, int], vocab_size: int) -> Merges:
    return train(word_counts, vocab_size)


def _training_inputs() -> SearchStrategy[Any]:
    return inputs.several(inputs.word_counts(), inputs.one_of(1, 2, 3, 4, 6, 20)).map(
        lambda drawn: (drawn[0], len(set("".join(drawn[0]))) + drawn[1])
    )


def _larger(word_counts: Mapping[str, int], vocab_size: int) -> Iterator[Question]:
    for size in range(len(set("".join(word_counts))) + 1, vocab_size + 1):
        yield f"{size} entries", (word_counts, size)


training = FunctionCheck(
    _train,
    _training_inputs,
    "Before each merge all pairs are counted anew; the most frequent is merged, of several the one that stands first "
    "in the words; when no pair is left, training ends.",
    examples=[({"hug": 10, "pug": 5, "pun": 12}, 7)],
    wrong=tuple(
        (program, rule_of(program))
        for program in (
            wrong.tie_last_seen,
            wrong.tie_lexicographic,
            wrong.batch_merge_stale_counts,
            wrong.no_exhaustion_guard,
        )
    ),
    asking=_larger,
)


def _unusable_words(words: Any) -> str:
    if not isinstance(words, dict) or not words:
        return 'Give words and their counts, such as {"ab": 3, "cd": 2}.'
    if not all(isinstance(word, str) and word for word in words):
        return "The words should be strings, and none of them empty."
    if not all(isinstance(count, int) and count > 0 for count in words.values()):
        return "The counts should be whole numbers, larger than zero."
    return ""


def _two_merges(words: Mapping[str, int]) -> int:
    return len(set("".join(words))) + 2


bug_in_batch = BugCheck(
    wrong=lambda words: wrong.batch_merge_stale_counts(words, _two_merges(words)),
    right=lambda words: train(words, _two_merges(words)),
    needs=_unusable_words,
    rule=rule_of(wrong.batch_merge_stale_counts),
    example=({"abc": 2, "de": 1},),
)


# A tie-break of one's own.


def longest_first(tied: Tied) -> tuple[int, tuple[int, int]]:
    """The key that prefers the pair whose merged symbol is longest, and of those the one that comes first.

    >>> longest_first(Tied(("ab", "c"), ids=(0, 1), first=(2, 0)))
    (-3, (2, 0))
    """
    return -len(tied.pair[0] + tied.pair[1]), tied.first  # type: ignore[operator]  # both are str


def _ties() -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    place = st.tuples(inputs.one_of(0, 1, 2), inputs.one_of(0, 1, 2))
    ids = st.tuples(inputs.one_of(0, 1, 2), inputs.one_of(0, 1, 2))
    tied = st.builds(Tied, inputs.pairs(("a", "b", "ab", "abc")), ids, place)
    several = st.lists(tied, min_size=2, max_size=3, unique_by=(lambda one: one.first, lambda one: one.pair))
    return several.map(lambda drawn: (tuple(drawn),))


def _more_ties(ties: tuple[Tied, ...]) -> Iterator[Question]:
    for number in range(1, len(ties) + 1):
        yield ("the first alone" if number == 1 else f"of the first {number}"), (ties[:number],)


tie_break = FunctionCheck(
    longest_first,
    _ties,
    "The smallest key wins, and of two tuples the one that is smaller at the first place where they differ.",
    examples=[((Tied(("a", "b"), (0, 1), (0, 0)), Tied(("ab", "c"), (3, 2), (1, 0))),)],
    asking=_more_ties,
    use=Use(
        parameters=("tied",),
        result=lambda policy, ties: min(ties, key=policy).pair,
        written=lambda name, ties: f"min([{', '.join(map(shown, ties))}], key={name}).pair",
    ),
)
