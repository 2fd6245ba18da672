"""The feed-forward sublayer of a T5 for one row: norm, projection to d_ff, ReLU, projection back, residual connection.

Leaves out: the norm's weights, which are 1 here; gated activations (T5 1.1).
Source: transformers 4.26.1, T5LayerFF; Raffel et al. 2020, section 2.1.
"""

from __future__ import annotations

from tokenlab.algorithms.attention.attention_weights import dot
from tokenlab.algorithms.attention.rms_norm import rms_norm
from tokenlab.algorithms.vectors import Matrix, Row, Vector


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
