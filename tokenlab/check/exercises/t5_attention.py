"""The checks of lesson 14: bias tables and buckets, RMSNorm, a linear position bias, and unscaled scores."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from math import exp, isfinite, log
from typing import Any

from tokenlab.algorithms.attention import sublayers as norms
from tokenlab.algorithms.attention.attention_output import add_matrices
from tokenlab.algorithms.attention.attention_weights import attention_weights, dot
from tokenlab.algorithms.attention.relative_buckets import (
    BiasApplied,
    BucketAssigned,
    bias_tables,
    buckets,
    describe_position,
    relative_bucket,
)
from tokenlab.algorithms.vectors import Matrix, Row
from tokenlab.check import strategies as inputs
from tokenlab.check.answer_check import AnswerCheck, BugCheck
from tokenlab.check.function_check import FunctionCheck
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.trace_comparison import TracedCall, nearly_equal
from tokenlab.misconceptions import t5_attention as wrong
from tokenlab.misconceptions.catalog import rule_of
from tokenlab.steps.recording import stepwise

# By hand.


@stepwise
def tables_and_bucket_by_hand() -> Generator[BiasApplied | BucketAssigned, None, tuple[int, int, int]]:
    """Count the bias tables of 2 + 2 blocks; then find the encoder and decoder bucket of a key 9 before its query."""
    tables = yield from bias_tables.steps(2, 2)
    [in_encoder] = yield from buckets.steps([-9], bidirectional=True)
    [in_decoder] = yield from buckets.steps([-9], bidirectional=False)
    return len(tables), in_encoder, in_decoder


tables_and_buckets = AnswerCheck(
    recording=tables_and_bucket_by_hand.record,
    answers=lambda recording: recording.result,
    names=("The number of bias tables", "The bucket in the encoder", "The bucket in the decoder"),
    rules=(
        rule_of(wrong.bias_per_layer),
        "Half of the encoder's buckets are for keys before the query. Half of these are for one distance each, from "
        "0 on. Longer distances share buckets.",
        rule_of(wrong.bidirectional_decoder),
    ),
    sums=lambda recording: (
        "The encoder's buckets for keys before the query: 32 / 2 = 16",
        "Those of one distance each: 16 / 2 = 8, so the distances 0 to 7 have the buckets 0 to 7",
        "The decoder's buckets of one distance each: 32 / 2 = 16, so the distance 9 has the bucket 9",
    ),
)


# The norm.


def _vectors_and_weights() -> Strategy:
    both = st.lists(st.tuples(st.integers(-4, 4), st.integers(1, 3)), min_size=1, max_size=4)
    return both.map(lambda pairs: tuple(map(list, zip(*pairs, strict=True))))


rms_norm = FunctionCheck(
    lambda vector, weights: norms.rms_norm(vector, weights),
    _vectors_and_weights,
    "Add 1e-6 to the mean of the squares. Divide each number by the square root of this sum, and multiply it by its "
    "weight.",
    examples=[([3], [1]), ([3, 3], [1, 1]), ([3, 4], [1, 1]), ([2, 1], [1, 2])],
    wrong=(
        wrong.subtract_mean,
        (
            lambda vector, weights: [
                x / (dot(vector, vector) + 1e-6) ** 0.5 * weight for x, weight in zip(vector, weights, strict=True)
            ],
            "Use the mean of the squares, not their sum. The sum would make vectors of a high dimension too small.",
        ),
        (
            lambda vector, weights: norms.rms_norm(vector, weights, epsilon=0),
            "1e-6 is added under the root. Without it, a vector of zeros is divided by 0.",
        ),
        (
            lambda vector, weights: [
                x / ((dot(vector, vector) / len(vector)) ** 0.5 + 1e-6) * weight
                for x, weight in zip(vector, weights, strict=True)
            ],
            "1e-6 is added to the mean of the squares, before the square root.",
        ),
        (
            lambda vector, weights: norms.rms_norm(vector, [1] * len(vector)),
            "Each number is multiplied by the weight of its dimension.",
        ),
    ),
    edges=[([0, 0], [1, 1]), ([0.001], [1])],
    same=nearly_equal,
    lists=1,
)


# Buckets.

_SIZES = ((32, 128), (8, 20), (16, 50), (10, 30))  # num_buckets, max_distance
_BY_HALF = (
    "With bidirectional buckets, each side has half of them. The first N // 2 of a side's N buckets are for one "
    "distance each. The other N - N // 2 are for logarithmic ranges of distances."
)


def rounding_decides(relative_position: int, bidirectional: bool, num_buckets: int, max_distance: int) -> bool:
    """Return True if the logarithm is so close to an integer that float32 and float64 may round differently.

    >>> rounding_decides(-32, True, 32, 128), rounding_decides(-33, True, 32, 128)
    (True, False)
    """
    side = num_buckets // 2 if bidirectional else num_buckets
    exact = side // 2
    distance = abs(relative_position) if bidirectional else -relative_position
    if distance <= exact:
        return False
    share = log(distance / exact) / log(max_distance / exact) * (side - exact)
    return round(share) < side - exact and abs(share - round(share)) < 1e-5


def _keys() -> Strategy:
    drawn = st.tuples(st.integers(-60, 60), st.booleans(), inputs.sampled(*_SIZES))
    return drawn.map(lambda one: (*one[:2], *one[2])).filter(lambda one: not rounding_decides(*one))


def _nearer(relative_position: int, *how: Any) -> Iterator[TracedCall]:
    way = 1 if relative_position > 0 else -1
    for distance in range(abs(relative_position) + 1):
        if not rounding_decides(way * distance, *how):
            yield describe_position(way * distance), (way * distance, *how)


def _half_of_the_buckets(relative_position: int, bidirectional: bool, num_buckets: int, max_distance: int) -> int:
    """Return the encoder's bucket, but 0 for later keys in a decoder; up to 8 positions back the result is right."""
    if relative_position > 0 and not bidirectional:
        return 0
    return wrong.bidirectional_decoder(relative_position, True, num_buckets, max_distance)


