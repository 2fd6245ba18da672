"""The programs of lesson 10: three right ones in different styles for each exercise, and wrong ones."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from typing import Any

from tokenlab.check.exercises.training_data import sample, to_shards
from tokenlab.misconceptions import training_data as wrong
from tokenlab.misconceptions.catalog import rule_of

Function = Callable[..., Any]


def sample_1(lines: Any, skip: Any, budget: Any) -> Any:
    taken, skipped = [], 0
    for line in lines:
        if skipped < skip:
            skipped += 1
        elif budget <= 0:
            break
        else:
            taken.append(line)
            budget -= len(line)
            skipped = 0
    return taken


def sample_2(lines: Any, skip: Any, budget: Any) -> Any:
    taken: list[str] = []
    for line in lines[skip :: skip + 1]:
        if sum(map(len, taken)) < budget:
            taken += [line]
    return taken


def sample_3(lines: Any, skip: Any, budget: Any) -> Any:
    if len(lines) <= skip or budget <= 0:
        return []
    return [lines[skip], *sample_3(lines[skip + 1 :], skip, budget - len(lines[skip]))]


def shards_1(pairs: Any, ids: Any, shards: Any) -> Any:
    made: list[Any] = [[] for _ in range(shards)]
    for number, (source, target) in enumerate(pairs):
        example = {"inputs": [ids[c] for c in source] + [1], "targets": [ids[c] for c in target] + [1]}
        made[number % shards].append(example)
    return made


def shards_2(pairs: Any, ids: Any, shards: Any) -> Any:
    def ended(text: str) -> list[int]:
        return [*map(ids.get, text), 1]

    examples = [dict(zip(("inputs", "targets"), map(ended, pair), strict=True)) for pair in pairs]
    return tuple(tuple(examples[shard::shards]) for shard in range(shards))


def shards_3(pairs: Any, ids: Any, shards: Any) -> Any:
    made: dict[int, list[Any]] = {shard: [] for shard in range(shards)}
    for shard, pair in zip(cycle(made), pairs, strict=False):
        example: dict[str, list[int]] = {"targets": [], "inputs": []}
        for side, text in zip(("inputs", "targets"), pair, strict=True):
            for character in text:
                example[side].append(ids[character])
            example[side].append(1)
        made[shard].append(example)
    return [*made.values()]


def packs_1(lengths: Any, packed_length: Any) -> Any:
    filled: list[int] = []
    packs = []
    for length in lengths:
        pack = 0
        while pack < len(filled) and filled[pack] + length > packed_length:
            pack += 1
        if pack == len(filled):
            filled.append(0)
        filled[pack] += length
        packs.append(pack)
    return packs


def packs_2(lengths: Any, packed_length: Any) -> Any:
    room: list[int] = []
    packs = []
    for length in lengths:
        pack = next((pack for pack, free in enumerate(room) if free >= length), len(room))
        if pack == len(room):
            room.append(packed_length)
        room[pack] -= length
        packs.append(pack)
    return packs


def packs_3(lengths: Any, packed_length: Any) -> Any:
    packs: list[int] = []

    def used(pack: int) -> int:
        return sum(length for length, mine in zip(lengths, packs, strict=False) if mine == pack)

    for length in lengths:
        pack = 0
        while pack in packs and used(pack) + length > packed_length:
            pack += 1
        packs.append(pack)
    return packs


VARIANTS: dict[str, list[Function]] = {
    "sampled_lines": [sample_1, sample_2, sample_3],
    "shards_of": [shards_1, shards_2, shards_3],
    "packs_of": [packs_1, packs_2, packs_3],
}


def _whole_size(program: Function) -> Function:
    """A wrong program of the kit, called as the task calls a learner's."""
    return lambda lines, skip, budget: program(lines, 2 * skip * budget, budget)


def _in_order(pairs: Any, ids: Any, shards: Any) -> Any:
    return wrong.fill_in_order(to_shards(pairs, ids, 1)[0], shards)


