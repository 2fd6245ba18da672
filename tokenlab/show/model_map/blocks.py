"""The blocks of a T5 by name: the label on the map, the formula, and what the block does, in one sentence."""

from __future__ import annotations

from typing import NamedTuple


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
    "norm": Block("norm", "RMS norm", "x / rms(x) * w", "Each row is divided by its root mean square (rms)."),
    "self_attention": Block(
        "self-attention", "self-attention", "", "Each row gets a weighted sum of values of the same text."
    ),
    "cross_attention": Block(
        "cross-attention", "cross-attention", "", "Each decoder row gets a weighted sum of values of the encoder."
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
    """Return the description of a block by its full name.

    >>> block_of("encoder.block.0.self_attention.scores").name, block_of("encoder.ids").label
    ('scores', 'ids')
    """
    parts = name.split(".")
    if len(parts) == 4:
        return LAYER_OUTPUT
    return (ENDS if len(parts) == 2 else PARTS | {n: SUBLAYERS[n] for n in ("norm", "residual")})[parts[-1]]
