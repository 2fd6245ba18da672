"""The feed-forward sublayer of a T5 and its norm, for one row of plain numbers; and the shapes of a block's tables.

RMSNorm divides a vector by its root mean square; each dimension is then multiplied by a learned weight. The sublayer is
norm, projection to d_ff, ReLU, projection back, residual connection.

Leaves out: the two other parts of LayerNorm, subtracting the mean and adding a learned bias; in the sublayer, the
norm's weights, which are 1 here, and gated activations (T5 1.1); batches.
Source: transformers 4.26.1, models/t5/modeling_t5.py, T5LayerNorm and T5LayerFF; Zhang and Sennrich 2019; Raffel et al.
2020, section 2.1.

>>> print(block_shapes.record(source=3, target=2, d_model=8, d_kv=4, d_ff=16, vocab_size=20))
1. encoder, hidden states: 3 rows, 8 columns
2. encoder, queries, keys or values of one head: 3 rows, 4 columns
3. encoder, self-attention scores of one head: 3 rows, 3 columns
4. decoder, self-attention scores of one head: 2 rows, 2 columns
5. decoder, cross-attention scores of one head: 2 rows, 3 columns
6. decoder, feed-forward activations: 2 rows, 16 columns
7. decoder, logits: 2 rows, 20 columns
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from math import sqrt

from tokenlab.algorithms.attention.attention_weights import dot
from tokenlab.algorithms.vectors import Matrix, Row, Vector
from tokenlab.steps.recording import step, stepwise


def rms_norm(vector: Sequence[float], weights: Sequence[float], epsilon: float = 1e-6) -> tuple[float, ...]:
    """Return the vector, scaled to a mean square of 1, with each dimension multiplied by its weight.

    Args:
        vector: the hidden state of one position.
        weights: the learned weight of each dimension.
        epsilon: added to the mean square, so that a vector of zeros is not divided by zero.

    Raises:
        ZeroDivisionError: the vector is zero, and so is epsilon.

    >>> rms_norm([2.0, -2.0], [1.0, 10.0], epsilon=0)
    (1.0, -10.0)
    """
    mean_square = sum(x * x for x in vector) / (len(vector) or 1)
    return tuple(x / sqrt(mean_square + epsilon) * weight for x, weight in zip(vector, weights, strict=True))


def feed_forward_sublayer(row: Vector, w_in: Matrix, w_out: Matrix) -> Row:
    """Return row + ReLU(norm(row) W_i) W_o.

    Args:
        row: the hidden state of one token, (d_model).
        w_in: the columns of W_i: d_ff vectors of dimension d_model.
        w_out: the columns of W_o: d_model vectors of dimension d_ff.

    >>> feed_forward_sublayer([0.0, 0.0], [[1, 0]], [[3], [4]])
    (0.0, 0.0)
    >>> [round(x, 3) for x in feed_forward_sublayer([2, 2], [[1, 0], [-1, 0]], [[3, 9], [4, 9]])]
    [5.0, 6.0]
    """
    normed = rms_norm(row, [1] * len(row))
    return tuple(x + out for x, out in zip(row, feed_forward(normed, w_in, w_out), strict=True))


def feed_forward(row: Vector, w_in: Matrix, w_out: Matrix) -> Row:
    """Return ReLU(row W_i) W_o.

    >>> feed_forward([1, 2], [[1, 1], [-1, -1]], [[2, 5], [3, 5]])
    (6, 9)
    """
    hidden = [max(0, dot(row, column)) for column in w_in]
    return tuple(dot(hidden, column) for column in w_out)


Shape = tuple[int, int]


@step
class ShapeFound:
    """The shape of one table."""

    table: str
    rows: int
    columns: int

    def __str__(self) -> str:
        return f"{self.table}: {self.rows} rows, {self.columns} columns"


@stepwise
def block_shapes(
    source: int, target: int, d_model: int = 96, d_kv: int = 24, d_ff: int = 192, vocab_size: int = 900
) -> Generator[ShapeFound, None, dict[str, Shape]]:
    """Return the shapes by name; the default sizes are those of the T5 that ships with this kit.

    Args:
        source: the number of tokens that the encoder reads.
        target: the number of tokens that the decoder reads.
    """
    shapes = {
        "encoder, hidden states": (source, d_model),
        "encoder, queries, keys or values of one head": (source, d_kv),
        "encoder, self-attention scores of one head": (source, source),
        "decoder, self-attention scores of one head": (target, target),
        "decoder, cross-attention scores of one head": (target, source),
        "decoder, feed-forward activations": (target, d_ff),
        "decoder, logits": (target, vocab_size),
    }
    for table, (rows, columns) in shapes.items():
        yield ShapeFound(table, rows, columns)
    return shapes
