"""One attention head: the weights with which each query attends to all keys, and the weighted sum of the values.

Adds: scores (q · k), the position bias and mask that are added to them, and a softmax, on nested lists. Leaves out: the
projections to queries, keys, values and output, several heads, batches, and speed (`tokenlab.libraries.transformers`).
Source: transformers 4.26.1, T5Attention.forward.

>>> print(attention_weights.record([[1, 0], [0, 2]], [[1, 1], [3, 0]], bias=[[0, -2], [0, 0]]))
1. query 0: scores 1, 3; added 0, -2; weights 0.5, 0.5
2. query 1: scores 2, 0; added 0, 0; weights 0.881, 0.119
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from math import exp, inf

from tokenlab.algorithms.vectors import Matrix, Row, Vector
from tokenlab.printing.printed_numbers import format_short
from tokenlab.steps.recording import step, stepwise


@step
class QueryWeights:
    """The attention weights of one query."""

    query: int
    scores: Row
    added: Row
    weights: Row

    def __str__(self) -> str:
        rows = (", ".join(format_short(number) for number in row) for row in (self.scores, self.added, self.weights))
        return "query {}: scores {}; added {}; weights {}".format(self.query, *rows)


@stepwise
def attention_weights(
    queries: Matrix, keys: Matrix, bias: Matrix | None = None, mask: Matrix | None = None
) -> Generator[QueryWeights, None, tuple[Row, ...]]:
    """Return the attention weights: one row for each query, which sums to 1.

    Args:
        queries: (queries, d_kv) a vector for each query position.
        keys: (keys, d_kv) a vector for each key position.
        bias: (queries, keys) the position bias of this head.
        mask: (queries, keys) 0 where a query may attend to a key, and a very negative number elsewhere.

    Raises:
        ValueError: the mask is -inf for all keys of a query.

    >>> attention_weights([[1, 1]], [[1, 1], [1, 1]])
    ((0.5, 0.5),)
    """
    rows = []
    for place, query in enumerate(queries):
        # subtle: no division by sqrt(d_kv); T5's query projection is initialized so small that none is needed.
        scores = tuple(dot(query, key) for key in keys)
        added = tuple(sum(row[place][key] for row in (bias, mask) if row is not None) for key in range(len(keys)))
        rows.append(softmax([score + more for score, more in zip(scores, added, strict=True)]))
        yield QueryWeights(place, scores, added, rows[-1])
    return tuple(rows)


def dot(left: Vector, right: Vector) -> float:
    """Return the dot product of two vectors.

    >>> dot([1, 2], [3, 4])
    11
    """
    return sum(x * y for x, y in zip(left, right, strict=True))


def softmax(scores: Iterable[float]) -> Row:
    """Return weights that sum to 1; a score that is larger by 1 gets e times the weight.

    Raises:
        ValueError: all scores are -inf.

    >>> softmax([1000.0, 1000.0])
    (0.5, 0.5)
    """
    scores = tuple(scores)
    largest = max(scores, default=0.0)
    if largest == -inf:
        raise ValueError(
            f"scores has only -inf ({len(scores)} times), so no weights can sum to 1; allow at least one score, or let "
            "the mask add a large negative number, such as -3.4e38"
        )
    powers = [exp(score - largest) for score in scores]
    total = sum(powers)
    return tuple(power / total for power in powers)


def weighted_values(weights: Vector, values: Matrix) -> Row:
    """Return the sum of the values, weighted by the attention weights of one query.

    >>> weighted_values([0.5, 0.5], [[2, 0], [4, 1]])
    (3.0, 0.5)
    """
    return tuple(dot(weights, column) for column in zip(*values, strict=True))
