"""Lesson 14: right programs in three styles, wrong ones with their rules, answers, and inputs that show the bug."""

from __future__ import annotations

import math
import statistics
from typing import Any

from tokenlab.algorithms.attention.attention_weights import attention_weights
from tokenlab.algorithms.attention.relative_buckets import relative_bucket
from tokenlab.misconceptions import t5_attention as wrong
from tokenlab.misconceptions.catalog import rule_of


def norm_1(vector: Any, weights: Any) -> Any:
    mean_square = sum(x * x for x in vector) / len(vector)
    return [x / (mean_square + 1e-6) ** 0.5 * weight for x, weight in zip(vector, weights, strict=True)]


def norm_2(vector: Any, weights: Any) -> Any:
    total = 0.0
    for x in vector:
        total += x**2
    scale = 1 / math.sqrt(1e-6 + total / len(vector))
    return tuple(weights[place] * vector[place] * scale for place in range(len(vector)))


def norm_3(vector: Any, weights: Any) -> Any:
    size = math.sqrt(statistics.fmean(x**2 for x in vector) + 0.000001)
    return list(map(lambda x, weight: x * (weight / size), vector, weights))


def bucket_1(relative_position: Any, bidirectional: Any, num_buckets: Any, max_distance: Any) -> Any:
    first = 0
    if bidirectional:
        num_buckets //= 2
        if relative_position > 0:
            first = num_buckets
        distance = abs(relative_position)
    else:
        distance = max(0, -relative_position)
    exact = num_buckets // 2
    if distance < exact:
        return first + distance
    share = math.log(distance / exact) / math.log(max_distance / exact)
    return first + min(num_buckets - 1, exact + int(share * (num_buckets - exact)))


