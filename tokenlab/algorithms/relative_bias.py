"""Which attentions of a T5 store a table of biases, and which add one that was read elsewhere.

Adds: one table for each stack, read once and added in every block. Leaves out: which row is read (`relative_bucket`).
Source: transformers 4.26.1, T5Stack.forward, which hands position_bias on from block to block.

>>> print(bias_tables.record(1, 1))
1. encoder.block.0.self_attention adds the bias of its own table
2. decoder.block.0.self_attention adds the bias of its own table
3. decoder.block.0.cross_attention adds no bias
>>> bias_tables(6, 6)
('encoder.block.0.self_attention', 'decoder.block.0.self_attention')
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

from tokenlab.steps import step, stepwise


@step
class Biased:
    """An attention adds the bias of a table, its own or another's, or none."""

    attention: str
    table: str | None

    def __str__(self) -> str:
        """Say whose table it is."""
        if self.table is None:
            return f"{self.attention} adds no bias"
        whose = "its own table" if self.table == self.attention else f"the table of {self.table}"
        return f"{self.attention} adds the bias of {whose}"


@stepwise
def bias_tables(encoder_blocks: int, decoder_blocks: int) -> Generator[Biased, None, tuple[str, ...]]:
    """The attentions that store a table: the first self attention of each stack.

    Cross attention has none, for a place in one text is no distance from a place in another.
    """
    tables = []
    for attention in attentions(encoder_blocks, decoder_blocks):
        stack = attention.partition(".")[0]
        table = None if attention.endswith("cross_attention") else f"{stack}.block.0.self_attention"
        if table == attention:
            tables.append(table)
        yield Biased(attention, table)
    return tuple(tables)


def attentions(encoder_blocks: int, decoder_blocks: int) -> Iterator[str]:
    """All attentions of a T5, in the order in which a text runs through them.

    >>> list(attentions(1, 1))[1:]
    ['decoder.block.0.self_attention', 'decoder.block.0.cross_attention']
    """
    for number in range(encoder_blocks):
        yield f"encoder.block.{number}.self_attention"
    for number in range(decoder_blocks):
        yield f"decoder.block.{number}.self_attention"
        yield f"decoder.block.{number}.cross_attention"
