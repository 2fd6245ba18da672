"""Lesson 15: right programs in three styles, wrong ones with their rules, answers, and inputs that show the bug."""

from __future__ import annotations

import itertools
import math
from typing import Any

from tokenlab.algorithms.attention.decoder import cached_attention
from tokenlab.misconceptions import t5_model as wrong
from tokenlab.misconceptions.catalog import rule_of


def shift_1(labels: Any, start: Any, pad: Any) -> Any:
    shifted = [start, *labels[:-1]]
    return [pad if label == -100 else label for label in shifted]


def shift_2(labels: Any, start: Any, pad: Any) -> Any:
    read, before = [], start
    for label in labels:
        read.append(before)
        before = label if label != -100 else pad
    return read


def shift_3(labels: Any, start: Any, pad: Any) -> Any:
    kept = (label if label >= 0 else pad for label in labels)
    return tuple(itertools.islice(itertools.chain([start], kept), len(labels)))


def mask_1(is_token: Any, lowest: Any) -> Any:
    places = range(len(is_token))
    return [[0 if key <= query and is_token[key] else lowest for key in places] for query in places]


def mask_2(is_token: Any, lowest: Any) -> Any:
    mask = []
    for query in range(len(is_token)):
        row = [lowest] * len(is_token)
        for key in range(query + 1):
            if is_token[key] == 1:
                row[key] = 0.0
        mask.append(row)
    return mask


def mask_3(is_token: Any, lowest: Any) -> Any:
    import numpy as np

    allowed = np.tril(np.ones((len(is_token), len(is_token)))) * np.array(is_token)
    return ((1 - allowed) * lowest).tolist()


def product(left: Any, right: Any) -> Any:
    return sum(x * y for x, y in zip(left, right, strict=True))


def step_1(query: Any, key: Any, value: Any, cache: Any, biases: Any) -> Any:
    keys, values = [*cache[0], key], [*cache[1], value]
    scores = []
    for place in range(len(keys)):
        score = sum(x * y for x, y in zip(query, keys[place], strict=True))
        scores.append(score + biases[len(keys) - 1 - place])
    powers = [math.exp(score - max(scores)) for score in scores]
    weights = [power / sum(powers) for power in powers]
    output = [0.0] * len(value)
    for weight, taken in zip(weights, values, strict=True):
        output = [x + weight * y for x, y in zip(output, taken, strict=True)]
    return output, (keys, values)


def step_2(query: Any, key: Any, value: Any, cache: Any, biases: Any) -> Any:
    keys, values = ([*old, new] for old, new in zip(cache, (key, value), strict=True))
    scores = [product(query, k) + bias for k, bias in zip(keys[::-1], biases, strict=False)][::-1]
    powers = [math.exp(score) for score in scores]
    return [product(powers, column) / sum(powers) for column in zip(*values, strict=True)], [keys, values]


def step_3(query: Any, key: Any, value: Any, cache: Any, biases: Any) -> Any:
    import numpy as np

    keys, values = np.array([*cache[0], key]), np.array([*cache[1], value])
    scores = keys @ query + np.array(biases[: len(keys)])[::-1]
    weights = np.exp(scores) / np.exp(scores).sum()
    return (weights @ values).tolist(), (keys.tolist(), values.tolist())


VARIANTS: dict[str, tuple[Any, ...]] = {
    "shift_right": (shift_1, shift_2, shift_3),
    "decoder_mask": (mask_1, mask_2, mask_3),
    "cached_step": (step_1, step_2, step_3),
}


def _padding_alone(is_token: Any, lowest: Any) -> Any:
    return [[0 if one else lowest for one in is_token] for _ in is_token]


def _causal_alone(is_token: Any, lowest: Any) -> Any:
    return mask_1([1] * len(is_token), lowest)


def _two_masks(is_token: Any, lowest: Any) -> Any:
    return [
        [x + y for x, y in zip(*rows, strict=True)]
        for rows in zip(_padding_alone(is_token, lowest), _causal_alone(is_token, lowest), strict=True)
    ]


def _upper_triangle(is_token: Any, lowest: Any) -> Any:
    places = range(len(is_token))
    return [[0 if key >= query and is_token[key] else lowest for key in places] for query in places]


def _not_itself(is_token: Any, lowest: Any) -> Any:
    places = range(len(is_token))
    return [[0 if key < query and is_token[key] else lowest for key in places] for query in places]


def _rows_of_padding(is_token: Any, lowest: Any) -> Any:
    return [
        row if one else [lowest] * len(is_token) for one, row in zip(is_token, mask_1(is_token, lowest), strict=True)
    ]


def _forgets_the_new(query: Any, key: Any, value: Any, cache: Any, biases: Any) -> Any:
    return step_1(query, key, value, cache, biases)[0], cache


def _counts_from_the_left(query: Any, key: Any, value: Any, cache: Any, biases: Any) -> Any:
    return cached_attention(query, key, value, cache, [biases[len(cache[0]) - n] for n in range(len(biases))])


def _remembers_queries(query: Any, key: Any, value: Any, cache: Any, biases: Any) -> Any:
    output, (keys, values) = step_1(query, key, value, cache, biases)
    return output, ([*keys[:-1], query], values)


