"""Attention in a T5: scores are not divided, and a learned number is added for each head and each class of distances.

Source: transformers 4.26.1, models/t5/modeling_t5.py; Raffel et al. 2020, section 2.1; Shaw et al. 2018.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from tokenlab.transformers.configuration_t5 import T5Config
from tokenlab.transformers.pruning import check_heads, kept, numbers_of
from tokenlab.transformers.t5_layers import T5LayerNorm
from tokenlab.transformers.watching import Points

# Where `watch` can look; the layer with the table has two more, for the bias and the mask of its whole stack.
POINTS = ("queries", "keys", "values", "scores", "added", "weights", "weighted_values", "output")

KeyValue = tuple[Tensor, Tensor]  # keys and values, each (batch, heads, length, d_kv)


def relative_position_bucket(
    relative_position: Tensor, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> Tensor:
    """The class of a distance: near ones have one each, farther ones share, the more the farther.

    Args:
        relative_position: the key's position minus the query's.
        bidirectional: half of the buckets are for keys after the query; otherwise all those share bucket 0.

    >>> distances = torch.tensor([-9, -8, -1, 0, 1, 9])
    >>> relative_position_bucket(distances), relative_position_bucket(distances, bidirectional=False)
    (tensor([ 8,  8,  1,  0, 17, 24]), tensor([9, 8, 1, 0, 0, 0]))
    """
    if bidirectional:
        num_buckets //= 2
        first = (relative_position > 0) * num_buckets  # keys after the query start at half
        distance = relative_position.abs()
    else:
        first = torch.zeros_like(relative_position)
        distance = (-relative_position).clamp(min=0)
    exact = num_buckets // 2
    # exact + floor((num_buckets - exact) * log(distance / exact) / log(max_distance / exact))
    share = torch.log(distance.float() / exact) / math.log(max_distance / exact)
    shared = exact + (share * (num_buckets - exact)).clamp(min=0).long()
    return first + torch.where(distance < exact, distance, shared.clamp(max=num_buckets - 1))


class Attended(NamedTuple):
    """What one attention gives: its output, and what others use of it."""

    output: Tensor  # (batch, queries, d_model)
    key_value: KeyValue | None  # for the cache
    position_bias: Tensor | None  # with the mask, for the layers above: (batch or 1, heads, queries, keys)
    weights: Tensor | None  # (batch, heads, queries, keys)


class T5Attention(nn.Module):
    """Queries look at keys and take their values: the encoder's, the decoder's own, or the decoder's at the encoder.

    Args:
        has_relative_attention_bias: whether the table of biases is stored here; only the first layer of a stack
            stores one, and every layer adds what is read from it.
    """

    def __init__(self, config: T5Config, has_relative_attention_bias: bool = False) -> None:
        super().__init__()
        self.is_decoder = config.is_decoder
        self.has_relative_attention_bias = has_relative_attention_bias
        self.relative_attention_num_buckets = config.relative_attention_num_buckets
        self.relative_attention_max_distance = config.relative_attention_max_distance
        self.n_heads = config.num_heads
        self.key_value_proj_dim = config.d_kv
        self.dropout = config.dropout_rate
        self.inner_dim = config.num_heads * config.d_kv
        self.q = nn.Linear(config.d_model, self.inner_dim, bias=False)
        self.k = nn.Linear(config.d_model, self.inner_dim, bias=False)
        self.v = nn.Linear(config.d_model, self.inner_dim, bias=False)
        self.o = nn.Linear(self.inner_dim, config.d_model, bias=False)
        if has_relative_attention_bias:
            self.relative_attention_bias = nn.Embedding(config.relative_attention_num_buckets, config.num_heads)
        self.heads = list(range(config.num_heads))  # those that are left
        self.pruned_heads: set[int] = set()
        self.points = Points(*POINTS, *(("bias", "mask") if has_relative_attention_bias else ()))

    def forward(
        self,
        hidden_states: Tensor,
        mask: Tensor | None = None,
        key_value_states: Tensor | None = None,
        position_bias: Tensor | None = None,
        past_key_value: KeyValue | None = None,
        layer_head_mask: Tensor | None = None,
        use_cache: bool = False,
        output_attentions: bool = False,
    ) -> Attended:
        """What each query takes from the keys that it may look at.

        Args:
            hidden_states: (batch, queries, d_model); with a cache only the new positions.
            mask: what is added to the scores, 0 or the most negative number.
            key_value_states: what cross attention looks at: (batch, keys, d_model).
            position_bias: bias and mask, as the first layer of the stack gave them.
        """
        at = self.points.at
        q = at("queries", self.split_heads(self.q(hidden_states)))  # (batch, heads, queries, d_kv)
        key_value = self.keys_and_values(hidden_states, key_value_states, past_key_value)
        k, v = at("keys", key_value[0]), at("values", key_value[1])  # (batch, heads, keys, d_kv)
        if position_bias is None:
            position_bias = self.bias_and_mask(q.shape[2], k.shape[2], mask)  # (batch or 1, heads, queries, keys)
        # subtle: no division by sqrt(d_kv); it is in the small spread with which the queries start.
        scores = at("scores", q @ k.transpose(2, 3))  # (batch, heads, queries, keys)
        added = at("added", self.of_heads(position_bias))
        scores = scores if added is None else scores + added
        weights = scores.softmax(dim=-1, dtype=torch.float32).to(scores.dtype)  # each query's sum to 1
        weights = functional.dropout(weights, p=self.dropout, training=self.training)
        layer_head_mask = self.of_heads(layer_head_mask)
        weights = at("weights", weights if layer_head_mask is None else weights * layer_head_mask)
        output = self.o(self.join_heads(at("weighted_values", weights @ v)))
        output = at("output", output)  # (batch, queries, d_model)
        cached = key_value if self.is_decoder and use_cache else None
        return Attended(output, cached, position_bias, weights if output_attentions else None)

    def prune_heads(self, heads: Iterable[int]) -> None:
        """Take heads out for good, by the numbers that they had at first.

        Raises:
            ValueError: there is no such head, or none would stay.
        """
        total = len(self.heads) + len(self.pruned_heads)
        out = check_heads(heads, self.heads, total)
        rows = numbers_of([place for place, head in enumerate(self.heads) if head not in out], self.key_value_proj_dim)
        self.q, self.k, self.v = (kept(layer, rows, dim=0) for layer in (self.q, self.k, self.v))
        self.o = kept(self.o, rows, dim=1)
        self.heads = [head for head in self.heads if head not in out]
        self.pruned_heads |= out
        self.n_heads, self.inner_dim = len(self.heads), len(rows)

    def of_heads(self, numbers: Tensor | None) -> Tensor | None:
        """Numbers for all heads, (batch or 1, heads or 1, ...), without those of heads that were taken out."""
        if not self.pruned_heads or numbers is None or numbers.shape[1] == 1:
            return numbers
        return numbers[:, self.heads]

    def split_heads(self, states: Tensor) -> Tensor:
        """(batch, length, heads * d_kv) as (batch, heads, length, d_kv)."""
        split = states.view(*states.shape[:2], self.n_heads, self.key_value_proj_dim).transpose(1, 2)
        return split.contiguous()  # a product would copy it otherwise: keys and values of the cache at every step

    def join_heads(self, states: Tensor) -> Tensor:
        """(batch, heads, length, d_kv) as (batch, length, heads * d_kv)."""
        return states.transpose(1, 2).flatten(2)

    def keys_and_values(self, states: Tensor, others: Tensor | None, past: KeyValue | None) -> KeyValue:
        """Keys and values: of cross attention made once, of self attention one more row at each step."""
        if others is not None and past is not None:
            return past
        source = states if others is None else others  # (batch, length, d_model)
        k, v = self.split_heads(self.k(source)), self.split_heads(self.v(source))  # (batch, heads, length, d_kv)
        if past is not None:
            k, v = torch.cat([past[0], k], dim=2), torch.cat([past[1], v], dim=2)  # the new rows come last
        return k, v

    def bias_and_mask(self, queries: int, keys: int, mask: Tensor | None) -> Tensor | None:
        """What is added to all scores of this stack; without a table that is the mask alone."""
        if not self.has_relative_attention_bias:
            return mask
        bias = self.points.at("bias", self.compute_bias(queries, keys))  # (1, heads, queries, keys)
        mask = self.points.at("mask", mask)  # (batch, 1, queries or 1, keys)
        return bias if mask is None else bias + mask

    def compute_bias(self, query_length: int, key_length: int) -> Tensor:
        """The bias of each pair of query and key, for each head; the queries are the last positions of the keys."""
        key = torch.arange(key_length, device=self.relative_attention_bias.weight.device)
        query = key[key_length - query_length :, None]
        buckets = relative_position_bucket(
            key - query,  # (queries, keys)
            bidirectional=not self.is_decoder,
            num_buckets=self.relative_attention_num_buckets,
            max_distance=self.relative_attention_max_distance,
        )
        bias: Tensor = self.relative_attention_bias(buckets)  # (queries, keys, heads)
        return bias.permute(2, 0, 1).unsqueeze(0)  # (1, heads, queries, keys)


class T5LayerSelfAttention(nn.Module):
    """Self attention with its norm before and its residual around it."""

    def __init__(self, config: T5Config, has_relative_attention_bias: bool = False) -> None:
        super().__init__()
        self.SelfAttention = T5Attention(config, has_relative_attention_bias)
        self.layer_norm = T5LayerNorm(config.d_model, eps=config.layer_norm_epsilon)
        self.dropout = nn.Dropout(config.dropout_rate)

    def forward(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        layer_head_mask: Tensor | None = None,
        past_key_value: KeyValue | None = None,
        use_cache: bool = False,
        output_attentions: bool = False,
    ) -> Attended:
        """Add attention(norm(x)) to x."""
        attended: Attended = self.SelfAttention(
            self.layer_norm(hidden_states),
            mask=attention_mask,
            position_bias=position_bias,
            layer_head_mask=layer_head_mask,
            past_key_value=past_key_value,
            use_cache=use_cache,
            output_attentions=output_attentions,
        )
        return attended._replace(output=hidden_states + self.dropout(attended.output))


class T5LayerCrossAttention(nn.Module):
    """Attention of the decoder to the encoder's output; it has no table, for these positions cannot be compared."""

    def __init__(self, config: T5Config) -> None:
        super().__init__()
        self.EncDecAttention = T5Attention(config, has_relative_attention_bias=False)
        self.layer_norm = T5LayerNorm(config.d_model, eps=config.layer_norm_epsilon)
        self.dropout = nn.Dropout(config.dropout_rate)

    def forward(
        self,
        hidden_states: Tensor,
        key_value_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        layer_head_mask: Tensor | None = None,
        past_key_value: KeyValue | None = None,
        use_cache: bool = False,
        output_attentions: bool = False,
    ) -> Attended:
        """Add attention(norm(x), encoder's output) to x; that output has had its own norm."""
        attended: Attended = self.EncDecAttention(
            self.layer_norm(hidden_states),
            mask=attention_mask,
            key_value_states=key_value_states,
            position_bias=position_bias,
            layer_head_mask=layer_head_mask,
            past_key_value=past_key_value,
            use_cache=use_cache,
            output_attentions=output_attentions,
        )
        return attended._replace(output=hidden_states + self.dropout(attended.output))
