"""The checks of lesson 13: tables and buckets, scores that are not divided, the norm, and a bias without a table."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from math import exp, hypot, isfinite, log
from typing import TYPE_CHECKING, Any

from tokenlab.algorithms import rms_norm as norms
from tokenlab.algorithms.attention_head import Matrix, Row, attention_weights, dot
from tokenlab.algorithms.relative_bias import Biased, bias_tables
from tokenlab.algorithms.relative_bucket import Placed, buckets, relative_bucket, where
from tokenlab.check import inputs
from tokenlab.check.answers import AnswerCheck, BugCheck
from tokenlab.check.functions import FunctionCheck
from tokenlab.check.traces import Question, close
from tokenlab.misconceptions import rule_of
from tokenlab.misconceptions import t5_attention as wrong
from tokenlab.steps import stepwise

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

# By hand.


@stepwise
def count_and_place() -> Generator[Biased | Placed, None, tuple[int, int, int]]:
    """The tables of two blocks each; then the bucket of a key nine before its query, in the encoder and the decoder."""
    tables = yield from bias_tables.steps(2, 2)
    [in_encoder] = yield from buckets.steps([-9], bidirectional=True)
    [in_decoder] = yield from buckets.steps([-9], bidirectional=False)
    return len(tables), in_encoder, in_decoder


tables_and_buckets = AnswerCheck(
    recording=count_and_place.record,
    answers=lambda recording: recording.result,
    names=("The number of tables", "The bucket in the encoder", "The bucket in the decoder"),
    rules=(
        rule_of(wrong.bias_per_layer),
        "Half of the encoder's buckets are for keys before the query. Half of those are for one distance each, from "
        "zero on; farther ones share.",
        rule_of(wrong.bidirectional_decoder),
    ),
)


# The norm.


def root_mean_square(vector: Sequence[float], weights: Sequence[float]) -> tuple[float, ...]:
    """A vector over the root of its mean square, with a millionth added to that mean.

    >>> root_mean_square([0, 0], [1, 1])
    (0.0, 0.0)
    """
    return norms.rms_norm(vector, weights)


def _vectors_and_weights() -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    both = st.lists(st.tuples(st.integers(-4, 4), st.integers(1, 3)), min_size=1, max_size=4)
    return both.map(lambda pairs: tuple(map(list, zip(*pairs, strict=True))))


def _beside_the_root(vector: Sequence[float], weights: Sequence[float]) -> list[float]:
    mean_square = sum(x * x for x in vector) / len(vector)
    return [x / (mean_square**0.5 + 1e-6) * weight for x, weight in zip(vector, weights, strict=True)]


def _over_length(vector: Sequence[float], weights: Sequence[float]) -> list[float]:
    return [x / (hypot(*vector) ** 2 + 1e-6) ** 0.5 * weight for x, weight in zip(vector, weights, strict=True)]


rms_norm = FunctionCheck(
    root_mean_square,
    _vectors_and_weights,
    "Each number is divided by the root of the mean square, to which a millionth was added, and multiplied by its "
    "weight.",
    examples=[([3], [1]), ([3, 3], [1, 1]), ([3, 4], [1, 1]), ([2, 1], [1, 2])],
    wrong=(
        (wrong.subtract_mean, rule_of(wrong.subtract_mean)),
        (_over_length, "It is the mean of the squares, not their sum: a longer vector is not made smaller."),
        (
            lambda vector, weights: norms.rms_norm(vector, weights, epsilon=0),
            "A millionth is added under the root, so that zeros can be divided.",
        ),
        (_beside_the_root, "The millionth is added to the mean square, before the root is taken."),
        (
            lambda vector, weights: norms.rms_norm(vector, [1] * len(vector)),
            "Each number is multiplied by the weight of its place.",
        ),
    ),
    edges=[([0, 0], [1, 1]), ([0.001], [1])],
    same=close,
)


# Buckets.

_SIZES = ((32, 128), (8, 20), (16, 50), (10, 30))  # how many buckets, and the farthest distance
_BY_HALF = (
    "Where both sides have buckets, each has half. Of one side's buckets the first half is for one distance each; in "
    "the others the logarithm of the distance decides."
)


def bucket_of(relative_position: int, bidirectional: bool, num_buckets: int, max_distance: int) -> int:
    """The bucket of a key so far from its query.

    >>> bucket_of(-9, False, 32, 128)
    9
    """
    return relative_bucket(relative_position, bidirectional, num_buckets, max_distance)


def rounding_decides(relative_position: int, bidirectional: bool, num_buckets: int, max_distance: int) -> bool:
    """Whether the logarithm is so near to a whole number that float32, float64 and another order may differ.

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