def _appends(query: Any, key: Any, value: Any, cache: Any, biases: Any) -> Any:
    result = step_1(query, key, value, cache, biases)
    cache[0].append(key)
    return result


def _halved(query: Any, key: Any, value: Any, cache: Any, biases: Any) -> Any:
    return cached_attention([x / math.sqrt(len(query)) for x in query], key, value, cache, biases)


WRONG: dict[str, list[tuple[Any, str, int]]] = {
    "shift_right": [
        (wrong.no_shift, rule_of(wrong.no_shift), 10),
        (wrong.double_pad, rule_of(wrong.double_pad), 20),
        (lambda labels, start, pad: [start, *labels[:-1]], "-100 has no embedding: it is replaced by padding.", 20),
        (
            lambda labels, start, pad: [start, *shift_1([*labels, 0], start, pad)[1:]],
            "The last label is predicted but not an input: there are",
            10,
        ),
        (lambda labels, start, pad: shift_1(labels, pad, pad), "The first input is the given start id.", 10),
        (
            lambda labels, start, pad: [*shift_1(labels, start, pad)[1:], start],
            "The input of each position is the label before its own,",
            20,
        ),
    ],
    "decoder_mask": [
        (_padding_alone, rule_of(wrong.no_causal_mask), 10),
        (_causal_alone, "No query attends to padding, at any position.", 10),
        (_two_masks, "Hide a key only once, even for two reasons: twice the", 10),
        (_upper_triangle, "below the diagonal", 10),
        (_not_itself, "A query also attends to its own position: the first", 10),
        (_rows_of_padding, "Only keys that are padding are hidden. Padding queries,", 10),
        (lambda padding, lowest: mask_1(padding, -math.inf), "Use the lowest number, not -inf.", 10),
        (lambda padding, lowest: mask_1(padding, False), "The mask is 0 for a key that is not later than the", 10),
    ],
    "cached_step": [
        (wrong.cache_without_bias, rule_of(wrong.cache_without_bias), 50),
        (wrong.position_restart, rule_of(wrong.position_restart), 50),
        (_counts_from_the_left, "the newest key gets biases[0]", 50),
        (_forgets_the_new, "The returned cache contains the new key and value.", 40),
        (_remembers_queries, "An earlier query is never needed again", 40),
        (_halved, "A score is the dot product of query and key, without", 70),
        (_appends, "The new key and value are appended to the cache. The", 40),
        (lambda *given: step_1(*given)[0], "Return a pair: the output of the new token, and the new", 40),
        (lambda *given: step_1(*given)[1], "which is itself a pair, (keys, values)", 40),
        (lambda *given: step_1(*given)[::-1], "Return a pair: the output of the new token, and the new", 40),
        (lambda *given: (step_1(*given)[0], *step_1(*given)[1]), "which is itself a pair, (keys, values)", 40),
    ],
}

CAUGHT = {
    "no_shift": ("shift_right", wrong.no_shift),
    "double_pad": ("shift_right", wrong.double_pad),
    "no_causal_mask": ("decoder_mask", _padding_alone),
    "cache_without_bias": ("cached_step", wrong.cache_without_bias),
    "position_restart": ("cached_step", wrong.position_restart),
}
_COUNTED = len(
    [label for label in wrong.no_shift([8, 9, 1, -100]) if label >= 0]
)  # all of them, as `pad_in_loss` counts
ANSWERED = {
    "pad_in_loss": ("inputs_and_projections", ([0, 8, 9, 1], _COUNTED, 0)),
    "cross_kv_recomputed": ("inputs_and_projections", ([0, 8, 9, 1], 3, wrong.cross_kv_recomputed(5, 2)[1][1])),
    "no_shift": ("inputs_and_projections", (wrong.no_shift([8, 9, 1, -100]), 3, 0)),
    "double_pad": ("inputs_and_projections", (wrong.double_pad([8, 9, 1, -100]), 3, 0)),
}

RIGHT: dict[str, tuple[Any, ...]] = {"inputs_and_projections": ([0, 8, 9, 1], 3, 0)}
NOT_RIGHT: list[tuple[str, tuple[Any, ...], str]] = [
    ("inputs_and_projections", ([8, 9, 1, 0], 3, 0), "The decoder's input is not [8, 9, 1, 0]."),
    ("inputs_and_projections", ([0, 0, 8, 9], 3, 0), "The decoder's input is not [0, 0, 8, 9]."),
    ("inputs_and_projections", (None, 3, 0), "The decoder's input is not None."),
    ("inputs_and_projections", ([0, 8, 9, 1], 4, 0), "The number of labels that are not ignored is not 4."),
    (
        "inputs_and_projections",
        ([0, 8, 9, 1], 3, 5),
        "The number of source key rows computed in the second step is not 5.",
    ),
]

SHOWS: dict[Any, list[tuple[Any, ...]]] = {wrong.no_causal_mask: [([[1, 2], [3, 4]],), ([[0, 0, 0]] * 3,)]}
DOES_NOT: dict[Any, list[tuple[Any, ...]]] = {wrong.no_causal_mask: [([[3]],), ([[0, -900], [0, 0]],), (((7,),),)]}
