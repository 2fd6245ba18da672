"""One attention head as a chain of matrices: scores, position bias, mask, softmax weights and the weighted values.

Adds to `attention_weights`, which handles one query after another: all queries at once, one matrix operation per step,
as T5Attention computes them. Leaves out: the projections to queries, keys, values and output, several heads, batches.
Source: transformers 4.26.1, T5Attention.forward.

>>> bias, mask = [[0, -2], [0, 0]], [[0, -1e9], [0, 0]]
>>> print(attention_output.record([[1, 0], [0, 2]], [[1, 1], [3, 0]], [[5], [7]], bias, mask))
1. each of 2 queries is compared with each of 2 keys: scores from 0.00 to 3.00
2. the bias is added: the sums are from 0.00 to 2.00
3. the mask is added: 1 of 4 pairs is hidden, the others are from 0.00 to 2.00
4. the softmax of each row gives weights that sum to 1; the largest is 1.00
5. the output of each query is a weighted sum of the values: numbers from 5.00 to 5.24
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence

from tokenlab.algorithms.attention.attention_weights import dot, softmax, weighted_values
from tokenlab.algorithms.vectors import Matrix, Row
from tokenlab.printing.printed_numbers import format_number
from tokenlab.steps.recording import step, stepwise

Rows = tuple[Row, ...]
BELOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
MASKED = -1e4  # scores below this get weight 0: masks hold the lowest number of their type, in float16 -65504


@step
class ScoresComputed:
    """The scores: the dot product of each query with each key."""

    scores: Rows  # (queries, keys)

    def __str__(self) -> str:
        queries = "the query" if len(self.scores) == 1 else f"each of {len(self.scores)} queries"
        keys = "one key" if len(self.scores[0]) == 1 else f"each of {len(self.scores[0])} keys"
        return f"{queries} is compared with {keys}: scores {value_range(self.scores)}"


@step
class BiasAdded:
    """The position bias, which the head has learned for each distance, was added to the scores."""

    scores: Rows

    def __str__(self) -> str:
        return f"the bias is added: the sums are {value_range(self.scores)}"


@step
class MaskApplied:
    """The mask was added: a key that a query may not attend to now has a score so low that its weight is 0."""

    scores: Rows

    def __str__(self) -> str:
        pairs, hidden = sum(map(len, self.scores)), sum(number < MASKED for row in self.scores for number in row)
        verb = "is" if hidden == 1 else "are"
        rest = f", the others are {value_range(self.scores)}" if 0 < hidden < pairs else ""
        return f"the mask is added: {hidden or 'none'} of {pairs} pairs {verb} hidden{rest}"


@step
class WeightsComputed:
    """The softmax over each query's scores: the attention weights."""

    weights: Rows  # (queries, keys)

    def __str__(self) -> str:
        row = "the softmax" if len(self.weights) == 1 else "the softmax of each row"
        return f"{row} gives weights that sum to 1; the largest is {format_number(max(map(max, self.weights)))}"


@step
class ValuesSummed:
    """The output of the head: for each query, the sum of the values, weighted by the attention weights."""

    output: Rows  # (queries, d_kv)

    def __str__(self) -> str:
        query = "the query" if len(self.output) == 1 else "each query"
        return f"the output of {query} is a weighted sum of the values: numbers {value_range(self.output)}"


Step = ScoresComputed | BiasAdded | MaskApplied | WeightsComputed | ValuesSummed


@stepwise
def attention_output(
    queries: Matrix,
    keys: Matrix,
    values: Matrix,
    bias: Matrix | None = None,
    mask: Matrix | None = None,
    query_tokens: Sequence[str] = (),
    key_tokens: Sequence[str] = (),
    place: str = "",
) -> Generator[Step, None, Rows]:
    """Return the output of the head: one weighted sum of the values for each query.

    Args:
        queries: (queries, d_kv) a vector for each query position.
        keys: (keys, d_kv) a vector for each key position.
        values: (keys, any dimension) a vector for each key position.
        bias: (queries, keys) the position bias of this head.
        mask: (queries, keys) 0 where a query may attend to a key, and a very negative number elsewhere.
        query_tokens: the token at each query position, used only to label the recording.
        key_tokens: the token at each key position, used only to label the recording.
        place: the name of the attention in its model, used only to label the recording.

    Raises:
        ValueError: the dimensions do not match, or the mask is -inf for all keys of a query.

    >>> attention_output([[0]], [[1], [2]], [[10], [20]])
    ((15.0,),)
    """
    check_sizes(queries, keys, values, {"bias": bias, "mask": mask})
    # subtle: other transformers divide by sqrt(d_kv) here; T5 does not.
    scores = tuple(tuple(dot(query, key) for key in keys) for query in queries)
    yield ScoresComputed(scores)
    if bias is not None:
        scores = add_matrices(scores, bias)
        yield BiasAdded(scores)
    if mask is not None:
        scores = add_matrices(scores, mask)
        yield MaskApplied(scores)
    weights = tuple(map(softmax, scores))
    yield WeightsComputed(weights)
    output = tuple(weighted_values(row, values) for row in weights)
    yield ValuesSummed(output)
    return output


def add_matrices(left: Matrix, right: Matrix) -> Rows:
    """Return the sum of two matrices.

    >>> add_matrices([[1, 2]], [[0, -5]])
    ((1, -3),)
    """
    return tuple(tuple(x + y for x, y in zip(row, other, strict=True)) for row, other in zip(left, right, strict=True))


def value_range(rows: Iterable[Iterable[float]]) -> str:
    """Return the range of a matrix as text; masked scores are left out."""
    numbers = [number for row in rows for number in row if number >= MASKED] or [0]
    return f"from {format_number(min(numbers))} to {format_number(max(numbers))}"


def position_names(tokens: Sequence[str], kind: str, count: int) -> list[str]:
    """Name each position by its token, numbered if it occurs more than once, or by its index if no tokens are given.

    >>> position_names([], "key", 2), position_names(["a", "b", "a"], "key", 3)
    (['key 0', 'key 1'], ['a', 'b', 'a₂'])
    """
    if len(tokens) != count:
        return [f"{kind} {number}" for number in range(count)]
    times = [tokens[: place + 1].count(token) for place, token in enumerate(tokens)]
    return [
        token + ("" if time == 1 else str(time).translate(BELOW)) for token, time in zip(tokens, times, strict=True)
    ]


def check_sizes(queries: Matrix, keys: Matrix, values: Matrix, added: dict[str, Matrix | None]) -> None:
    """Raise a ValueError if the dimensions do not match."""
    if not queries or not keys:
        raise ValueError("queries and keys are lists of vectors; give at least one query and one key")
    if len({len(vector) for vector in [*queries, *keys]}) != 1:
        raise ValueError(
            "a score is the dot product of a query and a key; give all queries and keys the same dimension"
        )
    if len(values) != len(keys):
        raise ValueError(f"each key has one value, but there are {len(keys)} keys and {len(values)} values")
    for name, matrix in added.items():
        if matrix is not None and [len(row) for row in matrix] != [len(keys)] * len(queries):
            raise ValueError(
                f"{name} should have {len(queries)} rows, one for each query, of {len(keys)} numbers, one for each key"
            )