def _keys() -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    drawn = st.tuples(st.integers(-60, 60), st.booleans(), inputs.one_of(*_SIZES))
    return drawn.map(lambda one: (*one[:2], *one[2])).filter(lambda one: not rounding_decides(*one))


def _nearer(relative_position: int, *how: Any) -> Iterator[Question]:
    way = 1 if relative_position > 0 else -1
    for distance in range(abs(relative_position) + 1):
        if not rounding_decides(way * distance, *how):
            yield where(way * distance), (way * distance, *how)


def _encoders_half(relative_position: int, bidirectional: bool, num_buckets: int, max_distance: int) -> int:
    """The buckets of an encoder, and for later keys in a decoder 0; up to eight places back it looks right."""
    if relative_position > 0 and not bidirectional:
        return 0
    return wrong.bidirectional_decoder(relative_position, True, num_buckets, max_distance)


def _by_logarithm(cut: Callable[[float], int], within: Callable[[int, int], int]) -> Callable[..., int]:
    """The buckets with another way to make whole numbers of logarithms, and to stay within the last bucket."""

    def bucket(relative_position: int, bidirectional: bool, num_buckets: int, max_distance: int) -> int:
        side = num_buckets // 2 if bidirectional else num_buckets
        first = side if relative_position > 0 and bidirectional else 0
        exact, distance = side // 2, abs(relative_position) if bidirectional else max(-relative_position, 0)
        if distance < exact:
            return first + distance
        share = log(distance / exact) / log(max_distance / exact)
        return first + within(exact + cut(share * (side - exact)), side - 1)

    return bucket


position_bucket = FunctionCheck(
    bucket_of,
    _keys,
    _BY_HALF,
    examples=[(0, True, 32, 128), (2, True, 32, 128), (-9, False, 32, 128), (9, False, 32, 128), (-60, True, 8, 20)],
    wrong=(
        (wrong.bidirectional_decoder, rule_of(wrong.bidirectional_decoder)),
        (_encoders_half, rule_of(wrong.bidirectional_decoder)),
        (
            lambda relative_position, *how: relative_bucket(-relative_position, *how),
            "A position is the key's place minus the query's: it is positive for keys after the query.",
        ),
        (_by_logarithm(round, min), "What the logarithm gives is cut off, not rounded."),
        (
            _by_logarithm(int, lambda bucket, last: bucket),
            "Whatever is farther than max_distance is in the last bucket of its side.",
        ),
    ),
    asking=_nearer,
)


# A bias without a table.


def weights_by_line(queries: Matrix, keys: Matrix, slope: float) -> tuple[Row, ...]:
    """Weights where each place farther away costs a key so much of its score.

    >>> weights_by_line([[0]], [[0], [0]], 0)
    ((0.5, 0.5),)
    """
    return attention_weights(queries, keys, _line(queries, keys, slope))


def _line(queries: Matrix, keys: Matrix, slope: float) -> list[list[float]]:
    return [[-slope * abs(query - key) for key in range(len(keys))] for query in range(len(queries))]


def _line_both_ways(queries: Matrix, keys: Matrix, slope: float) -> tuple[Row, ...]:
    line = [[-slope * (query - key) for key in range(len(keys))] for query in range(len(queries))]
    return attention_weights(queries, keys, line)


