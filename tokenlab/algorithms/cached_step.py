"""One token at a time: the keys and values of earlier tokens are remembered, not computed again.

Adds: what a decoder does for one new token, and how many rows it has to compute. Leaves out: several heads and blocks.
Source: transformers 4.26.1, T5Attention.forward with past_key_value.

>>> print(rows_made.record(source_length=5, steps=2))
1. step 1: self attention computes 1 row of keys and looks at 1, cross attention computes 5 and looks at 5
2. step 2: self attention computes 1 row of keys and looks at 2, cross attention computes 0 and looks at 5
"""

from __future__ import annotations

from collections.abc import Generator

from tokenlab.algorithms.attention_head import Matrix, Row, Vector, dot, softmax, weighted_values
from tokenlab.steps import step, stepwise

Cache = tuple[Matrix, Matrix]  # keys and values, a vector for each token so far


def cached_step(query: Vector, key: Vector, value: Vector, cache: Cache, biases: Vector) -> tuple[Row, Cache]:
    """What the newest token takes from all tokens so far, and the cache with its own key and value.

    Args:
        query: of the newest token, and so are the key and the value; earlier queries are never needed again.
        key: what later tokens compare their queries with.
        value: what later tokens take of this one.
        cache: of all earlier tokens.
        biases: for each distance what is added to the score of a key that far back.

    >>> cached_step([1], [0], [8], ([[0]], [[4]]), biases=[0, 0])
    ((6.0,), (([0], [0]), ([4], [8])))
    """
    keys, values = (*cache[0], key), (*cache[1], value)
    newest = len(keys) - 1  # subtle: the query's place; it is alone in this step, but not the first of its text
    weights = softmax(dot(query, other) + biases[newest - place] for place, other in enumerate(keys))
    return weighted_values(weights, values), (keys, values)


@step
class RowsMade:
    """The rows of keys (and of values) that one block computes in a step, and those that it looks at."""

    number: int
    own: int
    own_seen: int
    cross: int
    cross_seen: int

    def __str__(self) -> str:
        """Say them for both attentions."""
        rows = "row" if self.own == 1 else "rows"
        return (
            f"step {self.number}: self attention computes {self.own} {rows} of keys and looks at {self.own_seen}, "
            f"cross attention computes {self.cross} and looks at {self.cross_seen}"
        )


@stepwise
def rows_made(source_length: int, steps: int) -> Generator[RowsMade, None, tuple[tuple[int, int], ...]]:
    """For each step the rows that self attention and cross attention compute.

    >>> rows_made(source_length=5, steps=3)
    ((1, 5), (1, 0), (1, 0))
    """
    made = []
    for number in range(1, steps + 1):
        cross = source_length if number == 1 else 0  # the source stays as it is
        yield RowsMade(number, 1, number, cross, source_length)
        made.append((1, cross))
    return tuple(made)
