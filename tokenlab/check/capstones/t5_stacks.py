"""Checks of the second capstone: encoder, decoder, logits and loss."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from tokenlab.check.capstones import t5_values as tiny
from tokenlab.check.capstones.t5_parts import SEEDS, sizes
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.tensor_check import Watched, random_ids, random_tensors, tensor_check
from tokenlab.minimal import t5

NO_FINAL_NORM = "A final RMS norm follows the last layer."

# The encoder.


def _encoder_arguments(rows: int, length: int, layers: int, heads: int, d_kv: int, seed: int) -> tuple[Any, ...]:
    return (*tiny.random_sources(seed, rows, length), *tiny.random_t5(seed, layers, heads, d_kv))


def _model_cases() -> Strategy:
    return st.tuples(
        st.integers(1, 2), st.integers(1, 4), st.integers(1, 2), st.integers(1, 2), st.integers(1, 2),
        st.sampled_from(SEEDS),
    )  # fmt: skip


def _encoded(ids: Tensor, attention_mask: Tensor, weights: t5.Weights, config: t5.Config, **changed: Any) -> Tensor:
    """Return the encoder's output with one changed rule."""
    x, heads = weights["shared.weight"][ids] * changed.get("factor", 1), config["num_heads"]
    table = weights["encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"]
    bias = t5.bias(table, x.shape[1], x.shape[1], changed.get("bidirectional", True))
    mask = t5.padding_mask(attention_mask if changed.get("masked", True) else attention_mask * 0 + 1)
    for n in range(config["num_layers"]):
        added = mask if n and changed.get("bias_once") else bias + mask
        x = t5.self_attention_sublayer(x, t5.sublayer_weights(weights, f"encoder.block.{n}.layer.0"), heads, added)
        x = t5.feed_forward_sublayer(x, t5.sublayer_weights(weights, f"encoder.block.{n}.layer.1"))
    return t5.rms_norm(x, weights["encoder.final_layer_norm.weight"]) if changed.get("final", True) else x


t5_encoder = tensor_check(
    t5.encoder,
    _encoder_arguments,
    _model_cases,
    "Look up the embeddings. Add the bias of the first layer and the padding mask in every layer. Each layer is "
    "self-attention and feed-forward. Normalize the result.",
    examples=[(1, 2, 1, 1, 2, 0), (2, 3, 2, 2, 2, 1)],
    watched=tiny.watched(
        lambda: (tiny.batch()["input_ids"], tiny.batch()["attention_mask"], tiny.weights(), tiny.config()),
        "encoder.output",
    ),
    wrong=(
        (
            lambda *given: _encoded(*given, bias_once=True),
            "The first layer stores the table of biases, but every layer adds the bias.",
        ),
        (lambda *given: _encoded(*given, final=False), NO_FINAL_NORM),
        (lambda *given: _encoded(*given, masked=False), "The padding mask hides the padding of shorter texts."),
        (
            lambda *given: _encoded(*given, bidirectional=False),
            "The encoder looks in both directions, so its buckets are bidirectional.",
        ),
        (lambda *given: _encoded(*given, factor=2), "The embeddings are not scaled."),
    ),
    tried=40,
)


# The decoder.


def _decoder_arguments(
    rows: int, length: int, layers: int, heads: int, d_kv: int, seed: int
) -> tuple[Tensor, Tensor, Tensor, dict[str, Tensor], dict[str, Any]]:
    weights, config = tiny.random_t5(seed, layers, heads, d_kv)
    _, mask = tiny.random_sources(seed, rows, 3)
    return random_ids(seed + 1, 9, rows, length), random_tensors(seed)(rows, 3, 4), mask, weights, config


def _decoded(
    ids: Tensor, encoded: Tensor, attention_mask: Tensor, weights: t5.Weights, config: t5.Config, **changed: Any
) -> Tensor:
    """Return the decoder's output with one changed rule."""
    x, heads = weights["shared.weight"][ids], config["num_heads"]
    table = weights["decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"]
    bias = t5.bias(table, x.shape[1], x.shape[1], changed.get("bidirectional", False))
    causal = t5.causal_mask(x.shape[1]) if changed.get("causal", True) else 0
    mask = t5.padding_mask(attention_mask if changed.get("masked", True) else attention_mask * 0 + 1)
    for n in range(config["num_decoder_layers"]):
        w = [t5.sublayer_weights(weights, f"decoder.block.{n}.layer.{part}") for part in range(3)]
        added = causal + (0 * bias if n and changed.get("bias_once") else bias)
        if changed.get("cross_first"):
            x = t5.cross_attention_sublayer(x, encoded, w[1], heads, mask)
        x = t5.self_attention_sublayer(x, w[0], heads, added)
        if not changed.get("cross_first"):
            x = t5.cross_attention_sublayer(x, encoded, w[1], heads, mask)
        x = t5.feed_forward_sublayer(x, w[2])
    return t5.rms_norm(x, weights["decoder.final_layer_norm.weight"]) if changed.get("final", True) else x