def _line_too_late(queries: Matrix, keys: Matrix, slope: float) -> list[list[float]]:
    weights, line = attention_weights(queries, keys), _line(queries, keys, slope)
    return [[weight + more for weight, more in zip(*rows, strict=True)] for rows in zip(weights, line, strict=True)]


def _columns(queries: Matrix, keys: Matrix, slope: float) -> list[list[float]]:
    return [list(row) for row in zip(*weights_by_line(keys, queries, slope), strict=True)]


def _overflowing(queries: Matrix, keys: Matrix, slope: float) -> list[list[float]]:
    scores = [[dot(query, key) for key in keys] for query in queries]
    line = _line(queries, keys, slope)
    powers = [[exp(s + m) for s, m in zip(*rows, strict=True)] for rows in zip(scores, line, strict=True)]
    return [[power / sum(row) for power in row] for row in powers]


def _queries_and_keys() -> SearchStrategy[Any]:
    """As many queries as keys, all of one length, of small whole numbers."""
    from hypothesis import strategies as st

    def vectors(size: tuple[int, int]) -> SearchStrategy[Any]:
        length, number = size
        rows = st.lists(
            st.lists(st.integers(-2, 2), min_size=length, max_size=length), min_size=number, max_size=number
        )
        return st.tuples(rows, rows, st.sampled_from((1, 0.5, 2)))

    return st.tuples(st.integers(1, 3), st.integers(1, 4)).flatmap(vectors)


line_weights = FunctionCheck(
    weights_by_line,
    _queries_and_keys,
    "A score is the product of query and key, less the slope for each place between them; a softmax makes each query's "
    "weights of its scores.",
    examples=[
        ([[0], [0]], [[0], [0]], 1),
        ([[1, 1], [0, 0]], [[1, 0], [0, 0]], 1),
        ([[0], [0], [0]], [[0], [0], [0]], 0.5),
    ],
    edges=[([[30]], [[30]], 1)],
    wrong=(
        (
            lambda queries, keys, slope: wrong.scale_sqrt_d(queries, keys, _line(queries, keys, slope)),
            rule_of(wrong.scale_sqrt_d),
        ),
        (lambda queries, keys, slope: attention_weights(queries, keys), "Each place between costs a key the slope."),
        (
            lambda queries, keys, slope: weights_by_line(queries, keys, -slope),
            "The farther away a key is, the lower is its score: the slope is taken away.",
        ),
        (_line_both_ways, "Keys after the query are as far away as those before it; a distance is never negative."),
        (_line_too_late, "The bias is added to the scores, before the softmax; so the weights still sum to one."),
        (_columns, "The softmax runs over the keys: each query's weights sum to one."),
        (_overflowing, "exp of a large number is too large for a float: take the largest score away from all first."),
    ),
    same=close,
)


# Finding a bug.


def is_number(value: Any) -> bool:
    """Whether this is a number that scores can be made of; what is written as True is not meant as one."""
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and abs(value) < 1e6


def _is_vector(value: Any) -> bool:
    return isinstance(value, list | tuple) and 0 < len(value) <= 64 and all(map(is_number, value))


def _unusable_vectors(query: Any, keys: Any) -> str:
    if not _is_vector(query):
        return "Write the query as a list of numbers, such as [1, 0]."
    if not isinstance(keys, list | tuple) or not 0 < len(keys) <= 64 or not all(map(_is_vector, keys)):
        return "Write the keys as a list of lists of numbers, such as [[1, 0], [0, 1]]."
    if any(len(key) != len(query) for key in keys):
        return "Each key needs as many numbers as the query has."
    return ""


bug_in_scaling = BugCheck(
    wrong=lambda query, keys: wrong.scale_sqrt_d([query], keys)[0],
    right=lambda query, keys: attention_weights([query], keys)[0],
    needs=_unusable_vectors,
    rule=rule_of(wrong.scale_sqrt_d),
    example=([1, 1], [[1, 1], [0, 0]]),
    same=close,
)
