"""Decoding with a KV cache: the keys and values of earlier tokens are stored instead of computed again.

Adds: the attention of one new token, and the number of rows that each step computes. Leaves out: several heads, blocks.
Source: transformers 4.26.1, T5Attention.forward with past_key_value.

>>> print(projections_computed.record(source_length=5, steps=2))
1. step 1: self attention computes 1 row of keys and looks at 1, cross attention computes 5 and looks at 5
2. step 2: self attention computes 1 row of keys and looks at 2, cross attention computes 0 and looks at 5
"""

from __future__ import annotations

from collections.abc import Generator

from tokenlab.algorithms.attention.attention_weights import dot, softmax, weighted_values
from tokenlab.algorithms.vectors import Matrix, Row, Vector
from tokenlab.steps.recording import step, stepwise

Cache = tuple[Matrix, Matrix]  # keys (tokens, d_kv) and values of all tokens so far


def cached_attention(query: Vector, key: Vector, value: Vector, cache: Cache, biases: Vector) -> tuple[Row, Cache]:
    """Return the attention output of the newest token, and the cache extended by its key and value.

    Args:
        query: of the newest token, like the key and the value; earlier queries are never needed again.
        key: the vector that later queries are multiplied with.
        value: the vector that later tokens add to their weighted sum.
        cache: the keys and values of all earlier tokens.
        biases: the position bias for each distance: biases[d] is added to the score of the key d positions back.

    >>> cached_attention([1], [0], [8], ([[0]], [[4]]), biases=[0, 0])
    ((6.0,), (([0], [0]), ([4], [8])))
    """
    keys, values = (*cache[0], key), (*cache[1], value)
    newest = len(keys) - 1  # subtle: the query's position; it is alone in this step, but not the first of its text
    weights = softmax(dot(query, other) + biases[newest - place] for place, other in enumerate(keys))
    return weighted_values(weights, values), (keys, values)


@step
class ProjectionsComputed:
    """The number of rows of keys (and of values) that one block computes in a step, and that its query attends to."""

    number: int
    own: int
    own_seen: int
    cross: int
    cross_seen: int

    def __str__(self) -> str:
        rows = "row" if self.own == 1 else "rows"
        return (
            f"step {self.number}: self attention computes {self.own} {rows} of keys and looks at {self.own_seen}, "
            f"cross attention computes {self.cross} and looks at {self.cross_seen}"
        )


@stepwise
def projections_computed(
    source_length: int, steps: int
) -> Generator[ProjectionsComputed, None, tuple[tuple[int, int], ...]]:
    """Return the number of rows that self attention and cross attention compute in each step.

    >>> projections_computed(source_length=5, steps=3)
    ((1, 5), (1, 0), (1, 0))
    """
    made = []
    for number in range(1, steps + 1):
        cross = source_length if number == 1 else 0  # the source stays as it is
        yield ProjectionsComputed(number, 1, number, cross, source_length)
        made.append((1, cross))
    return tuple(made)