def bucket_2(relative_position: Any, bidirectional: Any, num_buckets: Any, max_distance: Any) -> Any:
    if bidirectional and relative_position > 0:
        return num_buckets // 2 + bucket_2(-relative_position, False, num_buckets // 2, max_distance)
    if bidirectional:
        return bucket_2(relative_position, False, num_buckets // 2, max_distance)
    distance, exact = -min(relative_position, 0), num_buckets // 2
    if distance < exact:
        return distance
    return min(
        exact + math.floor((num_buckets - exact) * math.log(distance / exact, max_distance / exact)), num_buckets - 1
    )


def bucket_3(relative_position: Any, bidirectional: Any, num_buckets: Any, max_distance: Any) -> Any:
    """Count the limits that a distance has reached, each a power of the same ratio farther than the one before."""
    side = num_buckets // 2 if bidirectional else num_buckets
    distance = abs(relative_position) if bidirectional else max(-relative_position, 0)
    exact = side // 2
    ratio = (max_distance / exact) ** (1 / (side - exact))
    limits = [*range(1, exact + 1), *(exact * ratio**number for number in range(1, side - exact))]
    later = side if bidirectional and relative_position > 0 else 0
    return later + sum(distance >= limit for limit in limits)


def product(left: Any, right: Any) -> Any:
    return sum(x * y for x, y in zip(left, right, strict=True))


def line_1(queries: Any, keys: Any, slope: Any) -> Any:
    rows = []
    for i, query in enumerate(queries):
        scores = []
        for j, key in enumerate(keys):
            scores.append(sum(x * y for x, y in zip(query, key, strict=True)) - slope * abs(i - j))
        powers = [math.exp(score - max(scores)) for score in scores]
        rows.append([power / sum(powers) for power in powers])
    return rows


def line_2(queries: Any, keys: Any, slope: Any) -> Any:
    def score(i: int, j: int) -> float:
        return product(queries[i], keys[j]) + slope * min(i - j, j - i)

    places = range(len(keys))
    return tuple(
        tuple(1 / sum(math.exp(score(i, other) - score(i, j)) for other in places) for j in places)
        for i in range(len(queries))
    )


def line_3(queries: Any, keys: Any, slope: Any) -> Any:
    import numpy as np

    places = np.arange(len(keys))
    scores = np.array(queries) @ np.array(keys).T - slope * np.abs(places[:, None] - places)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return (powers / powers.sum(axis=1, keepdims=True)).tolist()


VARIANTS: dict[str, tuple[Any, ...]] = {
    "rms_norm": (norm_1, norm_2, norm_3),
    "position_bucket": (bucket_1, bucket_2, bucket_3),
    "line_weights": (line_1, line_2, line_3),
}


def _beside_the_root(vector: Any, weights: Any) -> Any:
    root = math.sqrt(sum(x * x for x in vector) / len(vector)) + 1e-6
    return [x / root * weight for x, weight in zip(vector, weights, strict=True)]


def _zeros_divided(vector: Any, weights: Any) -> Any:
    size = math.sqrt(sum(x * x for x in vector) / len(vector))
    return [x / size * weight for x, weight in zip(vector, weights, strict=True)]


def _by_the_sum(vector: Any, weights: Any) -> Any:
    size = math.sqrt(sum(x * x for x in vector) + 1e-6)
    return [x / size * weight for x, weight in zip(vector, weights, strict=True)]


def _past_of_the_encoder(relative_position: Any, bidirectional: Any, num_buckets: Any, max_distance: Any) -> Any:
    """Right in an encoder, and in a decoder for later keys, and up to eight back; wrong from nine on."""
    if not bidirectional and relative_position > 0:
        return 0
    return bucket_1(relative_position, True, num_buckets, max_distance)


def _formula_of_the_notes(relative_position: Any, bidirectional: Any, num_buckets: Any, max_distance: Any) -> Any:
    """The distances of later keys, as the notes' formula for a decoder has it."""
    return bucket_1(-relative_position, bidirectional, num_buckets, max_distance)


def _not_cut_off(relative_position: Any, bidirectional: Any, num_buckets: Any, max_distance: Any) -> Any:
    side = num_buckets // 2 if bidirectional else num_buckets
    distance = abs(relative_position) if bidirectional else max(0, -relative_position)
    exact, first = side // 2, side if bidirectional and relative_position > 0 else 0
    if distance < exact:
        return first + distance
    share = math.log(distance / exact) / math.log(max_distance / exact)
    return first + min(side - 1, exact + round(share * (side - exact)))


def _half_added_to_zero(position: int, bidirectional: bool, number: int, most: int) -> int:
    if not bidirectional and position > 0:
        return number // 2
    return relative_bucket(position, bidirectional, number, most)


def _absolute_distance(position: int, bidirectional: bool, number: int, most: int) -> int:
    return relative_bucket(position if bidirectional else -abs(position), bidirectional, number, most)


def _absolute_distance_and_half(position: int, bidirectional: bool, number: int, most: int) -> int:
    added = number // 2 if position > 0 and not bidirectional else 0
    return added + _absolute_distance(position, bidirectional, number, most)


def _all_exact(relative_position: Any, bidirectional: Any, num_buckets: Any, max_distance: Any) -> Any:
    if bidirectional:
        half = num_buckets // 2
        return min(abs(relative_position), half - 1) + half * (relative_position > 0)
    return min(max(-relative_position, 0), num_buckets - 1)


def _without_end(relative_position: Any, bidirectional: Any, num_buckets: Any, max_distance: Any) -> Any:
    side = num_buckets // 2 if bidirectional else num_buckets
    distance = abs(relative_position) if bidirectional else max(0, -relative_position)
    exact, first = side // 2, side if bidirectional and relative_position > 0 else 0
    if distance < exact:
        return first + distance
    return first + exact + int(math.log(distance / exact) / math.log(max_distance / exact) * (side - exact))


def _line(queries: Any, keys: Any, slope: Any) -> Any:
    return [[-slope * abs(i - j) for j in range(len(keys))] for i in range(len(queries))]


def _scaled(queries: Any, keys: Any, slope: Any) -> Any:
    return wrong.scale_sqrt_d(queries, keys, _line(queries, keys, slope))


def _after_the_softmax(queries: Any, keys: Any, slope: Any) -> Any:
    weights = attention_weights(queries, keys)
    return [
        [w + b for w, b in zip(*rows, strict=True)] for rows in zip(weights, _line(queries, keys, slope), strict=True)
    ]


def _backwards_alone(queries: Any, keys: Any, slope: Any) -> Any:
    return attention_weights(queries, keys, [[-slope * (i - j) for j in range(len(keys))] for i in range(len(queries))])


def _too_large(queries: Any, keys: Any, slope: Any) -> Any:
    powers = [
        [math.exp(product(query, key) - slope * abs(i - j)) for j, key in enumerate(keys)]
        for i, query in enumerate(queries)
    ]
    return [[power / sum(row) for power in row] for row in powers]


def _as_many_shared(relative_position: Any, bidirectional: Any, num_buckets: Any, max_distance: Any) -> Any:
    """The factor of the logarithm is the number of buckets for one distance each."""
    side = num_buckets // 2 if bidirectional else num_buckets
    first = side if bidirectional and relative_position > 0 else 0
    own, distance = side // 2, abs(relative_position) if bidirectional else max(-relative_position, 0)
    if distance < own:
        return first + distance
    return first + min(side - 1, own + int(own * math.log(distance / own) / math.log(max_distance / own)))


WRONG: dict[str, list[tuple[Any, str, int]]] = {
    "rms_norm": [
        (wrong.subtract_mean, rule_of(wrong.subtract_mean), 10),
        (_by_the_sum, "mean of the squares, not their sum", 20),
        (_zeros_divided, "1e-6 is added under the root. Without it, a vector of", 12),
        (_beside_the_root, "1e-6 is added to the mean of the squares, before the", 12),
        (
            lambda vector, weights: norm_1(vector, [1] * len(vector)),
            "Each number is multiplied by the weight of its",
            10,
        ),
        (
            lambda vector, weights: [x * weight for x, weight in zip(vector, weights, strict=True)],
            "Add 1e-6 to the mean of the squares. Divide each",
            10,
        ),
    ],
    "position_bucket": [
        (wrong.bidirectional_decoder, rule_of(wrong.bidirectional_decoder), 20),
        (_past_of_the_encoder, rule_of(wrong.bidirectional_decoder), 20),
        (_formula_of_the_notes, "positive for keys after the query", 20),
        (_not_cut_off, "The logarithm is rounded down, not to the nearest", 20),
        (_without_end, "All distances beyond max_distance are in the last", 20),
        (_all_exact, "With bidirectional buckets, each side has half of them.", 20),
        (_as_many_shared, rule_of(wrong.half_shared), 20),
        (_half_added_to_zero, "Only in an encoder is half of the buckets added.", 20),
        (_absolute_distance, "is 0, not the absolute value", 20),
        (_absolute_distance_and_half, "Half of the buckets is added only in an encoder.", 20),
    ],
    "line_weights": [
        (_scaled, rule_of(wrong.scale_sqrt_d), 50),
        (
            lambda queries, keys, slope: attention_weights(queries, keys),
            "The slope times the distance is subtracted from each",
            30,
        ),
        (
            lambda queries, keys, slope: line_1(queries, keys, -slope),
            "A more distant key gets a lower score: the bias is",
            30,
        ),
        (_backwards_alone, "A distance is never negative", 30),
        (_after_the_softmax, "before the softmax", 30),
        (
            lambda queries, keys, slope: list(zip(*line_1(keys, queries, slope), strict=True)),
            "The softmax is taken over the keys: each query's",
            40,
        ),
        (_too_large, "exp of a large number overflows: subtract the largest", 20),
    ],
}

CAUGHT = {
    "scale_sqrt_d": ("line_weights", _scaled),
    "subtract_mean": ("rms_norm", wrong.subtract_mean),
    "bidirectional_decoder": ("position_bucket", wrong.bidirectional_decoder),
    "half_shared": ("position_bucket", wrong.half_shared),
}
ANSWERED = {
    "bias_per_layer": ("tables_and_buckets", (len(wrong.bias_per_layer(2, 2)), 8, 9)),
    "cross_bias": ("tables_and_buckets", (len(wrong.cross_bias(2, 2)), 8, 9)),
    "bidirectional_decoder": ("tables_and_buckets", (2, 8, wrong.bidirectional_decoder(-9))),
}

RIGHT: dict[str, tuple[Any, ...]] = {"tables_and_buckets": (2, 8, 9)}
NOT_RIGHT: list[tuple[str, tuple[Any, ...], str]] = [
    ("tables_and_buckets", (4, 8, 9), "The number of bias tables is not 4."),
    ("tables_and_buckets", (3, 8, 9), "The number of bias tables is not 3."),
    ("tables_and_buckets", (2, 9, 9), "The bucket in the encoder is not 9."),
    ("tables_and_buckets", (2, 8, 8), "The bucket in the decoder is not 8."),
    ("tables_and_buckets", (2, 8, "9"), "The bucket in the decoder is not '9'."),
]

SHOWS: dict[Any, list[tuple[Any, ...]]] = {
    wrong.scale_sqrt_d: [([2, 0], [[1, 0], [0, 1]]), ((1, 1, 1), ((0.5, 0, 0), (0, 0, 0), (1, 1, 1)))]
}
DOES_NOT: dict[Any, list[tuple[Any, ...]]] = {
    wrong.scale_sqrt_d: [([3], [[1], [2]]), ([1, 2], [[3, 4]]), ([1, 1], [[1, 0], [0, 1]]), ([0, 0], [[1, 2]] * 3)]
}
