"""The steps of a walk through a T5: the table that one block computes, and how one of its numbers is made.

These classes do not import PyTorch, so that a recording can be loaded and drawn without it.
"""

from __future__ import annotations

from tokenlab.algorithms.vectors import Row
from tokenlab.printing.printed_numbers import format_number
from tokenlab.steps.recording import step


@step
class OneNumber:
    """One number of a table with the numbers that it was computed from."""

    row: int
    column: int  # counted in the recorded columns
    value: float
    left: Row = ()  # the value is the dot product of left and right, if both are given
    right: Row = ()
    operands: tuple[tuple[str, float], ...] = ()  # further numbers by name

    def __str__(self) -> str:
        return f"row {self.row}, column {self.column}: {format_number(self.value)}"


@step
class BlockComputed:
    """The table that one block of the model computed."""

    block: str  # such as "encoder.block.0.self_attention.scores"
    shape: tuple[tuple[str, int], ...]  # of the whole tensor, without the batch
    rows: tuple[str, ...]  # the token of each row
    columns: tuple[str, ...]  # the names of the recorded columns
    values: tuple[Row, ...]  # the recorded columns; of one head, if the block has heads
    head: int | None  # the head of these values
    example: OneNumber | None

    @property
    def stack(self) -> str:
        """Return "encoder", "decoder", or "output" for the blocks after the decoder."""
        return self.block.partition(".")[0]

    @property
    def layer(self) -> int | None:
        """Return the number of the layer, or None outside the layers."""
        parts = self.block.split(".")
        return int(parts[2]) if len(parts) > 2 else None

    @property
    def part(self) -> str:
        """Return "self_attention", "cross_attention", "feed_forward", or "" outside these."""
        parts = self.block.split(".")
        return parts[3] if len(parts) > 4 else ""

    @property
    def kind(self) -> str:
        """Return the last part of the name, such as "scores"."""
        return self.block.rpartition(".")[2]

    def __str__(self) -> str:
        shape = ", ".join(f"{name}={size}" for name, size in self.shape)
        return f"{self.block}: ({shape})"


@step
class LogitPartAdded:
    """The part of one block in the difference of two logits, and the sum of the parts so far.

    >>> print(LogitPartAdded("decoder.block.1.cross_attention", 1.5, 2.25))
    Decoder, layer 1, cross-attention: the part is +1.50, the sum so far +2.25
    """

    block: str  # such as "decoder.block.0.cross_attention"
    part: float
    total: float

    @property
    def place(self) -> str:
        """The name of the block in words."""
        stack, *names = self.block.split(".")
        layer = [f"layer {number}" for number in names[1:2] if names[0] == "block"]
        return ", ".join([stack.capitalize(), *layer, *names[-1:]]).replace("_", "-")

    def __str__(self) -> str:
        part, total = (format_number(number, sign="+") for number in (self.part, self.total))
        return f"{self.place}: the part is {part}, the sum so far {total}"
