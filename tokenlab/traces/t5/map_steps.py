"""The steps of a walk through a T5: the table that one block computes, and how one of its numbers is made.

Adds: what each kind of block does, in one sentence, with its label on the map and its formula. These classes do not
import PyTorch, so that a recording can be loaded and drawn without it.
"""

from __future__ import annotations

from typing import NamedTuple

from tokenlab.algorithms.vectors import Row
from tokenlab.printing.printed_numbers import format_number
from tokenlab.steps.recording import step


class Block(NamedTuple):
    """A kind of block."""

    label: str  # on the map
    name: str  # in captions
    formula: str
    said: str  # what it does


ENDS = {
    "ids": Block("ids", "ids", "", "The tokenizer has replaced each token by its id, a row number of the embedding."),
    "embedding": Block(
        "embedding", "embedding", "x = E[id]", "Each id selects one row of the embedding table: the first hidden state."
    ),
    "final_norm": Block(
        "RMS norm", "final RMS norm", "x / rms(x) * w", "The hidden states after the last layer are scaled once more."
    ),
    "logits": Block(
        "output layer",
        "output layer",
        "logit = x / sqrt(d_model) · E[token]",
        "A logit is the dot product of a hidden state with the embedding of a token.",
    ),
    "probabilities": Block(
        "softmax", "softmax", "p = exp(logit) / sum", "The logits of a row become probabilities that sum to 1."
    ),
    "loss": Block(
        "loss",
        "cross-entropy",
        "loss = mean of -ln p(label)",
        "The loss of a row is -ln of the correct token's probability. The loss of the text is the mean of all rows.",
    ),
}
SUBLAYERS = {
    "norm": Block(
        "norm",
        "RMS norm",
        "x / rms(x) * w",
        "Each row is divided by its root mean square (rms), and multiplied by learned weights w.",
    ),
    "self_attention": Block(
        "self-attention", "self-attention", "", "Each row gets a weighted sum of values of the same text."
    ),
    "cross_attention": Block(
        "cross-attention",
        "cross-attention",
        "",
        "Each decoder row gets a weighted sum of values of the encoder.",
    ),
    "feed_forward": Block("feed-forward", "feed-forward layer", "", "Each row is transformed on its own."),
    "residual": Block("+", "residual connection", "x + output", "The output is added to the row before the norm."),
}
PARTS = {
    "queries": Block("queries Q", "queries", "Q = norm(x) W_Q", "A query says what a row looks for."),
    "keys": Block("keys K", "keys", "K = norm(x) W_K", "A key is compared with all queries."),
    "values": Block("values V", "values", "V = norm(x) W_V", "A value is what the row of a token gives to others."),
    "scores": Block("scores QKᵀ", "scores", "S = Q Kᵀ", "The score of a query and a key is their dot product."),
    "bias": Block("+ bias", "relative position bias", "S + B", "The bias of this head for each distance is added."),
    "mask": Block(
        "+ mask", "causal mask", "S + M", "Keys after the query (×) get the lowest number, so their weight is 0."
    ),
    "weights": Block(
        "softmax", "softmax", "A = softmax(S + B + M)", "The numbers of each row become weights that sum to 1."
    ),
    "weighted_values": Block(
        "weights A V", "weighted values", "A V", "Each query gets the weighted sum of the values."
    ),
    "concatenation": Block(
        "concatenation",
        "concatenation of the heads",
        "[A V of head 0, head 1, ...]",
        "The rows of all heads are joined.",
    ),
    "activations": Block(
        "activations ReLU(x W_i)",
        "activations",
        "h = ReLU(norm(x) W_i)",
        "The row gets the size d_ff, and negative numbers become 0.",
    ),
    "output": Block(
        "output W_o", "output projection", "out = (joined row) W_o", "The row gets the size d_model again."
    ),
}
LAYER_OUTPUT = Block(
    "layer",
    "output of the layer",
    "",
    "This layer has the same operations as the layer that you chose, with other matrices.",
)


def block_of(name: str) -> Block:
    """Return the description of a block by its full name; an unknown one has only its name.

    >>> block_of("encoder.block.0.self_attention.scores").name, block_of("encoder.ids").label
    ('scores', 'ids')
    """
    parts = name.split(".")
    if len(parts) == 4:
        return LAYER_OUTPUT
    known = ENDS if len(parts) == 2 else PARTS | {n: SUBLAYERS[n] for n in ("norm", "residual")}
    return known.get(parts[-1], Block(parts[-1], parts[-1], "", ""))


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
    """The table that one block of the model computed.

    >>> shape = ("heads", 4), ("queries", 7), ("keys", 7)
    >>> print(BlockComputed("encoder.block.0.self_attention.scores", shape, (), (), (), 0, None))
    Encoder, layer 0, self-attention: scores. The score of a query and a key is their dot product. \
The shape is (heads=4, queries=7, keys=7)
    """

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

    @property
    def place(self) -> str:
        """The name of the block with its place."""
        layer = [f"layer {number}" for number in self.block.split(".")[2:3]]
        part = [self.part.replace("_", "-")] if self.part else []
        return f"{', '.join([self.stack.capitalize(), *layer, *part])}: {block_of(self.block).name}"

    @property
    def said(self) -> str:
        """What the block does, and its shape."""
        shape = ", ".join(f"{name}={size}" for name, size in self.shape)
        return f"{block_of(self.block).said}{f' The shape is ({shape}).' * bool(shape)}".removesuffix(".")

    def __str__(self) -> str:
        return f"{self.place}. {self.said}"


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
