"""The checks of lesson 10: sampling lines, dealing examples out to shards, packing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tokenlab.algorithms.pack import Packed, pack
from tokenlab.algorithms.sample_lines import sample_lines
from tokenlab.check import inputs
from tokenlab.check.answers import AnswerCheck, BugCheck
from tokenlab.check.functions import FunctionCheck
from tokenlab.check.traces import Question
from tokenlab.misconceptions import rule_of
from tokenlab.misconceptions import training_data as wrong
from tokenlab.steps import Recording

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Examples = list[list[dict[str, list[int]]]]

COLOURS = ("green", "brown", "black", "white", "amber", "coral", "olive", "peach", "lemon", "beige", "mauve", "azure")
EOS = 1


# Trace it.


def _trace() -> Recording[Any, Any]:
    return sample_lines.record(COLOURS, size=72, budget=12)


lines_taken = AnswerCheck(
    recording=_trace,
    answers=lambda recording: (recording[0].line, recording[1].line),
    names=("The first line", "The second line"),
    rules=(rule_of(wrong.period_is_skip), "After a line that is taken, counting begins anew."),
)


# Find the bug.


def _size(lines: Sequence[str]) -> int:
    return sum(len(line.encode()) + 1 for line in lines)


def _unusable_file(my_lines: Any, my_budget: Any) -> str:
    if not isinstance(my_lines, list) or not all(isinstance(line, str) for line in my_lines):
        return 'Write the lines as a list of texts, such as ["tea", "茶"].'
    if any("\n" in line for line in my_lines):
        return "A line has no line feed in it."
    if isinstance(my_budget, bool) or not isinstance(my_budget, int | float) or not my_budget > 0:
        return "Take a budget above zero."
    return ""


bug_in_bytes = BugCheck(
    wrong=lambda lines, budget: wrong.budget_in_bytes(lines, _size(lines), budget),
    right=lambda lines, budget: sample_lines(lines, _size(lines), budget),
    needs=_unusable_file,
    rule=rule_of(wrong.budget_in_bytes),
    example=(["茶", "饭", "鱼", "书"], 9),
)


# Complete two lines.


def sample(lines: Sequence[str], skip: int, budget: int) -> list[str]:
    """Skip as many lines as that, take one, and so on, while something of the budget is left.

    >>> sample(["tea", "milk", "rice", "fish"], 1, 9)
    ['milk', 'fish']
    """
    return sample_lines(lines, 2 * skip * budget, budget)


def _more_lines(lines: Sequence[str], skip: int, budget: int) -> Iterator[Question]:
    for number in range(len(lines) + 1):
        yield f"{number} line{'s' if number != 1 else ''}", (list(lines[:number]), skip, budget)


_LINE = ("a", "茶", "ab", "饭茶", "日本語", "é", "👍🏽", "")

sampled_lines = FunctionCheck(
    sample,
    lambda: inputs.several(_lists(_LINE), inputs.one_of(0, 1, 2, 3), inputs.one_of(1, 2, 3, 5, 9)),
    "A line that is taken costs its characters, and then as many lines as before are skipped again.",
    examples=[([], 0, 1), (["a", "b", "c", "d"], 1, 9), (["a", "b", "c"], 0, 2)],
    wrong=(
        (
            lambda lines, skip, budget: wrong.period_is_skip(lines, 2 * skip * budget, budget),
            rule_of(wrong.period_is_skip),
        ),
        (lambda lines, skip, budget: wrong.first_lines(lines, 0, budget), rule_of(wrong.first_lines)),
        (
            lambda lines, skip, budget: wrong.budget_in_bytes(lines, 2 * skip * budget, budget),
            rule_of(wrong.budget_in_bytes),
        ),
        (
            lambda lines, skip, budget: sample(lines[: skip + 1], skip, budget) + sample(lines[skip + 1 :], 0, budget),
            "After a line that is taken, counting begins anew.",
        ),
        (lambda lines, skip, budget: lines[skip :: skip + 1], "When the budget is spent, no line is taken any more."),
    ),
    asking=_more_lines,
)


# Write it.


def to_shards(pairs: Sequence[tuple[str, str]], ids: Mapping[str, int], shards: int) -> Examples:
    """The examples of some pairs, encoded by characters, ended, and dealt out to shards.

    >>> to_shards([("a", "b"), ("b", "")], {"a": 2, "b": 3}, 2)
    [[{'inputs': [2, 1], 'targets': [3, 1]}], [{'inputs': [3, 1], 'targets': [1]}]]
    """

    def ended(text: str) -> list[int]:
        return [*(ids[character] for character in text), EOS]

    examples = [{"inputs": ended(source), "targets": ended(target)} for source, target in pairs]
    return [examples[shard::shards] for shard in range(shards)]


IDS = {"a": 2, "b": 3, "茶": 4}


def _more_pairs(pairs: Sequence[tuple[str, str]], ids: Mapping[str, int], shards: int) -> Iterator[Question]:
    for number in range(len(pairs) + 1):
        yield f"{number} pair{'s' if number != 1 else ''}", (list(pairs[:number]), ids, shards)


def _texts() -> SearchStrategy[str]:
    return inputs.words(tuple(IDS), most=3)


def _pairs() -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    return st.lists(st.tuples(_texts(), _texts()), max_size=7)


shards_of = FunctionCheck(
    to_shards,
    lambda: inputs.several(_pairs(), inputs.one_of(IDS), inputs.one_of(1, 2, 3)),
    "A shard is a list of examples; an example maps inputs and targets to lists of ids, each of which ends in EOS.",
    examples=[([("a", "b")], IDS, 1), ([("a", "b"), ("b", "茶"), ("ab", "a")], IDS, 2)],
    wrong=(
        (
            lambda pairs, ids, shards: wrong.fill_in_order([to_shards([pair], ids, 1)[0][0] for pair in pairs], shards),
            rule_of(wrong.fill_in_order),
        ),
        (
            lambda pairs, ids, shards: [
                [wrong.eos_on_targets_only(source, target, ids) for source, target in pairs[shard::shards]]
                for shard in range(shards)
            ],
            rule_of(wrong.eos_on_targets_only),
        ),
        (
            lambda pairs, ids, shards: [
                [{side: text[:-1] for side, text in example.items()} for example in shard]
                for shard in to_shards(pairs, ids, shards)
            ],
            rule_of(wrong.eos_on_targets_only),
        ),
        (
            lambda pairs, ids, shards: [shard for shard in to_shards(pairs, ids, shards) if shard],
            "There are as many shards as are wanted, even if some stay empty.",
        ),
    ),
    asking=_more_pairs,
)


# Another rule.


def first_fit(lengths: Sequence[int], packed_length: int) -> list[int]:
    """The pack of each example, counted from zero: the first that has room, or else a new one.

    >>> first_fit([4, 3, 1], 5)
    [0, 1, 0]
    """
    steps = pack.steps([([0] * length,) for length in lengths], packed_length, 0, max(1, len(lengths)))
    return [step.pack - 1 for step in steps if isinstance(step, Packed)]


def _more_lengths(lengths: Sequence[int], packed_length: int) -> Iterator[Question]:
    for number in range(len(lengths) + 1):
        yield f"{number} example{'s' if number != 1 else ''}", (list(lengths[:number]), packed_length)


def _best_fit(lengths: Sequence[int], packed_length: int) -> list[int]:
    filled: list[int] = []
    packs = []
    for length in lengths:
        fitting = [pack for pack, used in enumerate(filled) if used + length <= packed_length]
        chosen = max(fitting, key=lambda pack: filled[pack], default=len(filled))
        filled[chosen : chosen + 1] = [sum(filled[chosen : chosen + 1]) + length]
        packs.append(chosen)
    return packs


packs_of = FunctionCheck(
    first_fit,
    lambda: inputs.several(_lists((1, 2, 3, 4, 5, 6, 8)), inputs.one_of(5, 6, 9)),
    "The first pack with room takes the example, up to its last place; if none has room, a new one does.",
    examples=[([], 5), ([4, 3, 1], 5), ([2, 3], 5), ([8, 1], 5)],
    wrong=(
        (wrong.next_fit, rule_of(wrong.next_fit)),
        (_best_fit, "The first pack with room takes the example, even if another would be filled better."),
        (
            lambda lengths, packed_length: first_fit(lengths, packed_length - 1),
            "A pack may be filled up to its last place.",
        ),
    ),
    asking=_more_lengths,
)


def _lists(values: Sequence[Any]) -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    return st.lists(st.sampled_from(values), max_size=9)
