"""Lesson 13: right programs in three styles, wrong ones with their rules, answers, and inputs that show the bug."""

from __future__ import annotations

import functools
import math
import operator
from typing import Any

from tokenlab.algorithms.attention.attention_weights import attention_weights
from tokenlab.misconceptions import t5_attention as wrong_scores
from tokenlab.misconceptions import t5_map as wrong
from tokenlab.misconceptions.catalog import rule_of


def _product(left: Any, right: Any) -> Any:
    return sum(x * y for x, y in zip(left, right, strict=True))


def _normed(row: Any) -> Any:
    return [x / math.sqrt(sum(y * y for y in row) / len(row) + 1e-6) for x in row]


def sublayer_1(row: Any, w_in: Any, w_out: Any) -> Any:
    normed = _normed(row)
    hidden = [max(0, _product(normed, column)) for column in w_in]
    return [x + _product(hidden, column) for x, column in zip(row, w_out, strict=True)]


def sublayer_2(row: Any, w_in: Any, w_out: Any) -> Any:
    result = list(row)
    for number, column in enumerate(w_in):
        activation = _product(_normed(row), column)
        if activation > 0:
            for place in range(len(row)):
                result[place] += activation * w_out[place][number]
    return tuple(result)


def sublayer_3(row: Any, w_in: Any, w_out: Any) -> Any:
    import numpy as np

    x = np.array(row, dtype=float)
    normed = x / np.sqrt((x**2).mean() + 1e-6)
    return (x + np.maximum(np.array(w_in) @ normed, 0) @ np.array(w_out).T).tolist()


def head_1(queries: Any, keys: Any, values: Any, bias: Any) -> Any:
    outputs = []
    for query, biases in zip(queries, bias, strict=True):
        scores = [_product(query, key) + b for key, b in zip(keys, biases, strict=True)]
        powers = [math.exp(score - max(scores)) for score in scores]
        weights = [power / sum(powers) for power in powers]
        outputs.append([_product(weights, column) for column in zip(*values, strict=True)])
    return outputs


def head_2(queries: Any, keys: Any, values: Any, bias: Any) -> Any:
    result = []
    for i in range(len(queries)):
        output, total = [0.0] * len(values[0]), 0.0
        largest = max(_product(queries[i], keys[j]) + bias[i][j] for j in range(len(keys)))
        for j in range(len(keys)):
            power = math.e ** (_product(queries[i], keys[j]) + bias[i][j] - largest)
            total += power
            output = [o + power * v for o, v in zip(output, values[j], strict=True)]
        result.append(tuple(o / total for o in output))
    return tuple(result)


def head_3(queries: Any, keys: Any, values: Any, bias: Any) -> Any:
    import numpy as np

    scores = np.array(queries) @ np.array(keys).T + np.array(bias)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return (powers / powers.sum(axis=1, keepdims=True) @ np.array(values)).tolist()


def shared_1(heads: Any, keys: Any, values: Any) -> Any:
    outputs = [head_1(queries, keys, values, [[0] * len(keys)] * len(queries)) for queries in heads]
    return [functools.reduce(operator.iadd, rows, []) for rows in zip(*outputs, strict=True)]


def shared_2(heads: Any, keys: Any, values: Any) -> Any:
    result: list[Any] = []
    for position in range(len(heads[0])):
        joined: Any = ()
        for queries in heads:
            joined += head_2([queries[position]], keys, values, [[0] * len(keys)])[0]
        result.append(joined)
    return result


def shared_3(heads: Any, keys: Any, values: Any) -> Any:
    import numpy as np

    scores = np.einsum("hqd,kd->hqk", np.array(heads), np.array(keys))
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    outputs = powers / powers.sum(axis=-1, keepdims=True) @ np.array(values)
    return np.concatenate(list(outputs), axis=-1).tolist()


def effect_1(row: Any, sublayers: Any, direction: Any, number: Any) -> Any:
    def through(row: Any, some: Any) -> Any:
        for matrix in some:
            row = [x + _product(weights, row) for x, weights in zip(row, matrix, strict=True)]
        return row

    before = through(row, sublayers[:number])
    part = _product(direction, [_product(weights, before) for weights in sublayers[number]])
    whole, without = (
        _product(direction, through(row, some)) for some in (sublayers, sublayers[:number] + sublayers[number + 1 :])
    )
    return part, whole - without


