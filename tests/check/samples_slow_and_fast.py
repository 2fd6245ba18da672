"""Right and wrong programs for the exercises of lesson 12."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.check.known_wrong import known
from tokenlab.algorithms.pipeline.truncate import kept_lengths
from tokenlab.check.exercises import slow_and_fast as exercises
from tokenlab.misconceptions import tokenizer_calls as wrong
from tokenlab.misconceptions.catalog import rule_of


def pad_1(ids: Any, length: Any, pad_id: Any) -> Any:
    missing = max(0, length - len(ids))
    return ids + [pad_id] * missing, [1] * len(ids) + [0] * missing


def pad_2(ids: Any, length: Any, pad_id: Any) -> Any:
    padded, mask = list(ids), [1 for _ in ids]
    while len(padded) < length:
        padded.append(pad_id)
        mask.append(0)
    return [padded, mask]


def pad_3(ids: Any, length: Any, pad_id: Any) -> Any:
    places = range(max(length, len(ids)))
    return [ids[i] if i < len(ids) else pad_id for i in places], [int(i < len(ids)) for i in places]


def slow_1(first: Any, second: Any, budget: Any) -> Any:
    while first + second > budget:
        if first > second:
            first -= 1
        else:
            second -= 1
    return first, second


def slow_2(first: Any, second: Any, budget: Any) -> Any:
    if first + second <= budget:
        return first, second
    if first <= budget / 2:
        return first, budget - first
    if second <= budget / 2:
        return budget - second, second
    return budget - budget // 2, budget // 2


def slow_3(first: Any, second: Any, budget: Any) -> Any:
    lengths = [first, second]
    for _ in range(first + second - budget):
        lengths[0 if lengths[0] > lengths[1] else 1] -= 1
    return lengths


def fast_1(first: Any, second: Any, budget: Any) -> Any:
    if first + second <= budget:
        return first, second
    half = budget // 2
    if min(first, second) <= half:
        return (first, budget - first) if first <= second else (budget - second, second)
    return (budget - half, half) if first > second else (half, budget - half)


def fast_2(first: Any, second: Any, budget: Any) -> Any:
    short, long = sorted((first, second))
    short = min(short, max(budget // 2, budget - long))
    long = min(long, budget - short)
    return (long, short) if first > second else (short, long)


def fast_3(first: Any, second: Any, budget: Any) -> Any:
    swap = first > second
    a, b = (second, first) if swap else (first, second)
    while a + b > budget:
        if b > a and not (b == a + 1 and a + b == budget):
            b -= 1
        else:
            a -= 1
    return (b, a) if swap else (a, b)


VARIANTS: dict[str, list[Callable[..., Any]]] = {
    "padded_ids": [pad_1, pad_2, pad_3],
    "slow_truncation": [slow_1, slow_2, slow_3],
    "fast_truncation": [fast_1, fast_2, fast_3],
}

WRONG: dict[str, list[Any]] = {
    "padded_ids": [
        (wrong.mask_by_pad_id, rule_of(wrong.mask_by_pad_id), 40),
        known(exercises.padded_ids, "Padding removes nothing", 40),
        known(exercises.padded_ids, "The padding comes after the ids", 40),
        known(exercises.padded_ids, "not the reverse", 40),
        known(exercises.padded_ids, "The model should ignore padding", 40),
        known(exercises.padded_ids, "which is not always 0", 40),
    ],
    "slow_truncation": [
        (kept_lengths, "the slow tokenizer removes a token from the second", 40),
        known(exercises.slow_truncation, "not always from the second", 40),
        known(exercises.slow_truncation, "more tokens of the other text can stay", 40),
        (exercises._always, "nothing is removed", 40),
        (exercises._swapped, "not from the shorter one", 40),
    ],
    "fast_truncation": [
        (wrong.fast_keeps_like_slow, rule_of(wrong.fast_keeps_like_slow), 40),
        (exercises._to_the_second, "only if the first is not longer", 40),
        (exercises._fast_halves, "the other text gets more than half", 40),
        (exercises._lost, "the other half is 3", 40),
    ],
}

CAUGHT = {
    "mask_by_pad_id": ("padded_ids", wrong.mask_by_pad_id),
}
RIGHT: dict[str, tuple[Any, ...]] = {"both_truncations": ((3, 2), (2, 3), 5)}
NOT_RIGHT: list[tuple[str, tuple[Any, ...], str]] = [
    ("both_truncations", ((4, 4), (2, 3), 5), "The pair of numbers for the slow tokenizer is not (4, 4)."),
    ("both_truncations", ((2, 3), (2, 3), 5), "The pair of numbers for the slow tokenizer is not (2, 3)."),
    ("both_truncations", ((3, 2), (3, 2), 5), "The pair of numbers for the fast tokenizer is not (3, 2)."),
    (
        "both_truncations",
        ((3, 2), (2, 3), 4),
        "The number of tokens with the type id 0 in the slow tokenizer's result is not 4.",
    ),
]
ANSWERED = {
    "fast_keeps_like_slow": ("both_truncations", ((3, 2), wrong.fast_keeps_like_slow(3, 4, 5), 5)),
    "type_ids_of_texts": ("both_truncations", ((3, 2), (2, 3), wrong.type_ids_of_texts(3, 2).count(0))),
}
SHOWS: dict[Any, list[tuple[Any, ...]]] = {
    wrong.count_every_token: [(["a"],), (["c", "c"],), (["[UNK]"],), (("c", "ab"),)]
}
DOES_NOT: dict[Any, list[tuple[Any, ...]]] = {wrong.count_every_token: [(["c"],), ([],), (["c", "d"],)]}
