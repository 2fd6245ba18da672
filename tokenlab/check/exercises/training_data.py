"""The checks of lesson 10: sampling lines, distributing examples to shards, packing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tokenlab.algorithms.training_data.pack import ExampleAdded, pack
from tokenlab.algorithms.training_data.sample_lines import sample_lines
from tokenlab.check import strategies as inputs
from tokenlab.check.answer_check import AnswerCheck, BugCheck
from tokenlab.check.function_check import FunctionCheck
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.trace_comparison import prefix_calls
from tokenlab.misconceptions import training_data as wrong
from tokenlab.misconceptions.catalog import rule_of

Examples = list[list[dict[str, list[int]]]]

COLOURS = ("green", "brown", "black", "white", "amber", "coral", "olive", "peach", "lemon", "beige", "mauve", "azure")
EOS = 1


# Trace it.

lines_taken = AnswerCheck(
    recording=lambda: sample_lines.record(COLOURS, size=72, budget=12),
    answers=lambda recording: (recording[0].line, recording[1].line),
    names=("The first line", "The second line"),
    rules=(rule_of(wrong.period_is_skip), "After a sampled line, counting starts again."),
    sums=lambda recording: ("The lines to skip before each sampled line: 72 / 12 / 2 = 3",),
)


# Find the bug.


def _size(lines: Sequence[str]) -> int:
    return sum(len(line.encode()) + 1 for line in lines)


def _unusable_file(my_lines: Any, my_budget: Any) -> str:
    if not isinstance(my_lines, list) or not all(isinstance(line, str) for line in my_lines):
        return 'Write the lines as a list of texts, such as ["tea", "茶"].'
    if any("\n" in line for line in my_lines):
        return "A line must not contain a line feed."
    if isinstance(my_budget, bool) or not isinstance(my_budget, int | float) or not my_budget > 0:
        return "Choose a budget above 0."
    return ""


bug_in_bytes = BugCheck(
    program=wrong.budget_in_bytes,
    right=sample_lines,
    input_problem=_unusable_file,
    example=(["茶", "饭", "鱼", "书"], 9),
    use=lambda program, lines, budget: program(lines, _size(lines), budget),
)


# Complete two lines.


def sample(lines: Sequence[str], skip: int, budget: int) -> list[str]:
    """Skip `skip` lines, take one, and repeat while the budget is positive.

    >>> sample(["tea", "milk", "rice", "fish"], 1, 9)
    ['milk', 'fish']
    """
    return sample_lines(lines, 2 * skip * budget, budget)


_LINE = ("a", "茶", "ab", "饭茶", "日本語", "é", "👍🏽", "")

sampled_lines = FunctionCheck(
    sample,
    lambda: st.tuples(_lists(_LINE), inputs.sampled(0, 1, 2, 3), inputs.sampled(1, 2, 3, 5, 9)),
    "The cost of a sampled line is its number of characters. Then the same number of lines is skipped again.",
    examples=[([], 0, 1), (["a", "b", "c", "d"], 1, 9), (["a", "b", "c"], 0, 2)],
    wrong=(
        (lambda lines, skip, budget: wrong.period_is_skip(lines, 2 * skip * budget, budget), wrong.period_is_skip),
        (lambda lines, skip, budget: wrong.first_lines(lines, 0, budget), wrong.first_lines),
        (lambda lines, skip, budget: wrong.budget_in_bytes(lines, 2 * skip * budget, budget), wrong.budget_in_bytes),
        (
            lambda lines, skip, budget: sample(lines[: skip + 1], skip, budget) + sample(lines[skip + 1 :], 0, budget),
            "After a sampled line, counting starts again.",
        ),
        (lambda lines, skip, budget: lines[skip :: skip + 1], "When the budget is spent, no more lines are sampled."),
    ),
    traced_calls=prefix_calls("line"),
)


# Write it.


def to_shards(pairs: Sequence[tuple[str, str]], ids: Mapping[str, int], shards: int) -> Examples:
    """Encode pairs by characters, append EOS, and distribute the examples round-robin to shards.

    >>> to_shards([("a", "b"), ("b", "")], {"a": 2, "b": 3}, 2)
    [[{'inputs': [2, 1], 'targets': [3, 1]}], [{'inputs': [3, 1], 'targets': [1]}]]
    """

    def ended(text: str) -> list[int]:
        return [*(ids[character] for character in text), EOS]

    examples = [{"inputs": ended(source), "targets": ended(target)} for source, target in pairs]
    return [examples[shard::shards] for shard in range(shards)]


IDS = {"a": 2, "b": 3, "茶": 4}

shards_of = FunctionCheck(
    to_shards,
    lambda: st.tuples(
        st.lists(st.tuples(*[inputs.words(tuple(IDS), most=3)] * 2), max_size=7),
        inputs.sampled(IDS),
        inputs.sampled(1, 2, 3),
    ),
    "A shard is a list of examples. An example maps inputs and targets to lists of ids. Each list ends in EOS.",
    examples=[([("a", "b")], IDS, 1), ([("a", "b"), ("b", "茶"), ("ab", "a")], IDS, 2)],
    wrong=(
        (
            lambda pairs, ids, shards: wrong.fill_in_order([to_shards([pair], ids, 1)[0][0] for pair in pairs], shards),
            wrong.fill_in_order,
        ),
        (
            lambda pairs, ids, shards: [
                [wrong.eos_on_targets_only(source, target, ids) for source, target in pairs[shard::shards]]
                for shard in range(shards)
            ],
            wrong.eos_on_targets_only,
        ),
        (
            lambda *given: [
                [{side: text[:-1] for side, text in example.items()} for example in shard]
                for shard in to_shards(*given)
            ],
            wrong.eos_on_targets_only,
        ),
        (
            lambda *given: [shard for shard in to_shards(*given) if shard],
            "The number of shards is fixed, even if some stay empty.",
        ),
    ),
    traced_calls=prefix_calls("pair"),
)


# Another rule.


def first_fit(lengths: Sequence[int], packed_length: int) -> list[int]:
    """Return the pack of each example, counted from 0: the first with room, or else a new one.

    >>> first_fit([4, 3, 1], 5)
    [0, 1, 0]
    """
    steps = pack.steps([([0] * length,) for length in lengths], packed_length, 0, max(1, len(lengths)))
    return [step.pack - 1 for step in steps if isinstance(step, ExampleAdded)]


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
    lambda: st.tuples(_lists((1, 2, 3, 4, 5, 6, 8)), inputs.sampled(5, 6, 9)),
    "The example goes into the first pack with room, which may be filled completely. If no pack has room, it "
    "goes into a new pack.",
    examples=[([], 5), ([4, 3, 1], 5), ([2, 3], 5), ([8, 1], 5)],
    wrong=(
        wrong.next_fit,
        (_best_fit, "The example goes into the first pack with room, even if another would be filled better."),
        (
            lambda lengths, packed_length: first_fit(lengths, packed_length - 1),
            "A pack may be filled up to its last position.",
        ),
    ),
    traced_calls=prefix_calls("example"),
)


def _lists(values: Sequence[Any]) -> Strategy:
    return st.lists(st.sampled_from(values), max_size=9)
