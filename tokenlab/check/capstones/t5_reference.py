"""The parts of a T5 that learners build in the second capstone: functions of tensors, as short as the formulas.

Adds: the reference of each task. A sublayer's weights are a dictionary with the keys "q", "wi" or "layer_norm".
Leaves out: dropout, gated feed-forward sublayers, pruned heads, batches in generation.
Source: transformers 4.26.1, models/t5/modeling_t5.py; Raffel et al. 2020, section 2.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from tokenlab.algorithms.decoding.beam_step import FINISHED, KEPT, candidate_status

if TYPE_CHECKING:
    from torch import Tensor

Weights: TypeAlias = "Mapping[str, Tensor]"
Config: TypeAlias = Mapping[str, Any]
Cache: TypeAlias = "Sequence[tuple[Tensor, Tensor]]"  # the keys and values of each layer
NextLogits: TypeAlias = "Callable[[Tensor, Any], tuple[Tensor, Any]]"  # (newest ids, cache) to (logits, cache)


def embed(ids: Tensor, table: Tensor) -> Tensor:
    """Return the embedding of each id: (batch, length) to (batch, length, d_model)."""
    return table[ids]


def rms_norm(x: Tensor, weight: Tensor) -> Tensor:
    """Divide each vector of (batch, length, d_model) by its root mean square, and multiply it by the weights."""
    return x / (x.pow(2).mean(-1, keepdim=True) + 1e-6).sqrt() * weight


def buckets(relative_position: Tensor, bidirectional: bool) -> Tensor:
    """Return the bucket of each relative position, for 32 buckets and the maximum distance 128.

    >>> import torch
    >>> buckets(torch.tensor([[-9, 0, 9]]), True)
    tensor([[ 8,  0, 24]])
    """
    import torch

    number = 16 if bidirectional else 32
    first = (relative_position > 0) * (number if bidirectional else 0)
    distance = relative_position.abs() if bidirectional else (-relative_position).clamp(min=0)
    half = number // 2
    shared = half + (half * torch.log(distance.clamp(min=half) / half) / math.log(128 / half)).long()
    return first + torch.where(distance < half, distance, shared.clamp(max=number - 1))


def bias(table: Tensor, queries: int, keys: int, bidirectional: bool) -> Tensor:
    """Return the position bias (1, heads, queries, keys); the queries are the last positions."""
    import torch

    places = torch.arange(keys)
    return table[buckets(places - places[keys - queries :, None], bidirectional)].permute(2, 0, 1)[None]


def split_heads(x: Tensor, heads: int) -> Tensor:
    """Split (batch, length, heads * d_kv) into (batch, heads, length, d_kv)."""
    return x.reshape(*x.shape[:2], heads, -1).transpose(1, 2)


def attention(q: Tensor, k: Tensor, v: Tensor, added: Tensor) -> Tensor:
    """Return softmax(QK' + added) V of each head, the heads side by side: (batch, queries, heads * d_kv)."""
    weights = (q @ k.transpose(2, 3) + added).softmax(-1)
    return (weights @ v).transpose(1, 2).flatten(2)


def lowest() -> float:
    """Return the lowest finite float of 32 bits, which a mask adds to a hidden score."""
    import torch

    return float(torch.finfo(torch.float32).min)


def causal_mask(length: int) -> Tensor:
    """Return (1, 1, length, length): 0 for a key that is not later than its query, the lowest float elsewhere."""
    import torch

    return torch.full((1, 1, length, length), lowest()).triu(1)


def padding_mask(attention_mask: Tensor) -> Tensor:
    """Turn (batch, keys), 1 for a token and 0 for padding, into (batch, 1, 1, keys): 0 and the lowest float."""
    return (attention_mask[:, None, None] == 0) * lowest()


def self_attention_sublayer(x: Tensor, w: Weights, heads: int, added: Tensor) -> Tensor:
    """Add the self-attention of the normalized hidden states to the hidden states."""
    normed = rms_norm(x, w["layer_norm"])
    q, k, v = (split_heads(normed @ w[name].T, heads) for name in "qkv")
    return x + attention(q, k, v, added) @ w["o"].T


def feed_forward_sublayer(x: Tensor, w: Weights) -> Tensor:
    """Add the feed-forward output of the normalized hidden states to the hidden states."""
    return x + (rms_norm(x, w["layer_norm"]) @ w["wi"].T).relu() @ w["wo"].T


def sublayer_weights(weights: Weights, name: str) -> dict[str, Tensor]:
    """Return the weights of one sublayer: the names that start with `name`, by their last word but one."""
    return {key.split(".")[-2]: tensor for key, tensor in weights.items() if key.startswith(f"{name}.")}


def encoder(ids: Tensor, attention_mask: Tensor, weights: Weights, config: Config) -> Tensor:
    """Return the encoder's output (batch, length, d_model)."""
    x = embed(ids, weights["shared.weight"])
    first = sublayer_weights(weights, "encoder.block.0.layer.0")
    added = bias(first["relative_attention_bias"], x.shape[1], x.shape[1], True) + padding_mask(attention_mask)
    for n in range(config["num_layers"]):
        x = self_attention_sublayer(
            x, sublayer_weights(weights, f"encoder.block.{n}.layer.0"), config["num_heads"], added
        )
        x = feed_forward_sublayer(x, sublayer_weights(weights, f"encoder.block.{n}.layer.1"))
    return rms_norm(x, weights["encoder.final_layer_norm.weight"])


def cross_attention_sublayer(x: Tensor, encoded: Tensor, w: Weights, heads: int, mask: Tensor) -> Tensor:
    """Add the cross-attention of the normalized hidden states to the encoder's output to the hidden states."""
    q = split_heads(rms_norm(x, w["layer_norm"]) @ w["q"].T, heads)
    k, v = (split_heads(encoded @ w[name].T, heads) for name in "kv")
    return x + attention(q, k, v, mask) @ w["o"].T


def decoder(ids: Tensor, encoded: Tensor, attention_mask: Tensor, weights: Weights, config: Config) -> Tensor:
    """Return the decoder's output (batch, length, d_model) for the ids that it reads."""
    x, heads = embed(ids, weights["shared.weight"]), config["num_heads"]
    first = sublayer_weights(weights, "decoder.block.0.layer.0")
    added = bias(first["relative_attention_bias"], x.shape[1], x.shape[1], False) + causal_mask(x.shape[1])
    for n in range(config["num_decoder_layers"]):
        w = [sublayer_weights(weights, f"decoder.block.{n}.layer.{part}") for part in range(3)]
        x = self_attention_sublayer(x, w[0], heads, added)
        x = cross_attention_sublayer(x, encoded, w[1], heads, padding_mask(attention_mask))
        x = feed_forward_sublayer(x, w[2])
    return rms_norm(x, weights["decoder.final_layer_norm.weight"])


def tied_logits(x: Tensor, table: Tensor) -> Tensor:
    """Return the logits (batch, length, vocab_size): scaled dot products with the embeddings."""
    logits: Tensor = x * x.shape[-1] ** -0.5 @ table.T
    return logits


def mean_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Return the mean cross-entropy of the labels (batch, length) that are not -100."""
    log_p = logits.log_softmax(-1).gather(-1, labels.clamp(min=0)[..., None])[..., 0]
    mean: Tensor = -log_p[labels != -100].mean()
    return mean


def cached_sublayer(
    x: Tensor, w: Weights, heads: int, added: Tensor, cache: tuple[Tensor, Tensor]
) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    """Return the self-attention sublayer's output for new positions, and the cache with their keys and values."""
    import torch

    normed = rms_norm(x, w["layer_norm"])
    q, k, v = (split_heads(normed @ w[name].T, heads) for name in "qkv")
    k, v = torch.cat([cache[0], k], dim=2), torch.cat([cache[1], v], dim=2)
    return x + attention(q, k, v, added) @ w["o"].T, (k, v)


def cached_logits(
    ids: Tensor, cache: Cache, encoded: Tensor, attention_mask: Tensor, weights: Weights, config: Config
) -> tuple[Tensor, list[tuple[Tensor, Tensor]]]:
    """Return the logits (batch, vocab_size) after the newest ids (batch, 1), and the new cache."""
    x, heads, new = embed(ids, weights["shared.weight"]), config["num_heads"], []
    table = sublayer_weights(weights, "decoder.block.0.layer.0")["relative_attention_bias"]
    added = bias(table, 1, cache[0][0].shape[2] + 1, False)
    for n in range(config["num_decoder_layers"]):
        w = [sublayer_weights(weights, f"decoder.block.{n}.layer.{part}") for part in range(3)]
        x, pair = cached_sublayer(x, w[0], heads, added, cache[n])
        x = feed_forward_sublayer(cross_attention_sublayer(x, encoded, w[1], heads, padding_mask(attention_mask)), w[2])
        new.append(pair)
    x = rms_norm(x, weights["decoder.final_layer_norm.weight"])
    return tied_logits(x, weights["shared.weight"])[:, -1], new


def greedy_search(next_logits: NextLogits, cache: Any, max_length: int) -> list[int]:
    """Return the ids from the start id 0 to the end id 1, or to the maximum length."""
    import torch

    ids = [0]
    while ids[-1] != 1 and len(ids) < max_length:
        logits, cache = next_logits(torch.tensor([ids[-1:]]), cache)
        ids.append(int(logits.argmax()))
    return ids


def best_candidates(sums: Tensor, logits: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the sums, beams and tokens of the 2B extended texts with the highest sums, best first."""
    totals = sums[:, None] + logits.log_softmax(-1)  # (beams, vocab_size)
    best, places = totals.flatten().topk(2 * len(sums))
    return best, places // logits.shape[1], places % logits.shape[1]


def reorder_cache(cache: Cache, parents: Sequence[int]) -> list[tuple[Tensor, Tensor]]:
    """Return the cache whose row i is the old row parents[i]."""
    return [(keys[parents], values[parents]) for keys, values in cache]


Beam: TypeAlias = tuple[float, int, list[int]]  # sum, the beam that it extends, ids


def select_beams(
    beams: Sequence[list[int]], sums: Tensor, parents: Tensor, tokens: Tensor
) -> tuple[list[Beam], list[tuple[float, list[int]]]]:
    """Return the beams that continue, and the hypotheses that end, each with its score."""
    going: list[Beam] = []
    ends: list[tuple[float, list[int]]] = []
    candidates = zip(sums.tolist(), parents.tolist(), tokens.tolist(), strict=True)
    for rank, (total, parent, token) in enumerate(candidates):
        status = candidate_status(rank, token == 1, len(going), len(beams))
        if status == KEPT:
            going.append((total, parent, [*beams[parent], token]))
        if status == FINISHED:
            ends.append((total / len(beams[0]), [*beams[parent], 1]))
    return going, ends


def beam_search(next_logits: NextLogits, cache: Any, num_beams: int, max_length: int) -> list[int]:
    """Return the ids of the hypothesis with the best score: the sum of its log-probabilities over its length."""
    import torch

    beams, totals = [[0]] * num_beams, [0.0] + [-1e9] * (num_beams - 1)
    pool: list[tuple[float, list[int]]] = []
    while len(beams[0]) < max_length:
        logits, cache = next_logits(torch.tensor([ids[-1:] for ids in beams]), cache)
        sums, parents, tokens = best_candidates(torch.tensor(totals), logits)
        going, ends = select_beams(beams, sums, parents, tokens)
        pool = sorted(pool + ends)[-num_beams:]
        if len(pool) == num_beams and pool[0][0] >= sums[0].item() / len(beams[0]):
            return pool[-1][1]
        cache = reorder_cache(cache, [parent for _, parent, _ in going])
        beams, totals = [ids for _, _, ids in going], [total for total, _, _ in going]
    return max(pool + [(total / max_length, ids) for total, ids in zip(totals, beams, strict=True)])[1]


class ReferenceT5:
    """A T5 for generation from a dictionary of weights."""

    def __init__(self, weights: Weights, config: Config) -> None:
        self.weights, self.config = weights, config

    def translate(self, ids: list[int], num_beams: int) -> list[int]:
        """Return the generated ids for the ids of one source, by greedy search or, with several beams, beam search."""
        import torch

        source, config = torch.tensor([ids]), self.config
        attention_mask = torch.ones_like(source)
        encoded = encoder(source, attention_mask, self.weights, config)
        empty = torch.zeros(num_beams, config["num_heads"], 0, config["d_kv"])
        cache = [(empty, empty)] * config["num_decoder_layers"]

        def next_logits(newest: Tensor, cache: Any) -> tuple[Tensor, Any]:
            return cached_logits(newest, cache, encoded, attention_mask, self.weights, config)

        if num_beams == 1:
            return greedy_search(next_logits, cache, 40)
        return beam_search(next_logits, cache, num_beams, 40)
