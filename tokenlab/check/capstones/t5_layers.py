"""Checks of the second capstone: the sublayers with their norms and residual connections, the stacks, and the loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import gelu

from tokenlab.check.capstones import t5_values as tiny
from tokenlab.check.capstones.t5_values import SEEDS, sizes, with_rules
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.tensor_check import Watched, random_ids, random_tensors, tensor_check
from tokenlab.minimal import t5

NOT_TRANSPOSED = "A matrix of the file has a row for each output number: multiply by its transpose, `.T`."
NORMED_RESIDUAL = "The output is added to the hidden states themselves, not to their normalized copy."
NORM_AFTER = "The norm comes before the sublayer. The sum is not normalized."
NO_FINAL_NORM = "A final RMS norm follows the last layer."
NO_RESIDUAL = "The residual connection adds the hidden states to the output."


# Self-attention.


def _attention_arguments(
    batch: int, length: int, d_model: int, heads: int, d_kv: int, seed: int
) -> tuple[Tensor, dict[str, Tensor], int, Tensor]:
    tensor = random_tensors(seed + 100)
    w = tiny.attention_weights(seed, d_model, heads * d_kv)
    return tensor(batch, length, d_model), w, heads, tensor(1, heads, length, length)


def _added(stack: str) -> Tensor:
    return tiny.seen()[f"{stack}.block.0.self_attention.added"]


def _self_attention_point(stack: str, number: int) -> dict[str, Watched]:
    """Return the sum of a self-attention sublayer: its input and the output that `watch` records."""
    name = f"{stack}.block.{number}.self_attention.output"

    def before() -> Tensor:
        return tiny.seen()[f"{stack}.block.{number - 1}.output" if number else f"{stack}.embedded"]

    def arguments() -> tuple[Any, ...]:
        return before(), tiny.sublayer(f"{stack}.block.{number}.layer.0"), tiny.config()["num_heads"], _added(stack)

    return {name: Watched(arguments, lambda: before() + tiny.seen()[name])}


def _normed(x: Tensor, given: Sequence[Any]) -> Tensor:
    """Normalize the hidden states with the weights among the other arguments of a sublayer."""
    return t5.rms_norm(x, next(one for one in given if isinstance(one, dict))["layer_norm"])


def _with_normed_residual(sublayer: Any) -> Any:
    return lambda x, *given: _normed(x, given) + (sublayer(x, *given) - x)


def _without_residual(sublayer: Any) -> Any:
    return lambda x, *given: sublayer(x, *given) - x


def _transposed(w: t5.Weights) -> dict[str, Tensor]:
    return {name: matrix.t() for name, matrix in w.items()}


_ATTENTION_WITHOUT_NORM = with_rules(t5.cached_sublayer, rms_norm=lambda x, weight: x)


t5_self_attention = tensor_check(
    t5.self_attention_sublayer,
    _attention_arguments,
    lambda: sizes(2, 3, 4, 2, 2),
    "Normalize x. Project it with q, k and v, split the heads and attend. Project the result with o, and add it to x.",
    examples=[(1, 1, 2, 1, 2, 0), (2, 3, 4, 2, 3, 1), (1, 2, 4, 2, 2, 2)],
    watched={
        **_self_attention_point("encoder", 0),
        **_self_attention_point("encoder", 1),
        **_self_attention_point("decoder", 1),
    },
    wrong=(
        (lambda x, w, heads, added: t5.self_attention_sublayer(x, _transposed(w), heads, added), NOT_TRANSPOSED),
        (_with_normed_residual(t5.self_attention_sublayer), NORMED_RESIDUAL),
        (lambda x, *given: _normed(_ATTENTION_WITHOUT_NORM(x, *given, None)[0], given), NORM_AFTER),
        (_without_residual(t5.self_attention_sublayer), NO_RESIDUAL),
        (
            lambda *given: _ATTENTION_WITHOUT_NORM(*given, None)[0],
            "Queries, keys and values come from the normalized hidden states.",
        ),
        (
            lambda x, w, *given: t5.self_attention_sublayer(x, {**w, "o": torch.eye(len(w["q"]))}, *given),
            "The matrix o projects the joined heads.",
        ),
    ),
)


# Feed-forward.


def _feed_forward_arguments(batch: int, length: int, d_model: int, d_ff: int, seed: int) -> tuple[Any, ...]:
    return random_tensors(seed + 100)(batch, length, d_model), tiny.feed_forward_weights(seed, d_model, d_ff)


def _feed_forward_point(stack: str, number: int) -> dict[str, Watched]:
    """Return the output of a block: the sum of its feed-forward sublayer, its last one."""
    name, block = f"{stack}.block.{number}.output", f"{stack}.block.{number}"

    def arguments() -> tuple[Any, ...]:
        output = tiny.seen()[f"{block}.feed_forward.output"]
        return tiny.seen()[name] - output, tiny.sublayer(f"{block}.layer.{1 if stack == 'encoder' else 2}")

    return {name: Watched(arguments, lambda: tiny.seen()[name])}


def _fed(x: Tensor, w: t5.Weights, activation: Any) -> Tensor:
    output: Tensor = x + activation(t5.rms_norm(x, w["layer_norm"]) @ w["wi"].T) @ w["wo"].T
    return output


_FEED_FORWARD_WITHOUT_NORM = with_rules(t5.feed_forward_sublayer, rms_norm=lambda x, weight: x)

t5_feed_forward = tensor_check(
    t5.feed_forward_sublayer,
    _feed_forward_arguments,
    lambda: sizes(2, 3, 4, 4),
    "Normalize x, multiply by the transpose of wi, replace negative numbers by 0, multiply by the transpose of wo, and "
    "add x.",
    examples=[(1, 1, 2, 2, 0), (2, 3, 4, 6, 1)],
    watched={**_feed_forward_point("encoder", 0), **_feed_forward_point("decoder", 1)},
    wrong=(
        (lambda x, w: t5.feed_forward_sublayer(x, _transposed(w)), NOT_TRANSPOSED),
        (lambda x, w: _fed(x, w, lambda hidden: hidden), "ReLU replaces negative numbers by 0."),
        (lambda x, w: x + (_fed(x, w, lambda hidden: hidden) - x).relu(), "ReLU comes between the two matrices."),
        (lambda x, w: _fed(x, w, gelu), "The configuration of the tiny T5 says ReLU, not GELU."),
        (_with_normed_residual(t5.feed_forward_sublayer), NORMED_RESIDUAL),
        (lambda x, w: _normed(_FEED_FORWARD_WITHOUT_NORM(x, w), [w]), NORM_AFTER),
        (_without_residual(t5.feed_forward_sublayer), NO_RESIDUAL),
        (_FEED_FORWARD_WITHOUT_NORM, "The feed-forward sublayer reads the normalized hidden states."),
    ),
)


# Cross-attention.


def _cross_arguments(
    batch: int, length: int, source: int, d_model: int, heads: int, d_kv: int, seed: int
) -> tuple[Any, ...]:
    tensor = random_tensors(seed + 100)
    w = tiny.attention_weights(seed, d_model, heads * d_kv)
    return tensor(batch, length, d_model), tensor(batch, source, d_model), w, heads, tensor(batch, 1, 1, source)


def _cross_point(number: int) -> dict[str, Watched]:
    block = f"decoder.block.{number}"
    name = f"{block}.cross_attention.output"

    def before() -> Tensor:
        return tiny.seen()[f"{block}.output"] - tiny.seen()[f"{block}.feed_forward.output"] - tiny.seen()[name]

    def arguments() -> tuple[Any, ...]:
        mask = t5.padding_mask(tiny.batch()["attention_mask"])
        w = tiny.sublayer(f"{block}.layer.1")
        return before(), tiny.seen()["encoder.output"], w, tiny.config()["num_heads"], mask

    return {name: Watched(arguments, lambda: before() + tiny.seen()[name])}


t5_cross_attention = tensor_check(
    t5.cross_attention_sublayer,
    _cross_arguments,
    lambda: sizes(2, 2, 3, 3, 2, 2),
    "Queries come from the normalized x, keys and values from the encoder's output. Project the result with o, and add "
    "it to x.",
    examples=[(1, 1, 2, 2, 1, 2, 0), (2, 2, 3, 4, 2, 2, 1)],
    watched={**_cross_point(0), **_cross_point(1)},
    wrong=(
        (
            lambda x, encoded, w, *given: t5.cross_attention_sublayer(x, _normed(encoded, [w]), w, *given),
            "The encoder's output is already normalized. The norm of this sublayer is for x only.",
        ),
        (
            with_rules(t5.cross_attention_sublayer, rms_norm=lambda x, weight: x),
            "The queries come from the normalized x.",
        ),
        (
            lambda x, encoded, w, heads, mask: t5.cross_attention_sublayer(
                x, _normed(x, [w]), w, heads, 0 * mask[..., :1]
            ),
            "The keys and values come from the encoder's output.",
        ),
        (_without_residual(t5.cross_attention_sublayer), NO_RESIDUAL),
        (_with_normed_residual(t5.cross_attention_sublayer), NORMED_RESIDUAL),
        (
            lambda x, encoded, w, heads, mask: t5.cross_attention_sublayer(x, encoded, w, heads, 0 * mask),
            "The mask is added to the scores, so that padding of the source is hidden.",
        ),
    ),
)


# The encoder.


def _encoder_arguments(rows: int, length: int, layers: int, heads: int, d_kv: int, seed: int) -> tuple[Any, ...]:
    return (*tiny.random_sources(seed, rows, length), *tiny.random_t5(seed, layers, heads, d_kv))


def _model_cases() -> Strategy:
    return st.tuples(
        st.integers(1, 2), st.integers(1, 4), st.integers(1, 2), st.integers(1, 2), st.integers(1, 2),
        st.sampled_from(SEEDS),
    )  # fmt: skip


def _bias_once(x: Tensor, w: t5.Weights, heads: int, added: Tensor, cache: Any = None) -> Any:
    """Leave out the bias in all layers but the first one, which has the table of biases."""
    if "relative_attention_bias" not in w:
        added = added.where(added < t5.LOWEST / 2, 0.0)  # the mask alone
    return t5.cached_sublayer(x, w, heads, added, cache)


def _other_buckets(table: Tensor, queries: int, keys: int, bidirectional: bool) -> Tensor:
    return t5.bias(table, queries, keys, not bidirectional)


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
            with_rules(t5.encoder, self_attention_sublayer=lambda *given: _bias_once(*given)[0]),
            "The first layer stores the table of biases, but every layer adds the bias.",
        ),
        (with_rules(t5.encoder, rms_norm=lambda x, weight: x), NO_FINAL_NORM),
        (
            lambda ids, mask, *given: t5.encoder(ids, mask * 0 + 1, *given),
            "The padding mask hides the padding of shorter texts.",
        ),
        (
            with_rules(t5.encoder, bias=_other_buckets),
            "The encoder looks in both directions, so its buckets are bidirectional.",
        ),
        (with_rules(t5.encoder, embed=lambda ids, table: 2 * table[ids]), "The embeddings are not scaled."),
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


def _decoder(**rules: Any) -> Any:
    return with_rules(t5.decoder, extend=with_rules(t5.extend, **rules))


def _cross_attention_first(*given: Any) -> Any:
    later: list[Any] = []

    def postponed(x: Tensor, *sublayer: Any) -> tuple[Tensor, Any]:
        later[:] = sublayer
        return x, None

    def both(x: Tensor, *sublayer: Any) -> Any:
        return t5.cached_sublayer(t5.cross_attention_sublayer(x, *sublayer), *later)[0]

    return _decoder(cached_sublayer=postponed, cross_attention_sublayer=both)(*given)


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
        (
            _decoder(causal_mask=lambda length: 0 * t5.causal_mask(length)),
            "The causal mask hides the tokens that come later.",
        ),
        (_decoder(bias=_other_buckets), "The decoder looks back only, so its buckets are not bidirectional."),
        (_cross_attention_first, "The order of the sublayers is self-attention, cross-attention, feed-forward."),
        (
            lambda ids, encoded, mask, *given: t5.decoder(ids, encoded, mask * 0 + 1, *given),
            "The padding mask of the source is added in cross-attention.",
        ),
        (
            _decoder(cached_sublayer=_bias_once),
            "The first layer stores the table of biases, but every layer adds the bias.",
        ),
        (_decoder(rms_norm=lambda x, weight: x), NO_FINAL_NORM),
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
            lambda *given: t5.tied_logits(*given).softmax(-1),
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
            lambda *given: _negative_log(*given).mean(),
            "Divide by the number of labels that are not -100. Padding does not count.",
        ),
        (
            lambda logits, labels: _negative_log(logits, labels.clamp(min=0)).mean(),
            "A label of -100 is ignored. It is not replaced by the id 0.",
        ),
        (lambda *given: _negative_log(*given).sum(), "The loss is a mean, not a sum."),
        (
            lambda logits, labels: t5.mean_loss(logits[:, :-1], labels[:, 1:]),
            "Position t of the logits predicts `labels[:, t]`. The decoder's input was shifted, so the labels are not.",
        ),
        (lambda *given: t5.mean_loss(*given) / 0.6931471805599453, "The logarithm is the natural logarithm."),
        (_mean_of_rows, "All labels of the batch have the same weight, in short texts and in long ones."),
        (
            lambda logits, labels: _negative_log(logits.log_softmax(-1).exp(), labels).sum() / (labels != -100).sum(),
            "The softmax is applied once. `cross_entropy` and `log_softmax` expect logits, not probabilities.",
        ),
    ),
)