t5_decoder = tensor_check(
    t5.decoder,
    _decoder_arguments,
    _model_cases,
    "Add the bias of the first layer and the causal mask in the self-attention of every layer. Each layer is "
    "self-attention, cross-attention with the padding mask of the source, and feed-forward. Normalize the result.",
    examples=[(1, 2, 1, 1, 2, 0), (2, 3, 2, 2, 2, 1), (1, 12, 1, 1, 2, 2)],
    watched=tiny.watched(
        lambda: (
            tiny.batch()["decoder_input_ids"],
            tiny.seen()["encoder.output"],
            tiny.batch()["attention_mask"],
            tiny.weights(),
            tiny.config(),
        ),
        "decoder.output",
    ),
    wrong=(
        (lambda *given: _decoded(*given, causal=False), "The causal mask hides the tokens that come later."),
        (
            lambda *given: _decoded(*given, bidirectional=True),
            "The decoder looks back only, so its buckets are not bidirectional.",
        ),
        (
            lambda *given: _decoded(*given, cross_first=True),
            "The order of the sublayers is self-attention, cross-attention, feed-forward.",
        ),
        (
            lambda *given: _decoded(*given, masked=False),
            "The padding mask of the source is added in cross-attention.",
        ),
        (
            lambda *given: _decoded(*given, bias_once=True),
            "The first layer stores the table of biases, but every layer adds the bias.",
        ),
        (lambda *given: _decoded(*given, final=False), NO_FINAL_NORM),
    ),
    tried=40,
)


# Logits and loss.


def _states_and_table(batch: int, length: int, d_model: int, vocab_size: int, seed: int) -> tuple[Tensor, Tensor]:
    tensor = random_tensors(seed)
    return tensor(batch, length, d_model), tensor(vocab_size, d_model)


t5_logits = tensor_check(
    t5.tied_logits,
    _states_and_table,
    lambda: sizes(2, 3, 4, 4),
    "A logit is the dot product of a hidden state and an embedding, divided by the square root of d_model.",
    examples=[(1, 1, 2, 2, 0), (2, 3, 4, 5, 1)],
    watched={
        "logits": Watched(
            lambda: (tiny.seen()["decoder.output"], tiny.weights()["shared.weight"]), lambda: tiny.seen()["logits"]
        )
    },
    wrong=(
        (
            lambda x, table: x @ table.T,
            "The embeddings of a T5 are tied, so the hidden states are multiplied by d_model to the power -0.5.",
        ),
        (lambda x, table: x @ table.T / x.shape[-1], "Divide by the square root of d_model, not by d_model."),
        (
            lambda x, table: t5.tied_logits(x, table).softmax(-1),
            "Return logits. The softmax turns them into probabilities later.",
        ),
        (
            lambda x, table: x * x.shape[-1] ** 0.5 @ table.T,
            "Divide by the square root of d_model; do not multiply by it.",
        ),
    ),
)


def _logits_and_labels(batch: int, length: int, vocab_size: int, ignored: int, seed: int) -> tuple[Tensor, Tensor]:
    labels = random_ids(seed, vocab_size, batch, length)
    labels.view(-1)[max(1, labels.numel() - ignored) :] = -100
    return random_tensors(seed)(batch, length, vocab_size), labels


def _label_cases() -> Strategy:
    return st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(2, 4), st.integers(0, 3), st.sampled_from(SEEDS))


def _negative_log(logits: Tensor, labels: Tensor) -> Tensor:
    """Return -ln p of each label, and 0 for -100."""
    log_p = logits.log_softmax(-1).gather(-1, labels.clamp(min=0)[..., None])[..., 0]
    return -log_p * (labels != -100)


def _mean_of_rows(logits: Tensor, labels: Tensor) -> Tensor:
    rows = [t5.mean_loss(one, label) for one, label in zip(logits, labels, strict=True) if (label != -100).any()]
    return sum(rows[1:], rows[0]) / len(rows)


t5_loss = tensor_check(
    t5.mean_loss,
    _logits_and_labels,
    _label_cases,
    "The loss is the mean of -ln p over all labels of the batch that are not -100.",
    examples=[(1, 1, 2, 0, 0), (1, 2, 2, 1, 1), (2, 3, 4, 2, 2)],
    watched={"loss": Watched(lambda: (tiny.seen()["logits"], tiny.batch()["labels"]), lambda: tiny.seen()["loss"])},
    wrong=(
        (
            lambda logits, labels: _negative_log(logits, labels).mean(),
            "Divide by the number of labels that are not -100. Padding does not count.",
        ),
        (
            lambda logits, labels: _negative_log(logits, labels.clamp(min=0)).mean(),
            "A label of -100 is ignored. It is not replaced by the id 0.",
        ),
        (lambda logits, labels: _negative_log(logits, labels).sum(), "The loss is a mean, not a sum."),
        (
            lambda logits, labels: t5.mean_loss(logits[:, :-1], labels[:, 1:]),
            "Position t of the logits predicts `labels[:, t]`. The decoder's input was shifted, so the labels are not.",
        ),
        (
            lambda logits, labels: t5.mean_loss(logits, labels) / 0.6931471805599453,
            "The logarithm is the natural logarithm.",
        ),
        (_mean_of_rows, "All labels of the batch have the same weight, in short texts and in long ones."),
        (
            lambda logits, labels: _negative_log(logits.log_softmax(-1).exp(), labels).sum() / (labels != -100).sum(),
            "The softmax is applied once. `cross_entropy` and `log_softmax` expect logits, not probabilities.",
        ),
    ),
)