def _targets_only(pairs: Any, ids: Any, shards: Any) -> Any:
    examples = [wrong.eos_on_targets_only(source, target, ids) for source, target in pairs]
    return [examples[shard::shards] for shard in range(shards)]


def _never_anew(lines: Any, skip: Any, budget: Any) -> Any:
    taken = []
    for line in lines:
        if skip > 0:
            skip -= 1
        elif budget > 0:
            taken.append(line)
            budget -= len(line)
    return taken


WRONG: dict[str, list[tuple[Function, str, int]]] = {
    "sampled_lines": [
        (_whole_size(wrong.period_is_skip), rule_of(wrong.period_is_skip), 30),
        (lambda lines, skip, budget: wrong.first_lines(lines, 0, budget), rule_of(wrong.first_lines), 30),
        (_whole_size(wrong.budget_in_bytes), rule_of(wrong.budget_in_bytes), 30),
        (_never_anew, "After a sampled line, counting starts again.", 40),
        (
            lambda lines, skip, budget: lines[skip :: skip + 1],
            "When the budget is spent, no more lines are sampled.",
            40,
        ),
        (
            lambda lines, skip, budget: sample(lines, skip, budget)[:-1],
            "its number of characters. Then the same number",
            40,
        ),
    ],
    "shards_of": [
        (_in_order, rule_of(wrong.fill_in_order), 120),
        (_targets_only, rule_of(wrong.eos_on_targets_only), 60),
        (
            lambda pairs, ids, shards: [
                [{side: text[:-1] for side, text in example.items()} for example in shard]
                for shard in to_shards(pairs, ids, shards)
            ],
            rule_of(wrong.eos_on_targets_only),
            60,
        ),
        (lambda pairs, ids, shards: [s for s in to_shards(pairs, ids, shards) if s], "even if some stay empty", 60),
        (lambda pairs, ids, shards: to_shards(pairs, ids, shards)[::-1], "A shard is a list of examples", 120),
    ],
    "packs_of": [
        (wrong.next_fit, rule_of(wrong.next_fit), 30),
        (
            lambda lengths, packed_length: packs_1(lengths, packed_length - 1),
            "A pack may be filled up to its last position.",
            30,
        ),
        (
            lambda lengths, packed_length: [*range(len(lengths))],
            "The example goes into the first pack with room, which",
            30,
        ),
        (
            lambda lengths, packed_length: [0] * len(lengths),
            "The example goes into the first pack with room, which",
            30,
        ),
    ],
}

# Where each wrong program of the kit is caught.
CAUGHT: dict[str, tuple[str, Function]] = {
    "period_is_skip": ("sampled_lines", WRONG["sampled_lines"][0][0]),
    "first_lines": ("sampled_lines", WRONG["sampled_lines"][1][0]),
    "budget_in_bytes": ("sampled_lines", WRONG["sampled_lines"][2][0]),
    "fill_in_order": ("shards_of", WRONG["shards_of"][0][0]),
    "eos_on_targets_only": ("shards_of", WRONG["shards_of"][1][0]),
    "next_fit": ("packs_of", WRONG["packs_of"][0][0]),
}

RIGHT: dict[str, tuple[Any, ...]] = {"lines_taken": ("white", "peach")}
NOT_RIGHT: list[tuple[str, tuple[Any, ...], str]] = [
    ("lines_taken", ("black", "peach"), "The first line is not 'black'."),
    ("lines_taken", ("white", "olive"), "The second line is not 'olive'."),
    ("lines_taken", (4, 8), "The first line is not 4."),
]

SHOWS: dict[Any, list[tuple[Any, ...]]] = {
    wrong.budget_in_bytes: [(["茶"] * 5, 12), (["tea", "é" * 9, "tea"], 20), (["日本", "a", "b"], 6)]
}
DOES_NOT: dict[Any, list[tuple[Any, ...]]] = {
    wrong.budget_in_bytes: [(["tea", "milk"], 3), (["茶", "饭"], 100), ([], 1)]
}
