"""Steps of a T5: the loss of one token, the mean loss, a decoding step with the cache, and a walk through the blocks.

A step of the walk is the table that one block computes, and how one of its numbers is made. These classes do not import
PyTorch, so that a recording can be loaded and drawn without it.
"""

from __future__ import annotations

from math import exp

from tokenlab.algorithms.vectors import Row
from tokenlab.printing.printed_numbers import format_number
from tokenlab.steps.recording import step


@step
class TokenLoss:
    """The log-probability of the label at one position, computed in parallel and step by step."""

    position: int
    input_token: str
    label: str | None  # None where it is -100
    log_prob_parallel: float | None  # of the label, when all positions are computed in one pass
    log_prob_stepwise: float | None  # of the label, when the decoder reads only up to this position
    visible: int  # the number of positions that this one may attend to in the parallel pass

    def __str__(self) -> str:
        if self.label is None or self.log_prob_parallel is None or self.log_prob_stepwise is None:
            return f"position {self.position} reads {self.input_token}; its label is -100, so it is ignored"
        return (
            f"position {self.position} reads {self.input_token} and should predict {self.label}: probability "
            f"{format_number(exp(self.log_prob_parallel))} in one parallel pass, "
            f"{format_number(exp(self.log_prob_stepwise))} step by step"
        )


@step
class MeanLoss:
    """The cross-entropy: the mean negative log-likelihood over the positions with a label."""

    num_labels: int
    loss_parallel: float  # computed in one pass
    loss_stepwise: float  # computed with the decoder reading only up to each position
    generated: str  # the model's greedy output

    def __str__(self) -> str:
        positions = "1 position" if self.num_labels == 1 else f"{self.num_labels} positions"
        return (
            f"the loss is the mean over {positions}: {format_number(abs(self.loss_parallel))} in one parallel pass, "
            f"{format_number(abs(self.loss_stepwise))} step by step"
        )


@step
class CachedStep:
    """One decoding step with the KV cache."""

    position: int
    input_token: str
    predicted_token: str  # the most probable next token
    num_queries: int  # rows of queries that this step computed
    num_keys: int  # rows of keys that the query attended to
    new_key: tuple[float, ...]  # the first numbers of the new row of keys, of the first head
    num_source_keys: int  # rows of keys of the encoder's output
    num_source_keys_computed: int  # rows of these that this step computed
    matches_uncached: bool  # whether a run without the cache gives the same logits, up to rounding

    def __str__(self) -> str:
        queries = "1 query" if self.num_queries == 1 else f"{self.num_queries} queries"
        keys = "1 key" if self.num_keys == 1 else f"{self.num_keys} keys"
        agreed = "as without a cache" if self.matches_uncached else "but without a cache the logits are different"
        return (
            f"position {self.position} reads {self.input_token}: it computes {queries} and 1 key and uses {keys}; "
            f"it predicts {self.predicted_token}, {agreed}"
        )


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
    """The part of one block in the difference of two logits, and the sum of the parts so far."""

    block: str  # such as "decoder.block.0.cross_attention"
    part: float
    total: float

    def __str__(self) -> str:
        return f"{self.block}: {format_number(self.part, sign='+')}, sum so far {format_number(self.total, sign='+')}"
