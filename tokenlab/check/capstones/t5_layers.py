"""Checks of the second capstone: the sublayers of a layer, with their norms and residual connections."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from tokenlab.check.capstones import t5_values as tiny
from tokenlab.check.capstones.t5_parts import sizes
from tokenlab.check.tensor_check import Watched, random_tensors, tensor_check
from tokenlab.minimal import t5

NOT_TRANSPOSED = "A matrix of the file has a row for each output number: multiply by its transpose, `.T`."
NORMED_RESIDUAL = "The output is added to the hidden states themselves, not to their normalized copy."
NORM_AFTER = "The norm comes before the sublayer. The sum is not normalized."
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


def _projected(states: Tensor, w: t5.Weights, heads: int, added: Tensor, names: str = "qkv") -> Tensor:
    """Attention over given states, with the output projection and without a residual connection."""
    q, k, v = (t5.split_heads(states @ w[name].T, heads) for name in names)
    return t5.attention(q, k, v, added) @ w["o"].T


def _attention_not_transposed(x: Tensor, w: t5.Weights, heads: int, added: Tensor) -> Tensor:
    normed = t5.rms_norm(x, w["layer_norm"])
    q, k, v = (t5.split_heads(normed @ w[name], heads) for name in "qkv")
    return x + t5.attention(q, k, v, added) @ w["o"]


def _without_output_matrix(x: Tensor, w: t5.Weights, heads: int, added: Tensor) -> Tensor:
    normed = t5.rms_norm(x, w["layer_norm"])
    q, k, v = (t5.split_heads(normed @ w[name].T, heads) for name in "qkv")
    return x + t5.attention(q, k, v, added)


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
        (_attention_not_transposed, NOT_TRANSPOSED),
        (
            lambda x, w, heads, added: (
                t5.rms_norm(x, w["layer_norm"]) + _projected(t5.rms_norm(x, w["layer_norm"]), w, heads, added)
            ),
            NORMED_RESIDUAL,
        ),
        (
            lambda x, w, heads, added: t5.rms_norm(x + _projected(x, w, heads, added), w["layer_norm"]),
            NORM_AFTER,
        ),
        (lambda x, w, heads, added: _projected(t5.rms_norm(x, w["layer_norm"]), w, heads, added), NO_RESIDUAL),
        (
            lambda x, w, heads, added: x + _projected(x, w, heads, added),
            "Queries, keys and values come from the normalized hidden states.",
        ),
        (_without_output_matrix, "The matrix o projects the joined heads."),
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
    output: Tensor = activation(t5.rms_norm(x, w["layer_norm"]) @ w["wi"].T) @ w["wo"].T
    return output


def _gelu(x: Tensor) -> Tensor:
    from torch.nn.functional import gelu

    return gelu(x)


t5_feed_forward = tensor_check(
    t5.feed_forward_sublayer,
    _feed_forward_arguments,
    lambda: sizes(2, 3, 4, 4),
    "Normalize x, multiply by the transpose of wi, replace negative numbers by 0, multiply by the transpose of wo, and "
    "add x.",
    examples=[(1, 1, 2, 2, 0), (2, 3, 4, 6, 1)],
    watched={**_feed_forward_point("encoder", 0), **_feed_forward_point("decoder", 1)},
    wrong=(
        (
            lambda x, w: x + (t5.rms_norm(x, w["layer_norm"]) @ w["wi"]).relu() @ w["wo"],
            NOT_TRANSPOSED,
        ),
        (lambda x, w: x + _fed(x, w, lambda hidden: hidden), "ReLU replaces negative numbers by 0."),
        (lambda x, w: x + _fed(x, w, lambda hidden: hidden).relu(), "ReLU comes between the two matrices."),
        (lambda x, w: x + _fed(x, w, _gelu), "The configuration of the tiny T5 says ReLU, not GELU."),
        (lambda x, w: t5.rms_norm(x, w["layer_norm"]) + _fed(x, w, lambda hidden: hidden.relu()), NORMED_RESIDUAL),
        (lambda x, w: t5.rms_norm(x + (x @ w["wi"].T).relu() @ w["wo"].T, w["layer_norm"]), NORM_AFTER),
        (lambda x, w: _fed(x, w, lambda hidden: hidden.relu()), NO_RESIDUAL),
        (
            lambda x, w: x + (x @ w["wi"].T).relu() @ w["wo"].T,
            "The feed-forward sublayer reads the normalized hidden states.",
        ),
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


def _crossed(queries: Tensor, keys: Tensor, w: t5.Weights, heads: int, mask: Tensor) -> Tensor:
    q = t5.split_heads(queries @ w["q"].T, heads)
    k, v = (t5.split_heads(keys @ w[name].T, heads) for name in "kv")
    return t5.attention(q, k, v, mask) @ w["o"].T


def _normed(x: Tensor, w: t5.Weights) -> Tensor:
    return t5.rms_norm(x, w["layer_norm"])


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
            lambda x, encoded, w, heads, mask: x + _crossed(_normed(x, w), _normed(encoded, w), w, heads, mask),
            "The encoder's output is already normalized. The norm of this sublayer is for x only.",
        ),
        (
            lambda x, encoded, w, heads, mask: x + _crossed(x, encoded, w, heads, mask),
            "The queries come from the normalized x.",
        ),
        (
            lambda x, encoded, w, heads, mask: x + _crossed(_normed(x, w), _normed(x, w), w, heads, 0 * mask[..., :1]),
            "The keys and values come from the encoder's output.",
        ),
        (
            lambda x, encoded, w, heads, mask: _crossed(_normed(x, w), encoded, w, heads, mask),
            NO_RESIDUAL,
        ),
        (
            lambda x, encoded, w, heads, mask: _normed(x, w) + _crossed(_normed(x, w), encoded, w, heads, mask),
            NORMED_RESIDUAL,
        ),
        (
            lambda x, encoded, w, heads, mask: x + _crossed(_normed(x, w), encoded, w, heads, 0 * mask),
            "The mask is added to the scores, so that padding of the source is hidden.",
        ),
    ),
)
