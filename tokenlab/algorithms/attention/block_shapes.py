"""The shape of the table that each block of a T5 computes, for one text and one head.

Leaves out: layers, which all have the same shapes; batches.
Source: transformers 4.26.1, models/t5/modeling_t5.py.

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

from collections.abc import Generator

from tokenlab.steps.recording import step, stepwise

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