def _by_logarithm(cut: Callable[[float], int], within: Callable[[int, int], int]) -> Callable[..., int]:
    """Return a bucket function with another rounding of the logarithm, and another limit to the last bucket."""

    def bucket(relative_position: int, bidirectional: bool, num_buckets: int, max_distance: int) -> int:
        side = num_buckets // 2 if bidirectional else num_buckets
        first = side if relative_position > 0 and bidirectional else 0
        exact, distance = side // 2, abs(relative_position) if bidirectional else max(-relative_position, 0)
        if distance < exact:
            return first + distance
        share = log(distance / exact) / log(max_distance / exact)
        return first + within(exact + cut(share * (side - exact)), side - 1)

    return bucket


def _later_keys_in_decoder(
    relative_position: int, bidirectional: bool, num_buckets: int, max_distance: int, *, absolute: bool, offset: bool
) -> int:
    """Return the bucket, but in a decoder that of a later key for its absolute distance, or with half of all added."""
    later = relative_position > 0 and not bidirectional
    position = -relative_position if later and absolute else relative_position
    bucket = relative_bucket(position, bidirectional, num_buckets, max_distance)
    return bucket + (num_buckets // 2 if later and offset else 0)


position_bucket = FunctionCheck(
    relative_bucket,
    _keys,
    _BY_HALF,
    examples=[(0, True, 32, 128), (2, True, 32, 128), (-9, False, 32, 128), (9, False, 32, 128), (-60, True, 8, 20)],
    wrong=(
        wrong.bidirectional_decoder,
        (_half_of_the_buckets, wrong.bidirectional_decoder),
        (
            lambda *given: _later_keys_in_decoder(*given, absolute=True, offset=False),
            "In a decoder, the distance of a key after the query is 0, not the absolute value.",
        ),
        (
            lambda relative_position, *how: relative_bucket(-relative_position, *how),
            "The relative position is the key's position minus the query's: it is positive for keys after the query.",
        ),
        (_by_logarithm(round, min), "The logarithm is rounded down, not to the nearest integer."),
        (
            _by_logarithm(int, lambda bucket, last: bucket),
            "All distances beyond max_distance are in the last bucket of their side.",
        ),
        wrong.half_shared,
        (
            lambda *given: _later_keys_in_decoder(*given, absolute=False, offset=True),
            "Only in an encoder is half of the buckets added. In a decoder, a key after the query has the bucket 0.",
        ),
        (
            lambda *given: _later_keys_in_decoder(*given, absolute=True, offset=True),
            "In a decoder, a key after the query has the distance 0. Half of the buckets is added only in an encoder.",
        ),
    ),
    traced_calls=_nearer,
)


# A linear position bias without a table.


def weights_by_line(queries: Matrix, keys: Matrix, slope: float) -> tuple[Row, ...]:
    """Return attention weights with a linear bias: `slope` is subtracted for each position of distance.

    >>> weights_by_line([[0]], [[0], [0]], 0)
    ((0.5, 0.5),)
    """
    return attention_weights(queries, keys, _line(queries, keys, slope))


def _line(queries: Matrix, keys: Matrix, slope: float, distance: Callable[[int], int] = abs) -> list[list[float]]:
    return [[-slope * distance(query - key) for key in range(len(keys))] for query in range(len(queries))]


def overflowing_softmax(rows: Matrix) -> list[list[float]]:
    """Return the softmax of each row by `exp` alone, which overflows for large numbers."""
    powers = [[exp(number) for number in row] for row in rows]
    return [[power / sum(row) for power in row] for row in powers]


def _queries_and_keys() -> Strategy:
    """Draw equally many queries and keys of one dimension, with small integers."""

    def vectors(length: int, number: int) -> Strategy:
        rows = inputs.of_length(number, inputs.of_length(length, st.integers(-2, 2)))
        return st.tuples(rows, rows, st.sampled_from((1, 0.5, 2)))

    return inputs.of_sizes(vectors, 3, 4)


line_weights = FunctionCheck(
    weights_by_line,
    _queries_and_keys,
    "A score is the dot product of query and key. Subtract slope times their distance. The softmax over the results of "
    "a query gives its weights.",
    examples=[
        ([[0], [0]], [[0], [0]], 1),
        ([[1, 1], [0, 0]], [[1, 0], [0, 0]], 1),
        ([[0], [0], [0]], [[0], [0], [0]], 0.5),
    ],
    edges=[([[30]], [[30]], 1)],
    wrong=(
        (
            lambda queries, keys, slope: wrong.scale_sqrt_d(queries, keys, _line(queries, keys, slope)),
            wrong.scale_sqrt_d,
        ),
        (
            lambda queries, keys, slope: attention_weights(queries, keys),
            "The slope times the distance is subtracted from each score.",
        ),
        (
            lambda queries, keys, slope: weights_by_line(queries, keys, -slope),
            "A more distant key gets a lower score: the bias is subtracted.",
        ),
        (
            lambda queries, keys, slope: attention_weights(queries, keys, _line(queries, keys, slope, lambda d: d)),
            "Keys after the query have the same distances as keys before it. A distance is never negative.",
        ),
        (
            lambda queries, keys, slope: add_matrices(attention_weights(queries, keys), _line(queries, keys, slope)),
            "The bias is added to the scores, before the softmax. So the weights still sum to 1.",
        ),
        (
            lambda queries, keys, slope: [[*row] for row in zip(*weights_by_line(keys, queries, slope), strict=True)],
            "The softmax is taken over the keys: each query's weights sum to 1.",
        ),
        (
            lambda queries, keys, slope: overflowing_softmax(
                add_matrices([[dot(query, key) for key in keys] for query in queries], _line(queries, keys, slope))
            ),
            "exp of a large number overflows: subtract the largest score from all scores first.",
        ),
    ),
    same=nearly_equal,
    lists=2,
)


# Finding a bug.


def is_number(value: Any) -> bool:
    """Return True for a finite number of moderate size; bool does not count as a number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and abs(value) < 1e6


def _is_vector(value: Any) -> bool:
    return isinstance(value, list | tuple) and 0 < len(value) <= 64 and all(map(is_number, value))


def _unusable_vectors(query: Any, keys: Any) -> str:
    if not _is_vector(query):
        return "Write the query as a list of numbers, such as [1, 0]."
    if not isinstance(keys, list | tuple) or not 0 < len(keys) <= 64 or not all(map(_is_vector, keys)):
        return "Write the keys as a list of lists of numbers, such as [[1, 0], [0, 1]]."
    if any(len(key) != len(query) for key in keys):
        return "Each key needs the same dimension as the query."
    return ""


bug_in_scaling = BugCheck(
    program=wrong.scale_sqrt_d,
    right=attention_weights,
    input_problem=_unusable_vectors,
    example=([1, 1], [[1, 1], [0, 0]]),
    use=lambda program, query, keys: program([query], keys)[0],
    same=nearly_equal,
)