def effect_2(row: Any, sublayers: Any, direction: Any, number: Any) -> Any:
    complete, ablated, part = list(row), list(row), 0
    for place, matrix in enumerate(sublayers):
        output = [sum(w * x for w, x in zip(weights, complete, strict=True)) for weights in matrix]
        if place == number:
            part = _product(direction, output)
        else:
            ablated = [x + _product(weights, ablated) for x, weights in zip(ablated, matrix, strict=True)]
        complete = [x + y for x, y in zip(complete, output, strict=True)]
    return [part, sum(d * (x - y) for d, x, y in zip(direction, complete, ablated, strict=True))]


def effect_3(row: Any, sublayers: Any, direction: Any, number: Any) -> Any:
    import numpy as np

    steps = [np.eye(len(row)) + np.array(matrix) for matrix in sublayers]
    before = functools.reduce(lambda x, step: step @ x, steps[:number], np.array(row))
    output = np.array(sublayers[number]) @ before
    changed = functools.reduce(lambda x, step: step @ x, steps[number + 1 :], output)
    return float(np.array(direction) @ output), float(np.array(direction) @ changed)


VARIANTS: dict[str, tuple[Any, ...]] = {
    "part_and_effect": (effect_1, effect_2, effect_3),
    "one_sublayer": (sublayer_1, sublayer_2, sublayer_3),
    "whole_head": (head_1, head_2, head_3),
    "shared_heads": (shared_1, shared_2, shared_3),
}


def _layer(row: Any, w_in: Any, w_out: Any, least: float = 0.0) -> Any:
    hidden = [max(least, _product(row, column)) for column in w_in]
    return [_product(hidden, column) for column in w_out]


def _plus(row: Any, other: Any) -> Any:
    return [x + y for x, y in zip(row, other, strict=True)]


def _late_relu(row: Any, w_in: Any, w_out: Any) -> Any:
    return _plus(row, [max(0, x) for x in _layer(_normed(row), w_in, w_out, -math.inf)])


def _by_weights(weights: Any, values: Any) -> Any:
    return [[_product(row, column) for column in zip(*values, strict=True)] for row in weights]


def _sums(queries: Any, keys: Any, bias: Any) -> Any:
    return [[_product(q, k) + b for k, b in zip(keys, row, strict=True)] for q, row in zip(queries, bias, strict=True)]


def _too_large(queries: Any, keys: Any, values: Any, bias: Any) -> Any:
    powers = [[math.exp(x) for x in row] for row in _sums(queries, keys, bias)]
    return _by_weights([[power / sum(row) for power in row] for row in powers], values)


def _bias_later(queries: Any, keys: Any, values: Any, bias: Any) -> Any:
    return _by_weights(list(map(_plus, attention_weights(queries, keys), bias)), values)


def _replaced_rows(row: Any, sublayers: Any, direction: Any, number: Any) -> Any:
    """Without residual connections."""

    def end(some: Any) -> Any:
        now = row
        for matrix in some:
            now = [_product(weights, now) for weights in matrix]
        return _product(direction, now)

    return end(sublayers[: number + 1]), end(sublayers) - end(sublayers[:number] + sublayers[number + 1 :])


def _from_the_start(row: Any, sublayers: Any, direction: Any, number: Any) -> Any:
    part = _product(direction, [_product(weights, row) for weights in sublayers[number]])
    return part, effect_1(row, sublayers, direction, number)[1]


