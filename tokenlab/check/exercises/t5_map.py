"""The checks of lesson 13: shapes, one row of scores, the softmax, one sublayer, part and effect, and one head."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any

from tokenlab.algorithms.attention.attention_output import Rows, add_matrices, attention_output
from tokenlab.algorithms.attention.attention_weights import attention_weights, dot, weighted_values
from tokenlab.algorithms.attention.sublayers import (
    Shape,
    ShapeFound,
    block_shapes,
    feed_forward,
    feed_forward_sublayer,
    rms_norm,
)
from tokenlab.algorithms.vectors import Matrix, Row, Vector
from tokenlab.check import strategies as inputs
from tokenlab.check.answer_check import AnswerCheck, BugCheck, summed
from tokenlab.check.exercises.t5_attention import is_number, overflowing_softmax
from tokenlab.check.function_check import FunctionCheck
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.trace_comparison import nearly_equal
from tokenlab.misconceptions import t5_attention as wrong_scores
from tokenlab.misconceptions import t5_map as wrong
from tokenlab.misconceptions.catalog import rule_of
from tokenlab.steps.recording import Recording, stepwise

# Two traces by hand.


@stepwise
def table_shapes_by_hand() -> Generator[ShapeFound, None, tuple[Shape, ...]]:
    """Find the shapes of all tables for a source of 7 tokens and a target of 5; return the four that are asked for."""
    shapes = yield from block_shapes.steps(source=7, target=5)
    return tuple(shapes[name] for name in _ASKED)


_ASKED = (
    "encoder, queries, keys or values of one head",
    "decoder, cross-attention scores of one head",
    "decoder, feed-forward activations",
    "decoder, logits",
)

table_shapes = AnswerCheck(
    recording=table_shapes_by_hand.record,
    answers=lambda recording: recording.result,
    names=(
        "The shape of the queries",
        "The shape of the cross-attention scores",
        "The shape of the activations",
        "The shape of the logits",
    ),
    rules=(
        "A table has one row per token. A head's queries have d_kv columns.",
        rule_of(wrong.keys_from_decoder),
        "The feed-forward layer widens each row of the decoder to d_ff columns.",
        "Each row of the decoder gets one logit for each token of the vocabulary.",
    ),
)

QUERY, KEYS, BIAS = [2, 1], [[1, 0], [0, 3], [2, -2]], [0, -2, 1]


def _scores_and_best_key(recording: Recording[Any, Any]) -> tuple[Row, Row, int]:
    """Return the scores of the query, the scores with the bias, and the key with the largest weight."""
    scores, sums = (step.scores[0] for step in recording[:2])
    return scores, sums, sums.index(max(sums))


def _dot_products(recording: Recording[Any, Any]) -> Iterator[str]:
    for number, (key, bias) in enumerate(zip(KEYS, BIAS, strict=True)):
        products = " + ".join(f"{one} * ({other})" for one, other in zip(QUERY, key, strict=True))
        yield f"The score of key {number}: {products} = {dot(QUERY, key)}"
        yield f"Its sum with the bias: {summed([dot(QUERY, key), bias])}"


one_query = AnswerCheck(
    recording=lambda: attention_output.record([QUERY], KEYS, [[1, 0], [0, 1], [5, 5]], [BIAS]),
    answers=_scores_and_best_key,
    names=("The list of scores", "The list of sums of score and bias", "The key with the largest weight"),
    rules=(
        "A score is a dot product: multiply the numbers of query and key in pairs, and add the products.",
        "The bias of each key is added to its score.",
        "Keys are counted from 0. The softmax keeps the order: the largest sum gets the largest weight.",
    ),
    sums=_dot_products,
)

# Finding a bug.


def _is_matrix(value: Any) -> bool:
    """Return True for a list of equally long lists of numbers."""
    return (
        isinstance(value, list | tuple)
        and 0 < len(value) <= 64
        and all(isinstance(row, list | tuple) and 0 < len(row) <= 64 and all(map(is_number, row)) for row in value)
        and len({len(row) for row in value}) == 1
    )


def _unusable_matrices(queries: Any, keys: Any) -> str:
    for name, matrix in (("queries", queries), ("keys", keys)):
        if not _is_matrix(matrix):
            return f"Write the {name} as a list of equally long lists of numbers, such as [[1, 0], [0, 1]]."
    if len(queries[0]) != len(keys[0]):
        return "Queries and keys need the same dimension."
    return ""


bug_in_softmax = BugCheck(
    program=wrong.softmax_over_queries,
    right=attention_weights,
    input_problem=_unusable_matrices,
    example=([[1], [0]], [[1], [2]]),
    same=nearly_equal,
)

# A sublayer.


def _rows_and_matrices() -> Strategy:
    """Draw a row and two small matrices that fit it."""

    def of(d_model: int, d_ff: int) -> Strategy:
        return st.tuples(inputs.of_length(d_model, st.integers(-3, 3)), _matrix(d_ff, d_model), _matrix(d_model, d_ff))

    return inputs.of_sizes(of, 3, 3)


def _added(row: Vector, output: Vector) -> list[float]:
    return [x + out for x, out in zip(row, output, strict=True)]


def _normed(row: Vector) -> Row:
    return rms_norm(row, [1] * len(row))


def _without_relu(row: Vector, w_in: Matrix, w_out: Matrix) -> list[float]:
    """Multiply the normed row by both matrices."""
    hidden = [dot(_normed(row), column) for column in w_in]
    return [dot(hidden, column) for column in w_out]


one_sublayer = FunctionCheck(
    feed_forward_sublayer,
    _rows_and_matrices,
    "Normalize the row, multiply by W_i, replace negative numbers by 0, multiply by W_o, and add the original row.",
    examples=[
        ([3], [[1]], [[2]]),
        ([2, 2], [[1, 0]], [[3], [4]]),
        ([3], [[-1]], [[2]]),
        ([1, -1], [[1, 0], [0, 1]], [[1, 1], [0, 2]]),
    ],
    wrong=(
        wrong.residual_after_norm,
        (
            lambda row, w_in, w_out: feed_forward(rms_norm(row, [1] * len(row)), w_in, w_out),
            "The output of the feed-forward layer is added to the row: the residual connection.",
        ),
        (
            lambda row, *matrices: _added(row, _without_relu(row, *matrices)),
            "ReLU replaces each negative number of the activations by 0.",
        ),
        (
            lambda row, w_in, w_out: _added(row, feed_forward(row, w_in, w_out)),
            "The feed-forward layer reads the normed row.",
        ),
        (
            lambda row, *matrices: _added(row, [max(0, out) for out in _without_relu(row, *matrices)]),
            "ReLU comes between the two products, not after the second one.",
        ),
    ),
    edges=[([0, 0], [[1, 1]], [[1], [1]])],
    same=nearly_equal,
    lists=1,
)


# Part and effect.


def part_and_effect_of(row: Vector, sublayers: Sequence[Matrix], direction: Vector, number: int) -> tuple[float, float]:
    """Return the part of one sublayer in the difference of two logits, and the effect of removing it.

    >>> part_and_effect_of([1, 0], [[[0, 0], [1, 0]], [[0, 3], [0, 0]]], [1, 0], 0)
    (0, 3)
    """
    read = _through(row, sublayers[:number])
    part = dot(direction, _output(sublayers[number], read))
    without = _through(read, sublayers[number + 1 :])
    return part, dot(direction, _through(row, sublayers)) - dot(direction, without)


def _output(sublayer: Matrix, row: Vector) -> list[float]:
    return [dot(weights, row) for weights in sublayer]


def _through(row: Vector, sublayers: Sequence[Matrix]) -> Vector:
    """Return the row after some sublayers, each of which adds its output."""
    for sublayer in sublayers:
        row = _added(row, _output(sublayer, row))
    return row


def _sublayers_and_number() -> Strategy:
    """Draw a row, some sublayers, a direction, and the index of a sublayer."""

    def of(dimension: int, sublayers: int) -> Strategy:
        vector = inputs.of_length(dimension, st.integers(-2, 2))
        matrices = inputs.of_length(sublayers, _matrix(dimension, dimension))
        return st.tuples(vector, matrices, vector, st.integers(0, sublayers - 1))

    return inputs.of_sizes(of, 3, 3)


def _without_the_addition(
    row: Vector, sublayers: Sequence[Matrix], direction: Vector, number: int
) -> tuple[float, float]:
    """Let each sublayer replace the row by its output."""

    def through(row: Vector, some: Sequence[Matrix]) -> Vector:
        for sublayer in some:
            row = _output(sublayer, row)
        return row

    part = dot(direction, through(row, sublayers[: number + 1]))
    without = through(row, [*sublayers[:number], *sublayers[number + 1 :]])
    return part, dot(direction, through(row, sublayers)) - dot(direction, without)


def _last_only(row: Vector, sublayers: Sequence[Matrix], direction: Vector, number: int) -> tuple[float, float]:
    """Compute the part from the first row, as if the sublayer were the first one."""
    part = dot(direction, _output(sublayers[number], row))
    return part, part_and_effect_of(row, sublayers, direction, number)[1]


part_and_effect = FunctionCheck(
    part_and_effect_of,
    _sublayers_and_number,
    "The part is the dot product of the direction and the sublayer's own output. The effect is the difference with all "
    "sublayers minus the difference when the later sublayers read a row without this output.",
    examples=[
        ([1], [[[2]]], [1], 0),
        ([1, 0], [[[0, 0], [1, 0]], [[0, 3], [0, 0]]], [1, 0], 0),
        ([1, 0], [[[0, 0], [1, 0]], [[0, 3], [0, 0]]], [1, 0], 1),
        ([1, 2], [[[1, 0], [0, 1]], [[0, 1], [1, 0]]], [1, -1], 1),
    ],
    wrong=(
        wrong.effect_is_part,
        (
            lambda *given: part_and_effect_of(*given)[::-1],
            "Return the part first, then the effect.",
        ),
        (
            lambda *given: (part_and_effect_of(*given)[0], -part_and_effect_of(*given)[1]),
            "The effect is the difference with all sublayers minus the difference without this one.",
        ),
        (
            _without_the_addition,
            "A sublayer adds its output to the row, and the row itself stays: the residual connection.",
        ),
        (_last_only, "The sublayer reads the row after the earlier sublayers, not the first row."),
    ),
    same=nearly_equal,
)

# One head.


def _matrix(rows: int, columns: int) -> Strategy:
    return inputs.of_length(rows, inputs.of_length(columns, st.integers(-2, 2)))


def _heads() -> Strategy:
    """Draw queries, keys, values and a bias that fit each other."""

    def of(queries: int, keys: int, d_kv: int, width: int) -> Strategy:
        return st.tuples(_matrix(queries, d_kv), _matrix(keys, d_kv), _matrix(keys, width), _matrix(queries, keys))

    return inputs.of_sizes(of, 3, 3, 3, 3)


def _with_weights(weights: Callable[..., Any]) -> Callable[..., Any]:
    """Return a head with another function for its weights."""

    def head(queries: Matrix, keys: Matrix, values: Matrix, bias: Matrix) -> Rows:
        return tuple(weighted_values(row, values) for row in weights(queries, keys, bias))

    return head


def _sums(queries: Matrix, keys: Matrix, bias: Matrix) -> Rows:
    return add_matrices([[dot(query, key) for key in keys] for query in queries], bias)


whole_head = FunctionCheck(
    lambda queries, keys, values, bias: attention_output(queries, keys, values, bias),
    _heads,
    "Score = query · key; add the bias; the softmax of each row of these sums gives weights; the output is the "
    "weighted sum of the values.",
    examples=[
        ([[0]], [[0], [0]], [[2], [4]], [[0, 0]]),
        ([[1], [0]], [[0], [1]], [[1], [3]], [[0, 0], [0, 0]]),
        ([[0]], [[0], [0]], [[2], [4]], [[0, 1]]),
        ([[1, 0]], [[1, 1], [0, 1]], [[1, 0], [0, 1]], [[0, 2]]),
    ],
    edges=[([[30]], [[30]], [[1]], [[0]])],
    wrong=(
        (_with_weights(wrong.softmax_over_queries), wrong.softmax_over_queries),
        (_with_weights(wrong_scores.scale_sqrt_d), wrong_scores.scale_sqrt_d),
        (
            _with_weights(lambda queries, keys, bias: attention_weights(queries, keys)),
            "The bias is added to the scores.",
        ),
        (
            _with_weights(lambda queries, keys, bias: add_matrices(attention_weights(queries, keys), bias)),
            "The bias is added before the softmax, so the weights of a query still sum to 1.",
        ),
        (_with_weights(_sums), "The softmax turns the scores of each query into weights."),
        (
            lambda queries, keys, values, bias: attention_output(queries, keys, keys, bias),
            "The weights multiply the values; the keys are only for the scores.",
        ),
        (
            _with_weights(lambda *given: overflowing_softmax(_sums(*given))),
            "exp of a large number overflows: subtract the largest score of the row first.",
        ),
    ),
    same=nearly_equal,
    lists=2,
)

# Heads that share keys and values.


def multi_query_heads(heads: Sequence[Matrix], keys: Matrix, values: Matrix) -> Rows:
    """Return the outputs of heads that share their keys and values, concatenated for each position.

    >>> multi_query_heads([[[0]], [[0]]], [[1]], [[5]])
    ((5.0, 5.0),)
    """
    outputs = [attention_output(queries, keys, values) for queries in heads]
    return tuple(tuple(x for row in rows for x in row) for rows in zip(*outputs, strict=True))


def _shared() -> Strategy:
    """Draw the queries of some heads, and keys and values that fit them."""

    def of(heads: int, queries: int, keys: int, d_kv: int, width: int) -> Strategy:
        return st.tuples(inputs.of_length(heads, _matrix(queries, d_kv)), _matrix(keys, d_kv), _matrix(keys, width))

    return inputs.of_sizes(of, 3, 3, 3, 3, 3)


def _heads_below_each_other(heads: Sequence[Matrix], keys: Matrix, values: Matrix) -> list[Row]:
    return [row for queries in heads for row in attention_output(queries, keys, values)]


def _sum_of_heads(heads: Sequence[Matrix], keys: Matrix, values: Matrix) -> list[list[float]]:
    outputs = [attention_output(queries, keys, values) for queries in heads]
    return [[sum(column) for column in zip(*rows, strict=True)] for rows in zip(*outputs, strict=True)]


def _columns_take_turns(heads: Sequence[Matrix], keys: Matrix, values: Matrix) -> list[list[float]]:
    outputs = [attention_output(queries, keys, values) for queries in heads]
    return [[x for column in zip(*rows, strict=True) for x in column] for rows in zip(*outputs, strict=True)]


shared_heads = FunctionCheck(
    multi_query_heads,
    _shared,
    "Each head computes its weights with the shared keys, and sums the shared values; no score is scaled.",
    examples=[
        ([[[0]]], [[1]], [[5]]),
        ([[[0]], [[0]]], [[1]], [[5]]),
        ([[[0], [0]]], [[1]], [[5]]),
        ([[[1]], [[0]]], [[0], [1]], [[0], [4]]),
        ([[[0]], [[0]]], [[1]], [[5, 6]]),
    ],
    edges=[([[[30]]], [[30]], [[1]])],
    wrong=(
        (
            _heads_below_each_other,
            "The result has one row for each position, with the outputs of all heads next to each other.",
        ),
        (_sum_of_heads, "The outputs of the heads are concatenated, not added."),
        (_columns_take_turns, "All columns of head 0 come first, then those of head 1."),
        (
            lambda heads, keys, values: multi_query_heads(heads[:1] * len(heads), keys, values),
            "Each head has its own queries.",
        ),
        (
            lambda heads, keys, values: multi_query_heads(heads, keys, keys),
            "The weights multiply the values; the keys are only for the scores.",
        ),
    ),
    same=nearly_equal,
    lists=2,
)
