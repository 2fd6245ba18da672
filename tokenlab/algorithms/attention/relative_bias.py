"""The relative position biases of a T5: the attentions that store a bias table, and the attentions that reuse one.

Adds: one table for each stack, looked up once and added in every block. Leaves out: the row that is looked up
(`relative_buckets`).
Source: transformers 4.26.1, T5Stack.forward, which passes position_bias from block to block.

>>> print(bias_tables.record(1, 1))
1. encoder.block.0.self_attention adds the bias of its own table
2. decoder.block.0.self_attention adds the bias of its own table
3. decoder.block.0.cross_attention adds no bias
>>> bias_tables(6, 6)
('encoder.block.0.self_attention', 'decoder.block.0.self_attention')
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

from tokenlab.steps.recording import step, stepwise


@step
class BiasApplied:
    """An attention and the table whose bias it adds: its own, that of the first block, or None."""

    attention: str
    table: str | None

    def __str__(self) -> str:
        if self.table is None:
            return f"{self.attention} adds no bias"
        whose = "its own table" if self.table == self.attention else f"the table of {self.table}"
        return f"{self.attention} adds the bias of {whose}"


@stepwise
def bias_tables(encoder_blocks: int, decoder_blocks: int) -> Generator[BiasApplied, None, tuple[str, ...]]:
    """Return the names of the attentions that store a table: the first self attention of each stack.

    Cross attention has no bias: there is no distance between positions of two different texts.
    """
    tables = []
    for attention in attention_layers(encoder_blocks, decoder_blocks):
        stack = attention.partition(".")[0]
        table = None if attention.endswith("cross_attention") else f"{stack}.block.0.self_attention"
        if table == attention:
            tables.append(table)
        yield BiasApplied(attention, table)
    return tuple(tables)


def attention_layers(encoder_blocks: int, decoder_blocks: int) -> Iterator[str]:
    """Iterate over the names of all attentions of a T5, in the order of the forward pass.

    >>> list(attention_layers(1, 1))[1:]
    ['decoder.block.0.self_attention', 'decoder.block.0.cross_attention']
    """
    for number in range(encoder_blocks):
        yield f"encoder.block.{number}.self_attention"
    for number in range(decoder_blocks):
        yield f"decoder.block.{number}.self_attention"
        yield f"decoder.block.{number}.cross_attention"
