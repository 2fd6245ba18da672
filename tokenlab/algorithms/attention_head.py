"""One head of attention: each query weighs all keys, and takes so much of the value of each.

Adds: scores, what is added to them, and a softmax, on nested lists. Leaves out: the projections before and after,
several heads, batches, and speed (`tokenlab.transformers`).
Source: transformers 4.26.1, T5Attention.forward.

>>> print(attention_weights.record([[1, 0], [0, 2]], [[1, 1], [3, 0]], bias=[[0, -2], [0, 0]]))
1. query 0: scores 1, 3; added 0, -2; weights 0.5, 0.5
2. query 1: scores 2, 0; added 0, 0; weights 0.880797, 0.119203
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from math import exp
from typing import TypeAlias

from tokenlab.steps import step, stepwise

Vector: TypeAlias = Sequence[float]
Matrix: TypeAlias = Sequence[Vector]
Row: TypeAlias = tuple[float, ...]


@step
class Weighed:
    """A query has weighed all keys."""

    query: int
    scores: Row
    added: Row
    weights: Row

    def __str__(self) -> str:
        """Say the scores, what was added, and the weights."""
        rows = (", ".join(f"{number:.6g}" for number in row) for row in (self.scores, self.added, self.weights))
        return "query {}: scores {}; added {}; weights {}".format(self.query, *rows)


@stepwise
def attention_weights(
    queries: Matrix, keys: Matrix, bias: Matrix | None = None, mask: Matrix | None = None
) -> Generator[Weighed, None, tuple[Row, ...]]:
    """For each query the weights of all keys; they sum to one.

    Args:
        queries: a vector for each position that asks.
        keys: a vector for each position that is asked.
        bias: what this head has learned to add for each query and key.
        mask: 0 where a query may look at a key, and a very negative number elsewhere.

    >>> attention_weights([[1, 1]], [[1, 1], [1, 1]])
    ((0.5, 0.5),)
    """
    rows = []
    for place, query in enumerate(queries):
        # subtle: no division by the root of the length; T5's queries start so small that none is needed.
        scores = tuple(dot(query, key) for key in keys)
        added = tuple(sum(row[place][key] for row in (bias, mask) if row is not None) for key in range(len(keys)))
        rows.append(softmax([score + more for score, more in zip(scores, added, strict=True)]))
        yield Weighed(place, scores, added, rows[-1])
    return tuple(rows)


def dot(left: Vector, right: Vector) -> float:
    """How much two vectors agree.

    >>> dot([1, 2], [3, 4])
    11
    """
    return sum(x * y for x, y in zip(left, right, strict=True))


def softmax(scores: Iterable[float]) -> Row:
    """Weights that sum to one; a score that is larger by one weighs e times as much.

    >>> softmax([1000.0, 1000.0])
    (0.5, 0.5)
    """
    scores = tuple(scores)
    powers = [exp(score - max(scores)) for score in scores]
    return tuple(power / sum(powers) for power in powers)


def weighted_values(weights: Vector, values: Matrix) -> Row:
    """What a query takes: of each value as much as its key weighs.

    >>> weighted_values([0.5, 0.5], [[2, 0], [4, 1]])
    (3.0, 0.5)
    """
    return tuple(dot(weights, column) for column in zip(*values, strict=True))
