"""One head of attention as a chain of matrices: scores, plus the bias, plus the mask, the weights, and what is taken.

Adds to `attention_head`, where one query follows the other: all queries at once, one operation a step, as T5Attention
computes. Leaves out: the projections before and after, several heads, batches.
Source: transformers 4.26.1, T5Attention.forward.

>>> bias, mask = [[0, -2], [0, 0]], [[0, -1e9], [0, 0]]
>>> print(attend.record([[1, 0], [0, 2]], [[1, 1], [3, 0]], [[5], [7]], bias, mask))
1. each of 2 queries meets each of 2 keys: scores from 0.00 to 3.00
2. the bias is added: the sums are from 0.00 to 2.00
3. the mask is added: 1 of 4 pairs is hidden, the others are from 0.00 to 2.00
4. the softmax of each row: weights that sum to 1, the largest 1.00
5. each query takes values by their weights: numbers from 5.00 to 5.24
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence

from tokenlab.algorithms.attention_head import Matrix, Row, dot, softmax, weighted_values
from tokenlab.steps import step, stepwise

Rows = tuple[Row, ...]
HIDDEN = -1e4  # a score below has no weight: masks are the lowest number of their type, in float16 -65504


@step
class Scored:
    """Each query has met each key."""

    scores: Rows  # (queries, keys)

    def __str__(self) -> str:
        """Say between which numbers the scores are."""
        queries = "the query" if len(self.scores) == 1 else f"each of {len(self.scores)} queries"
        keys = "one key" if len(self.scores[0]) == 1 else f"each of {len(self.scores[0])} keys"
        return f"{queries} meets {keys}: scores {span(self.scores)}"


@step
class Biased:
    """What the head has learned for each distance was added."""

    scores: Rows

    def __str__(self) -> str:
        """Say between which numbers the sums are."""
        return f"the bias is added: the sums are {span(self.scores)}"


@step
class Masked:
    """What a query may not look at has got a score so low that no weight is left for it."""

    scores: Rows

    def __str__(self) -> str:
        """Say how much is hidden, and between which numbers the rest is."""
        pairs, hidden = sum(map(len, self.scores)), sum(number < HIDDEN for row in self.scores for number in row)
        verb = "is" if hidden == 1 else "are"
        rest = f", the others are {span(self.scores)}" if 0 < hidden < pairs else ""
        return f"the mask is added: {hidden or 'none'} of {pairs} pairs {verb} hidden{rest}"


@step
class Weighed:
    """The scores of each query have become weights."""

    weights: Rows  # (queries, keys)

    def __str__(self) -> str:
        """Say how large the largest is."""
        row = "the softmax" if len(self.weights) == 1 else "the softmax of each row"
        return f"{row}: weights that sum to 1, the largest {max(map(max, self.weights)):.2f}"


@step
class Taken:
    """Each query has taken of each value as much as its key weighs."""

    taken: Rows  # (queries, numbers of a value)

    def __str__(self) -> str:
        """Say between which numbers it is."""
        query = "the query" if len(self.taken) == 1 else "each query"
        return f"{query} takes values by their weights: numbers {span(self.taken)}"


Step = Scored | Biased | Masked | Weighed | Taken


@stepwise
def attend(
    queries: Matrix,
    keys: Matrix,
    values: Matrix,
    bias: Matrix | None = None,
    mask: Matrix | None = None,
    query_tokens: Sequence[str] = (),
    key_tokens: Sequence[str] = (),
    place: str = "",
) -> Generator[Step, None, Rows]:
    """What each query takes of the values.

    Args:
        queries: a vector for each position that asks.
        keys: a vector for each position that is asked.
        values: what there is to take at each of those.
        bias: (queries, keys) what this head has learned to add.
        mask: (queries, keys) 0 where a query may look at a key, and a very negative number elsewhere.
        query_tokens: what stands at each position that asks; for those who look on.
        key_tokens: what stands at each position that is asked; for those who look on.
        place: which attention of which model this is; for those who look on.

    Raises:
        ValueError: the sizes do not fit one another.

    >>> attend([[0]], [[1], [2]], [[10], [20]])
    ((15.0,),)
    """
    check_sizes(queries, keys, values, {"bias": bias, "mask": mask})
    # subtle: other transformers divide by the root of the keys' length here; a T5 does not.
    scores = tuple(tuple(dot(query, key) for key in keys) for query in queries)
    yield Scored(scores)
    if bias is not None:
        scores = plus(scores, bias)
        yield Biased(scores)
    if mask is not None:
        scores = plus(scores, mask)
        yield Masked(scores)
    weights = tuple(map(softmax, scores))
    yield Weighed(weights)
    taken = tuple(weighted_values(row, values) for row in weights)
    yield Taken(taken)
    return taken


def plus(left: Matrix, right: Matrix) -> Rows:
    """The sum of two matrices.

    >>> plus([[1, 2]], [[0, -5]])
    ((1, -3),)
    """
    return tuple(tuple(x + y for x, y in zip(row, other, strict=True)) for row, other in zip(left, right, strict=True))


def span(rows: Iterable[Iterable[float]]) -> str:
    """Between which numbers a matrix is, what is hidden left out."""
    numbers = [number for row in rows for number in row if number >= HIDDEN] or [0]
    return f"from {min(numbers):.2f} to {max(numbers):.2f}"


def check_sizes(queries: Matrix, keys: Matrix, values: Matrix, added: dict[str, Matrix | None]) -> None:
    """Raise a ValueError for sizes that do not fit."""
    if not queries or not keys:
        raise ValueError("queries and keys are lists of vectors; give at least one query and one key")
    if len({len(vector) for vector in [*queries, *keys]}) != 1:
        raise ValueError("a query meets a key number by number; give vectors of one length in queries and keys")
    if len(values) != len(keys):
        raise ValueError(f"each key has a value, and there are {len(keys)} keys and {len(values)} values")
    for name, matrix in added.items():
        if matrix is not None and [len(row) for row in matrix] != [len(keys)] * len(queries):
            raise ValueError(
                f"{name} should have a number for each pair: {len(queries)} rows, one a query, "
                f"of {len(keys)} numbers, one a key"
            )