WRONG: dict[str, list[tuple[Any, str, int]]] = {
    "part_and_effect": [
        (wrong.effect_is_part, rule_of(wrong.effect_is_part), 60),
        (lambda *given: effect_1(*given)[::-1], "Return the part first", 60),
        (lambda *given: (effect_2(*given)[0], -effect_2(*given)[1]), "minus the difference without this one", 40),
        (_replaced_rows, "the row itself stays", 40),
        (_from_the_start, "not the first row", 60),
        (lambda *given: sum(effect_1(*given)), "dot product of the direction and the sublayer's own output", 40),
    ],
    "one_sublayer": [
        (wrong.residual_after_norm, rule_of(wrong.residual_after_norm), 40),
        (lambda row, w_in, w_out: _layer(_normed(row), w_in, w_out), "added to the row: the residual connection", 40),
        (
            lambda row, w_in, w_out: _plus(row, _layer(_normed(row), w_in, w_out, -math.inf)),
            "each negative number of the activations",
            40,
        ),
        (lambda row, w_in, w_out: _plus(row, _layer(row, w_in, w_out)), "The feed-forward layer reads the", 40),
        (_late_relu, "not after the second one", 50),
    ],
    "whole_head": [
        (
            lambda q, k, v, b: _by_weights(wrong.softmax_over_queries(q, k, b), v),
            rule_of(wrong.softmax_over_queries),
            60,
        ),
        (
            lambda q, k, v, b: _by_weights(wrong_scores.scale_sqrt_d(q, k, b), v),
            rule_of(wrong_scores.scale_sqrt_d),
            60,
        ),
        (lambda q, k, v, b: _by_weights(attention_weights(q, k), v), "The bias is added to the scores.", 50),
        (_bias_later, "added before the softmax, so the weights", 50),
        (lambda q, k, v, b: _by_weights(_sums(q, k, b), v), "turns the scores of each query into", 50),
        (lambda q, k, v, b: head_1(q, k, k, b), "the keys are only for the scores", 60),
        (_too_large, "exp of a large number overflows", 30),
    ],
    "shared_heads": [
        (lambda heads, keys, values: [row for q in heads for row in shared_1([q], keys, values)], "each position", 50),
        (
            lambda heads, keys, values: [
                [sum(xs) for xs in zip(*rows, strict=True)]
                for rows in zip(*(shared_1([q], keys, values) for q in heads), strict=True)
            ],
            "concatenated, not added",
            50,
        ),
        (
            lambda heads, keys, values: [
                [x for xs in zip(*rows, strict=True) for x in xs]
                for rows in zip(*(shared_1([q], keys, values) for q in heads), strict=True)
            ],
            "All columns of head 0",
            50,
        ),
        (lambda heads, keys, values: shared_1([heads[0]] * len(heads), keys, values), "its own queries", 60),
        (lambda heads, keys, values: shared_1(heads, keys, keys), "the keys are only for the", 50),
        (
            lambda heads, keys, values: shared_1(
                [[[x / math.sqrt(len(q)) for x in q] for q in queries] for queries in heads], keys, values
            ),
            "no score is scaled",
            60,
        ),
    ],
}

CAUGHT = {
    "effect_is_part": ("part_and_effect", wrong.effect_is_part),
    "softmax_over_queries": ("whole_head", WRONG["whole_head"][0][0]),
    "residual_after_norm": ("one_sublayer", wrong.residual_after_norm),
}
ANSWERED = {
    "keys_from_decoder": ("table_shapes", ((7, 24), wrong.keys_from_decoder(7, 5), (5, 192), (5, 900))),
}

RIGHT: dict[str, tuple[Any, ...]] = {
    "table_shapes": ((7, 24), (5, 7), (5, 192), (5, 900)),
    "one_query": ([2, 3, 2], [2, 1, 3], 2),
}
NOT_RIGHT: list[tuple[str, tuple[Any, ...], str]] = [
    ("table_shapes", ((7, 96), (5, 7), (5, 192), (5, 900)), "The shape of the queries is not (7, 96)."),
    ("table_shapes", ((7, 24), (5, 5), (5, 192), (5, 900)), "The shape of the cross-attention scores is not (5, 5)."),
    ("table_shapes", ((7, 24), (5, 7), (5, 96), (5, 900)), "The shape of the activations is not (5, 96)."),
    ("table_shapes", ((7, 24), (5, 7), (5, 192), (7, 900)), "The shape of the logits is not (7, 900)."),
    ("one_query", ([2, 3, 5], [2, 1, 6], 2), "The list of scores is not [2, 3, 5]."),
    ("one_query", ([2, 3, 2], [2, 5, 1], 2), "The list of sums of score and bias is not [2, 5, 1]."),
    ("one_query", ([2, 3, 2], [2, 1, 3], 3), "The key with the largest weight is not 3."),
]

SHOWS: dict[Any, list[tuple[Any, ...]]] = {
    wrong.softmax_over_queries: [([[1], [0]], [[1], [2]]), ([[0]], [[1], [2]]), (((1, 0), (0, 1)), ((1, 1), (0, 2)))]
}
DOES_NOT: dict[Any, list[tuple[Any, ...]]] = {
    wrong.softmax_over_queries: [([[5]], [[3]]), ([[1, 0], [0, 1]], [[1, 0], [0, 1]])]
}
