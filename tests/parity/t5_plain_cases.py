"""Random cases for the plain functions of a T5, and what these functions answer, in the form of `t5_plain_answers`."""

from __future__ import annotations

from random import Random
from typing import Any

import torch

from tests.tolerance import near
from tokenlab.algorithms.attention.attention_weights import attention_weights, dot, weighted_values
from tokenlab.algorithms.attention.decoder import (
    Cache,
    cached_attention,
    decoder_mask,
    projections_computed,
    shift_right,
)
from tokenlab.algorithms.attention.relative_buckets import bias_tables, relative_bucket
from tokenlab.algorithms.attention.sublayers import rms_norm
from tokenlab.algorithms.vectors import Matrix
from tokenlab.check.exercises.t5_attention import rounding_decides
from tokenlab.minimal.t5 import mean_loss

SIZES = [(32, 128), (8, 20), (16, 50), (10, 30), (12, 40), (64, 200)]


def random_case(seed: int) -> dict[str, Any]:
    random = Random(seed)

    def matrix(rows: int, columns: int) -> list[list[float]]:
        return [[random.uniform(-1, 1) for _ in range(columns)] for _ in range(rows)]

    width, length = random.randint(2, 5), random.randint(2, 12)
    num_buckets, max_distance = SIZES[seed % len(SIZES)]
    return {
        "norm": {
            "vector": [x * random.choice([1, 1e-3]) ** (seed % 2) for x in matrix(1, width)[0]],
            "weights": matrix(1, width)[0],
        },
        "buckets": {"num_buckets": num_buckets, "max_distance": max_distance, "length": max_distance + 10},
        "head": {
            "states": matrix(length, width),
            **{name: matrix(width, width) for name in "qkv"},
            "table": matrix(1, 32)[0],
            "padding": [int(random.random() < 0.8) for _ in range(length)],
        },
        "padding": [random.randint(0, 1) for _ in range(random.randint(1, 6))],
        "shift": {
            "labels": [random.choice([3, 4, 5, 1, -100]) for _ in range(random.randint(1, 6))],
            "start": random.choice([0, 2]),
            "pad": random.choice([0, 9]),
        },
        "labels": [4, *(random.choice([3, 4, 1, -100]) for _ in range(random.randint(0, 5)))],
        "blocks": [random.randint(1, 3), random.randint(1, 3)],
        "steps": [random.randint(1, 6), random.randint(1, 3)],
    }


def compare(case: dict[str, Any], theirs: dict[str, Any]) -> None:
    """Whether all plain functions answer what these modules did."""
    assert rms_norm(**case["norm"]) == near(theirs["norm"])
    compare_buckets(case["buckets"], theirs["buckets"])
    compare_head(case["head"], theirs["head"])
    assert nested(decoder_mask(case["padding"])) == theirs["mask"]
    assert list(shift_right(**case["shift"])) == theirs["shifted"]
    logits = torch.tensor([theirs["loss"]["scores"]], dtype=torch.double)
    assert mean_loss(logits, torch.tensor([case["labels"]])).item() == near(theirs["loss"]["loss"])
    assert [parameter(name) for name in bias_tables(*case["blocks"])] == theirs["tables"]
    assert nested(projections_computed(*case["steps"])) == theirs["rows"]


def compare_buckets(how: dict[str, int], theirs: dict[str, list[list[int]]]) -> None:
    places, sizes = range(how["length"]), (how["num_buckets"], how["max_distance"])
    for stack, bidirectional in (("encoder", True), ("decoder", False)):
        for query in places:
            for key in places:
                if not rounding_decides(key - query, bidirectional, *sizes):
                    assert relative_bucket(key - query, bidirectional, *sizes) == theirs[stack][query][key]


def compare_head(case: dict[str, Any], theirs: dict[str, Any]) -> None:
    queries, keys, values = (projected(case["states"], case[name]) for name in "qkv")
    table, places = case["table"], range(len(queries))
    bias = [[table[relative_bucket(key - query, bidirectional=False)] for key in places] for query in places]
    weights = attention_weights(queries, keys, bias, decoder_mask(case["padding"]))
    assert flat(weights) == near(flat(theirs["weights"]))
    assert flat([weighted_values(row, values) for row in weights]) == near(flat(theirs["output"]))
    by_distance = [table[relative_bucket(-distance, bidirectional=False)] for distance in places]
    cache: Cache = ((), ())
    for place in places:
        output, cache = cached_attention(queries[place], keys[place], values[place], cache, by_distance)
        assert output == near(theirs["steps"][place])
    assert [flat(rows) for rows in cache] == [near(flat(rows)) for rows in theirs["cached"]]


def projected(states: Matrix, weight: Matrix) -> list[list[float]]:
    return [[dot(state, row) for row in weight] for state in states]


def flat(rows: Any) -> list[float]:
    return [number for row in rows for number in row]


def nested(rows: Any) -> list[list[Any]]:
    return [list(row) for row in rows]


def parameter(attention: str) -> str:
    """The library's name of an attention's table."""
    return attention.replace("self_attention", "layer.0.SelfAttention.relative_attention_bias.weight")
