"""A whole T5 on one page: encoder, decoder, cache, loss and greedy search, from a folder with weights to ids.

Run it: python -m tokenlab.minimal.t5 "translate English to German: I drew two trees."

Shapes: B texts, S source tokens, T target tokens, D = d_model, H heads of K = d_kv numbers each, V tokens in all. The
weights of a sublayer have the names "layer_norm", "q", "k", "v", "o" and "relative_attention_bias", or "wi" and "wo".
Leaves out: dropout, gated feed-forward layers, untied embeddings, sampling, beam search (`beam_search.py`).
Sources: Raffel et al. 2020, section 2.1; transformers 4.26.1, models/t5/modeling_t5.py.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import torch
from torch import Tensor

Weights: TypeAlias = Mapping[str, Tensor]
Config: TypeAlias = Mapping[str, Any]  # the settings in config.json: d_model, num_heads, num_layers, ...
Cache: TypeAlias = Sequence[tuple[Tensor, Tensor]]  # self-attention keys and values of each decoder layer: (B, H, T, K)
NextLogits: TypeAlias = Callable[[Tensor, Any], tuple[Tensor, Any]]  # (newest ids, cache) to (logits, cache)
START, END = 0, 1  # the decoder starts with the id of padding; </s> ends a text
LOWEST = torch.finfo(torch.float32).min  # added to the attention score of a masked key


# Embeddings and normalization.
def embed(ids: Tensor, table: Tensor) -> Tensor:
    """Return the embedding of each id: (B, T) and a table (V, D) to (B, T, D).

    >>> embed(torch.tensor([[1, 1]]), torch.tensor([[0.0], [5.0]])).tolist()
    [[[5.0], [5.0]]]
    """
    return table[ids]


def rms_norm(x: Tensor, weight: Tensor) -> Tensor:
    """Divide each vector of (B, T, D) by its root mean square, and multiply it by the weights (D).

    >>> rms_norm(torch.tensor([[[3.0, 3.0]]]), torch.tensor([1.0, 2.0])).round().tolist()
    [[[1.0, 2.0]]]
    """
    return x / (x.pow(2).mean(-1, keepdim=True) + 1e-6).sqrt() * weight


# Relative positions and masks: numbers that are added to the attention scores.
def buckets(relative_position: Tensor, bidirectional: bool) -> Tensor:
    """Return the bucket of each relative position (key - query), for 32 buckets and the maximum distance 128.

    An encoder (bidirectional) has 16 buckets for each direction. Half of the buckets have one distance each, and the
    others have ranges of distances, longer ones for greater distances.

    >>> buckets(torch.tensor([[-9, 0, 9, 200]]), bidirectional=True).tolist()
    [[8, 0, 24, 31]]
    """
    number = 16 if bidirectional else 32
    first = (relative_position > 0) * (number if bidirectional else 0)
    distance = relative_position.abs() if bidirectional else (-relative_position).clamp(min=0)
    half = number // 2
    shared = half + (half * torch.log(distance.clamp(min=half) / half) / math.log(128 / half)).long()
    return first + torch.where(distance < half, distance, shared.clamp(max=number - 1))


def bias(table: Tensor, queries: int, keys: int, bidirectional: bool) -> Tensor:
    """Return the position bias (1, H, queries, keys) from a table (32, H); the queries are the last positions.

    >>> bias(torch.arange(32.0)[:, None], 1, 3, bidirectional=False).tolist()
    [[[[2.0, 1.0, 0.0]]]]
    """
    places = torch.arange(keys)
    return table[buckets(places - places[keys - queries :, None], bidirectional)].permute(2, 0, 1)[None]


def causal_mask(length: int) -> Tensor:
    """Return (1, 1, T, T): 0 for a key that is not later than its query, the lowest float for the others.

    >>> (causal_mask(2) < 0).tolist()
    [[[[False, True], [False, False]]]]
    """
    return torch.full((1, 1, length, length), LOWEST).triu(1)


def padding_mask(attention_mask: Tensor) -> Tensor:
    """Turn (B, S), 1 for a token and 0 for padding, into (B, 1, 1, S): 0 and the lowest float."""
    return (attention_mask[:, None, None] == 0) * LOWEST


# Attention and the three kinds of sublayers. Each adds its output to its input: the residual connection.
def split_heads(x: Tensor, heads: int) -> Tensor:
    """Split (B, T, H * K) into (B, H, T, K)."""
    return x.reshape(*x.shape[:2], heads, -1).transpose(1, 2)


def attention(q: Tensor, k: Tensor, v: Tensor, added: Tensor) -> Tensor:
    """Return softmax(QK' + added) V of each head, the heads side by side: (B, T, H * K). T5 does not divide by sqrt(K).

    >>> one = torch.ones(1, 1, 2, 1)
    >>> attention(one, one, torch.tensor([[[[1.0], [3.0]]]]), causal_mask(2)).tolist()
    [[[1.0], [2.0]]]
    """
    weights = (q @ k.transpose(2, 3) + added).softmax(-1)
    return (weights @ v).transpose(1, 2).flatten(2)


def self_attention_sublayer(x: Tensor, w: Weights, heads: int, added: Tensor) -> Tensor:
    """Add the self-attention of the normalized hidden states to the hidden states (B, T, D)."""
    return cached_sublayer(x, w, heads, added, None)[0]


def cached_sublayer(
    x: Tensor, w: Weights, heads: int, added: Tensor, cache: tuple[Tensor, Tensor] | None
) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    """Return the self-attention sublayer's output for new positions after those in the cache, and the new cache."""
    normed = rms_norm(x, w["layer_norm"])
    q, k, v = (split_heads(normed @ w[name].T, heads) for name in "qkv")
    if cache is not None:
        k, v = torch.cat([cache[0], k], dim=2), torch.cat([cache[1], v], dim=2)
    return x + attention(q, k, v, added) @ w["o"].T, (k, v)


def cross_attention_sublayer(x: Tensor, encoded: Tensor, w: Weights, heads: int, mask: Tensor) -> Tensor:
    """Add the cross-attention from the normalized hidden states to the encoder's output (B, S, D)."""
    q = split_heads(rms_norm(x, w["layer_norm"]) @ w["q"].T, heads)
    k, v = (split_heads(encoded @ w[name].T, heads) for name in "kv")
    return x + attention(q, k, v, mask) @ w["o"].T


def feed_forward_sublayer(x: Tensor, w: Weights) -> Tensor:
    """Add the feed-forward output of the normalized hidden states to the hidden states."""
    return x + (rms_norm(x, w["layer_norm"]) @ w["wi"].T).relu() @ w["wo"].T


# Encoder and decoder.
def sublayer_weights(weights: Weights, name: str) -> dict[str, Tensor]:
    """Return the weights of one sublayer: the names that start with `name`, by their last word but one."""
    return {key.split(".")[-2]: tensor for key, tensor in weights.items() if key.startswith(f"{name}.")}


def encoder(ids: Tensor, attention_mask: Tensor, weights: Weights, config: Config) -> Tensor:
    """Return the encoder's output (B, S, D) for source ids (B, S). All layers share the first one's position bias."""
    x = embed(ids, weights["shared.weight"])
    table = sublayer_weights(weights, "encoder.block.0.layer.0")["relative_attention_bias"]
    added = bias(table, x.shape[1], x.shape[1], bidirectional=True) + padding_mask(attention_mask)
    for n in range(config["num_layers"]):
        w = [sublayer_weights(weights, f"encoder.block.{n}.layer.{part}") for part in range(2)]
        x = feed_forward_sublayer(self_attention_sublayer(x, w[0], config["num_heads"], added), w[1])
    return rms_norm(x, weights["encoder.final_layer_norm.weight"])


def decoder(ids: Tensor, encoded: Tensor, attention_mask: Tensor, weights: Weights, config: Config) -> Tensor:
    """Return the decoder's output (B, T, D) for all target ids (B, T) at once, as in training."""
    return extend(ids, empty_cache(len(ids), config), encoded, attention_mask, weights, config)[0]


def extend(
    ids: Tensor, cache: Cache, encoded: Tensor, attention_mask: Tensor, weights: Weights, config: Config
) -> tuple[Tensor, list[tuple[Tensor, Tensor]]]:
    """Return the decoder's output (B, T, D) for T ids that follow those in the cache, and the new cache."""
    x, new, past = embed(ids, weights["shared.weight"]), [], cache[0][0].shape[2]
    heads, table = config["num_heads"], sublayer_weights(weights, "decoder.block.0.layer.0")["relative_attention_bias"]
    length = past + ids.shape[1]
    added = bias(table, ids.shape[1], length, bidirectional=False) + causal_mask(length)[:, :, past:]
    for n in range(config["num_decoder_layers"]):
        w = [sublayer_weights(weights, f"decoder.block.{n}.layer.{part}") for part in range(3)]
        x, pair = cached_sublayer(x, w[0], heads, added, cache[n])
        x = feed_forward_sublayer(cross_attention_sublayer(x, encoded, w[1], heads, padding_mask(attention_mask)), w[2])
        new.append(pair)
    return rms_norm(x, weights["decoder.final_layer_norm.weight"]), new


def empty_cache(rows: int, config: Config) -> list[tuple[Tensor, Tensor]]:
    """Return the cache before the first target id: keys and values (B, H, 0, K) for each layer."""
    empty = torch.zeros(rows, config["num_heads"], 0, config["d_kv"])
    return [(empty, empty)] * config["num_decoder_layers"]


def cached_logits(
    ids: Tensor, cache: Cache, encoded: Tensor, attention_mask: Tensor, weights: Weights, config: Config
) -> tuple[Tensor, list[tuple[Tensor, Tensor]]]:
    """Return the logits (B, V) after the newest ids (B, 1), and the new cache: earlier positions are not repeated."""
    x, new = extend(ids, cache, encoded, attention_mask, weights, config)
    return tied_logits(x, weights["shared.weight"])[:, -1], new


def tied_logits(x: Tensor, table: Tensor) -> Tensor:
    """Return the logits (B, T, V): the scaled dot products of the hidden states with the embeddings (V, D)."""
    logits: Tensor = x * x.shape[-1] ** -0.5 @ table.T
    return logits


def mean_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Return the mean cross-entropy of the labels (B, T); the label -100 does not count.

    >>> mean_loss(torch.zeros(1, 2, 4), torch.tensor([[3, -100]])).exp().round().item()
    4.0
    """
    log_p = logits.log_softmax(-1).gather(-1, labels.clamp(min=0)[..., None])[..., 0]
    mean: Tensor = -log_p[labels != -100].mean()
    return mean


def greedy_search(next_logits: NextLogits, cache: Any, max_length: int) -> list[int]:
    """Return the ids from START to END, or to the maximum length: always the id with the highest logit."""
    ids = [START]
    while ids[-1] != END and len(ids) < max_length:
        logits, cache = next_logits(torch.tensor([ids[-1:]]), cache)
        ids.append(int(logits.argmax()))
    return ids


class T5:
    """A T5 from its weights and the settings in its config.json."""

    def __init__(self, weights: Weights, config: Config) -> None:
        self.weights, self.config = weights, config

    @classmethod
    def from_folder(cls, folder: Path) -> T5:
        """Read config.json, and model.safetensors: the length of a header, the header in JSON, and all numbers."""
        data = bytearray((folder / "model.safetensors").read_bytes())
        start, weights = 8 + int.from_bytes(data[:8], "little"), {}
        for name, entry in json.loads(data[8:start]).items():
            if name != "__metadata__":
                first, last = (start + offset for offset in entry["data_offsets"])
                weights[name] = torch.frombuffer(data[first:last], dtype=torch.float32).reshape(entry["shape"])
        return cls(weights, json.loads((folder / "config.json").read_text(encoding="utf-8")))

    def loss(self, ids: Tensor, attention_mask: Tensor, labels: Tensor) -> Tensor:
        """Return the mean loss of labels (B, T): the decoder reads them shifted to the right by one position."""
        shifted = torch.cat([torch.full_like(labels[:, :1], START), labels[:, :-1].clamp(min=START)], dim=1)
        encoded = encoder(ids, attention_mask, self.weights, self.config)
        x = decoder(shifted, encoded, attention_mask, self.weights, self.config)
        return mean_loss(tied_logits(x, self.weights["shared.weight"]), labels)

    @torch.no_grad()
    def generate(self, ids: Sequence[int], max_length: int = 40) -> list[int]:
        """Return the ids that greedy search finds for the ids of one source."""
        source = torch.tensor([ids])
        mask = torch.ones_like(source)
        encoded = encoder(source, mask, self.weights, self.config)

        def next_logits(newest: Tensor, cache: Cache) -> tuple[Tensor, Cache]:
            return cached_logits(newest, cache, encoded, mask, self.weights, self.config)

        return greedy_search(next_logits, empty_cache(1, self.config), max_length)


if __name__ == "__main__":
    from tokenlab import data
    from tokenlab.libraries.transformers import T5Tokenizer

    folder = Path(data.t5_tiny())
    tokenizer = T5Tokenizer.from_pretrained(folder)
    text = " ".join(sys.argv[1:]) or "translate English to German: I drew two trees."
    print(tokenizer.decode(T5.from_folder(folder).generate(tokenizer(text).input_ids), skip_special_tokens=True))
