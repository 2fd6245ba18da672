"""Checks of lesson 01: count pairs, merge, train, and write a tie-break."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from tokenlab.algorithms.bpe import train as bpe_train
from tokenlab.algorithms.bpe.tie_break import Tied
from tokenlab.algorithms.bpe.train import train
from tokenlab.check import strategies as inputs
from tokenlab.check.answer_check import AnswerCheck, BugCheck, summed
from tokenlab.check.function_check import Adapter, FunctionCheck
from tokenlab.check.isolated_run import display, returned
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.trace_comparison import TracedCall, prefix_calls
from tokenlab.misconceptions import bpe_training as wrong

_TRACED = {"aab": 3, "ab": 4, "ba": 2}


def _sums_of_pairs(recording: Any) -> Iterator[str]:
    pairs = [(pair, count) for word, count in _TRACED.items() for pair in pairwise(word)]
    for pair in dict.fromkeys(pair for pair, _ in pairs):
        yield f"The count of {' '.join(pair)}: {summed(count for other, count in pairs if other == pair)}"


first_merge = AnswerCheck(
    recording=lambda: train.record(_TRACED, vocab_size=3),
    answers=lambda recording: (recording[0].pair, recording[0].count),
    names=("The first pair", "The count of the first pair"),
    rules=(
        "Every word adds its count to each of its pairs. The pair with the highest count is merged first.",
        "Add the counts of all words that contain the pair. If a word contains it twice, add its count twice.",
    ),
    sums=_sums_of_pairs,
)


# Count pairs.


def _counting_inputs() -> Strategy:
    word = st.tuples(inputs.splits(("a", "b", "ab"), least=1), inputs.sampled(1, 2, 3, 5))
    words = st.lists(word, max_size=3, unique_by=lambda drawn: "".join(drawn[0]))
    return words.map(
        lambda drawn: ({"".join(split): split for split, _ in drawn}, {"".join(split): count for split, count in drawn})
    )


def _same_counts(mine: Any, right: Any) -> bool:
    return isinstance(mine, Mapping) and Counter(mine) == right


count_pairs = FunctionCheck(
    bpe_train.count_pairs,
    _counting_inputs,
    "Every two adjacent symbols are a pair, even if two pairs share a symbol. Each pair adds the count of its word.",
    examples=[({"hug": ("h", "u", "g"), "pun": ("pu", "n")}, {"hug": 10, "pun": 12})],
    edges=[({}, {}), ({"": ()}, {"": 1})],
    wrong=(wrong.nonoverlap_count,),
    traced_calls=prefix_calls(lambda splits: f"up to {[*splits][-1]!r}", 0, 1, least=1),
    same=_same_counts,
)


# Merge.

_LONGER = prefix_calls(lambda split: f"of {' '.join(map(str, split))}", least=1)

merge = FunctionCheck(
    bpe_train.merge,
    lambda: st.tuples(inputs.splits(least=1), inputs.pairs()),
    "Go from the left. Two adjacent symbols that equal the pair become one symbol. Each symbol is used once.",
    examples=[(("p", "u", "n"), ("p", "u"))],
    edges=[((), ("a", "b"))],
    wrong=(wrong.string_replace_merge,),
    traced_calls=_LONGER,
)

merged_count = FunctionCheck(
    wrong.merged_count,
    lambda: st.tuples(inputs.splits(("a", "b"), least=1), inputs.pairs(("a", "b"))),
    "A merge goes from the left and uses each symbol once, so pairs that share a symbol cannot both be merged.",
    examples=[(("p", "u", "n"), ("p", "u"))],
    edges=[((), ("a", "b"))],
    wrong=(wrong.overlap_count,),
    traced_calls=_LONGER,
)


# Train.


def _training_inputs() -> Strategy:
    return st.tuples(inputs.word_counts(), inputs.sampled(1, 2, 3, 4, 6, 20)).map(
        lambda drawn: (drawn[0], len(set("".join(drawn[0]))) + drawn[1])
    )


def _larger(word_counts: Mapping[str, int], vocab_size: int) -> Iterator[TracedCall]:
    for size in range(len(set("".join(word_counts))) + 1, vocab_size + 1):
        yield f"{size} entries", (word_counts, size)


training = FunctionCheck(
    lambda word_counts, vocab_size: train(word_counts, vocab_size),
    _training_inputs,
    "Before each merge, all pairs are counted again. The pair with the highest count is merged. If several pairs are "
    "tied, the one that occurs first in the words is merged. When no pair is left, training stops.",
    examples=[({"hug": 10, "pug": 5, "pun": 12}, 7)],
    wrong=(wrong.tie_last_seen, wrong.tie_lexicographic, wrong.batch_merge_stale_counts, wrong.no_exhaustion_guard),
    traced_calls=_larger,
)


def _unusable_words(words: Any) -> str:
    if not isinstance(words, dict) or not words:
        return 'Give words and their counts, such as {"ab": 3, "cd": 2}.'
    if not all(isinstance(word, str) and word for word in words):
        return "The words should be strings, and none of them empty."
    if not all(isinstance(count, int) and count > 0 for count in words.values()):
        return "The counts should be positive integers."
    return ""


bug_in_batch = BugCheck(
    program=wrong.batch_merge_stale_counts,
    right=train,
    input_problem=_unusable_words,
    example=({"abc": 2, "de": 1},),
    use=lambda program, words: program(words, len(set("".join(words))) + 2),
)


# Write a tie-break.


def longest_first(tied: Tied) -> tuple[int, tuple[int, int]]:
    """Key that prefers the pair with the longest merged symbol, and of equals the one that occurs first.

    >>> longest_first(Tied(("ab", "c"), ids=(0, 1), first=(2, 0)))
    (-3, (2, 0))
    """
    return -len(tied.pair[0] + tied.pair[1]), tied.first  # type: ignore[operator]  # both are str


def _ties() -> Strategy:
    place = st.tuples(inputs.sampled(0, 1, 2), inputs.sampled(0, 1, 2))
    ids = st.tuples(inputs.sampled(0, 1, 2), inputs.sampled(0, 1, 2))
    tied = st.builds(Tied, inputs.pairs(("a", "b", "ab", "abc")), ids, place)
    several = st.lists(tied, min_size=2, max_size=3, unique_by=(lambda one: one.first, lambda one: one.pair))
    return several.map(lambda drawn: (tuple(drawn),))


tie_break = FunctionCheck(
    longest_first,
    _ties,
    "The smallest key wins. Tuples are compared by their first element that differs.",
    examples=[((Tied(("a", "b"), (0, 1), (0, 0)), Tied(("ab", "c"), (3, 2), (1, 0))),)],
    traced_calls=prefix_calls(
        lambda ties: f"of the first {len(ties)}" if len(ties) > 1 else "the first alone", least=1
    ),
    use=Adapter(
        parameters=("tied",),
        result=lambda policy, ties: min(ties, key=lambda tied: returned(policy(tied))).pair,
        written=lambda name, ties: f"min([{', '.join(map(display, ties))}], key={name}).pair",
    ),
)
