"""The layers of a T5, from the inside out: layer norm, feed-forward layers, attention, and the block of these.

In attention the scores are not scaled, and a learned bias is added for each head and relative position bucket.
Leaves out: the stack of blocks (`stack`).

Source: transformers 4.26.1, models/t5/modeling_t5.py; Raffel et al. 2020, section 2.1; Shaw et al. 2018; Shazeer 2020,
"GLU variants".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from tokenlab.libraries.transformers.modeling_outputs import Tensors
from tokenlab.libraries.transformers.models.t5.configuration_t5 import T5Config
from tokenlab.libraries.transformers.module_utils import check_heads_to_prune, head_row_indices, prune_linear

# The points that `watch` can record; the layer with the bias table has two more, the bias and mask of its stack.
HOOK_POINT_NAMES = ("queries", "keys", "values", "scores", "added", "weights", "weighted_values", "output")

KeyValue = tuple[Tensor, Tensor]  # keys and values, each (batch, heads, length, d_kv)
Passing = TypeVar("Passing", Tensor, Tensor | None)


class HookPoints(nn.Module):
    """The named hook points of one module."""

    def __init__(self, *names: str) -> None:
        super().__init__()
        for name in names:
            self.add_module(name, nn.Identity())

    def at(self, name: str, tensor: Passing) -> Passing:
        """Return the tensor, or the one that a hook on this point returns instead."""
        point = self._modules[name]
        assert point is not None
        # Calling a module costs ten times as much as this check, and a forward pass has dozens of points.
        return point(tensor) if point._forward_hooks and tensor is not None else tensor


def gelu_new(x: Tensor) -> Tensor:
    """GELU (Gaussian error linear unit) in the tanh approximation of T5 1.1."""
    return functional.gelu(x, approximate="tanh")


ACT2FN: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": functional.relu,
    "gelu": functional.gelu,
    "gelu_new": gelu_new,
    "silu": functional.silu,
    "swish": functional.silu,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "linear": nn.Identity(),
}


class T5LayerNorm(nn.Module):
    """RMSNorm: divide by the root mean square; no mean is subtracted and no bias is added.

    >>> T5LayerNorm(2)(torch.tensor([[3.0, 3.0]])).round(decimals=3)
    tensor([[1., 1.]], grad_fn=<RoundBackward1>)
    """

    def __init__(self, hidden_size: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.variance_epsilon = eps

    def forward(self, hidden_states: Tensor) -> Tensor:
        """Scale each hidden state to a mean square of 1, and multiply by the learned weights."""
        # subtle: squares of half-precision numbers overflow easily, so the mean is computed in float32.
        mean_square = hidden_states.float().pow(2).mean(-1, keepdim=True)  # (batch, length, 1)
        normed = hidden_states * torch.rsqrt(mean_square + self.variance_epsilon)  # (batch, length, d_model)
        if self.weight.dtype in (torch.float16, torch.bfloat16):
            normed = normed.to(self.weight.dtype)
        return self.weight * normed


class T5DenseActDense(nn.Module):
    """The feed-forward layer of T5 1.0: a projection to d_ff, an activation, a projection back to d_model."""

    def __init__(self, config: T5Config) -> None:
        super().__init__()
        self.wi = nn.Linear(config.d_model, config.d_ff, bias=False)
        self.wo = nn.Linear(config.d_ff, config.d_model, bias=False)
        self.dropout = nn.Dropout(config.dropout_rate)
        self.act = ACT2FN[config.dense_act_fn]
        self.points = HookPoints("activations", "output")

    def forward(self, hidden_states: Tensor) -> Tensor:
        """Return wo(act(wi(x)))."""
        inner = self.points.at("activations", self.dropout(self.act(self.wi(hidden_states))))  # (batch, length, d_ff)
        output: Tensor = self.wo(inner.to(self.wo.weight.dtype))  # (batch, length, d_model)
        return self.points.at("output", output)


class T5DenseGatedActDense(nn.Module):
    """The feed-forward layer of T5 1.1: the activation of one projection gates a second one (a gated linear unit)."""

    def __init__(self, config: T5Config) -> None:
        super().__init__()
        self.wi_0 = nn.Linear(config.d_model, config.d_ff, bias=False)
        self.wi_1 = nn.Linear(config.d_model, config.d_ff, bias=False)
        self.wo = nn.Linear(config.d_ff, config.d_model, bias=False)
        self.dropout = nn.Dropout(config.dropout_rate)
        self.act = ACT2FN[config.dense_act_fn]
        self.points = HookPoints("activations", "output")

    def forward(self, hidden_states: Tensor) -> Tensor:
        """Return wo(act(wi_0(x)) * wi_1(x))."""
        gate = self.act(self.wi_0(hidden_states))  # (batch, length, d_ff)
        inner = self.points.at("activations", self.dropout(gate * self.wi_1(hidden_states)))  # (batch, length, d_ff)
        # wo may stay in float32 in a half-precision model, because it needs the range.
        output: Tensor = self.wo(inner.to(self.wo.weight.dtype))  # (batch, length, d_model)
        return self.points.at("output", output)


class T5LayerFF(nn.Module):
    """A feed-forward layer with a layer norm before it and a residual connection around it."""

    def __init__(self, config: T5Config) -> None:
        super().__init__()
        dense = T5DenseGatedActDense if config.is_gated_act else T5DenseActDense
        self.DenseReluDense = dense(config)
        self.layer_norm = T5LayerNorm(config.d_model, eps=config.layer_norm_epsilon)
        self.dropout = nn.Dropout(config.dropout_rate)

    def forward(self, hidden_states: Tensor) -> Tensor:
        """Add dense(norm(x)) to x."""
        output: Tensor = hidden_states + self.dropout(self.DenseReluDense(self.layer_norm(hidden_states)))
        return output


def relative_position_bucket(
    relative_position: Tensor, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> Tensor:
    """Return the bucket of a relative position: one each for short distances, logarithmic ranges for longer ones.

    Args:
        relative_position: the key's position minus the query's.
        bidirectional: half of the buckets are for keys after the query; otherwise all of these keys share bucket 0.

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


class AttentionOutput(NamedTuple):
    """The output of an attention, with its keys and values, position bias and weights."""

    output: Tensor  # (batch, queries, d_model)
    key_value: KeyValue | None  # for the cache
    position_bias: Tensor | None  # bias + mask, reused by the layers above: (batch or 1, heads, queries, keys)
    weights: Tensor | None  # (batch, heads, queries, keys)


class T5Attention(nn.Module):
    """Multi-head attention: the self attention of the encoder or decoder, or the decoder's cross attention.

    Args:
        has_relative_attention_bias: whether this layer stores the bias table; only the first layer of a stack does, and
            every layer adds the bias that is looked up there.
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
        self.heads = list(range(config.num_heads))  # the heads that are not pruned
        self.pruned_heads: set[int] = set()
        self.points = HookPoints(*HOOK_POINT_NAMES, *(("bias", "mask") if has_relative_attention_bias else ()))

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
    ) -> AttentionOutput:
        """Return, for each query, the weighted sum of the values, projected to (batch, queries, d_model).

        Args:
            hidden_states: (batch, queries, d_model); with a cache only the new positions.
            mask: added to the scores: 0 for visible keys, the most negative number for hidden ones.
            key_value_states: in cross attention, the encoder's output: (batch, keys, d_model).
            position_bias: the sum of bias and mask, as the first layer of the stack returned it.
        """
        at = self.points.at
        q = at("queries", self.split_heads(self.q(hidden_states)))  # (batch, heads, queries, d_kv)
        key_value = self.project_keys_and_values(hidden_states, key_value_states, past_key_value)
        k, v = at("keys", key_value[0]), at("values", key_value[1])  # (batch, heads, keys, d_kv)
        if position_bias is None:
            position_bias = self.position_bias_and_mask(
                q.shape[2], k.shape[2], mask
            )  # (batch or 1, heads, queries, keys)
        # subtle: no division by sqrt(d_kv); the query projection is initialized with a smaller variance instead.
        scores = at("scores", q @ k.transpose(2, 3))  # (batch, heads, queries, keys)
        added = at("added", self.drop_pruned_heads(position_bias))
        scores = scores if added is None else scores + added
        weights = scores.softmax(dim=-1, dtype=torch.float32).to(scores.dtype)  # each query's sum to 1
        weights = functional.dropout(weights, p=self.dropout, training=self.training)
        layer_head_mask = self.drop_pruned_heads(layer_head_mask)
        weights = at("weights", weights if layer_head_mask is None else weights * layer_head_mask)
        output = self.o(self.merge_heads(at("weighted_values", weights @ v)))
        output = at("output", output)  # (batch, queries, d_model)
        cached = key_value if self.is_decoder and use_cache else None
        return AttentionOutput(output, cached, position_bias, weights if output_attentions else None)

    def prune_heads(self, heads: Iterable[int]) -> None:
        """Remove heads permanently; their numbers are those before any pruning.

        Raises:
            ValueError: a head does not exist, or no head would remain.
        """
        total = len(self.heads) + len(self.pruned_heads)
        out = check_heads_to_prune(heads, self.heads, total)
        kept = [index for index, head in enumerate(self.heads) if head not in out]
        rows = head_row_indices(kept, self.key_value_proj_dim)
        self.q, self.k, self.v = (prune_linear(layer, rows, dim=0) for layer in (self.q, self.k, self.v))
        self.o = prune_linear(self.o, rows, dim=1)
        self.heads = [head for head in self.heads if head not in out]
        self.pruned_heads |= out
        self.n_heads, self.inner_dim = len(self.heads), len(rows)

    def drop_pruned_heads(self, tensor: Tensor | None) -> Tensor | None:
        """Return a tensor (batch or 1, heads or 1, ...) without the rows of pruned heads."""
        if not self.pruned_heads or tensor is None or tensor.shape[1] == 1:
            return tensor
        return tensor[:, self.heads]

    def split_heads(self, states: Tensor) -> Tensor:
        """Split the projection into heads: (batch, length, heads * d_kv) to (batch, heads, length, d_kv)."""
        split = states.view(*states.shape[:2], self.n_heads, self.key_value_proj_dim).transpose(1, 2)
        return split.contiguous()  # otherwise every step copies the keys and values of the cache for its products

    def merge_heads(self, states: Tensor) -> Tensor:
        """Concatenate the heads: (batch, heads, length, d_kv) to (batch, length, heads * d_kv)."""
        return states.transpose(1, 2).flatten(2)

    def project_keys_and_values(
        self, states: Tensor, key_value_states: Tensor | None, past: KeyValue | None
    ) -> KeyValue:
        """Return keys and values: projected once in cross attention, extended by the new rows in self attention."""
        if key_value_states is not None and past is not None:
            return past
        source = states if key_value_states is None else key_value_states  # (batch, length, d_model)
        k, v = self.split_heads(self.k(source)), self.split_heads(self.v(source))  # (batch, heads, length, d_kv)
        if past is not None:
            k, v = torch.cat([past[0], k], dim=2), torch.cat([past[1], v], dim=2)  # cached rows first
        return k, v

    def position_bias_and_mask(self, queries: int, keys: int, mask: Tensor | None) -> Tensor | None:
        """Return the sum of bias and mask, which the whole stack adds; without a bias table only the mask."""
        if not self.has_relative_attention_bias:
            return mask
        bias = self.points.at("bias", self.compute_bias(queries, keys))  # (1, heads, queries, keys)
        mask = self.points.at("mask", mask)  # (batch, 1, queries or 1, keys)
        return bias if mask is None else bias + mask

    def compute_bias(self, query_length: int, key_length: int) -> Tensor:
        """Return the bias of each head: (1, heads, queries, keys); the queries are the last positions."""
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
    """Self attention with a layer norm before it and a residual connection around it."""

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
    ) -> AttentionOutput:
        """Add attention(norm(x)) to x."""
        attended: AttentionOutput = self.SelfAttention(
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
    """Cross attention with its layer norm and residual connection; it has no position bias.

    There is no distance between positions of two different texts.
    """

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
    ) -> AttentionOutput:
        """Add attention(norm(x), encoder's output) to x; the encoder's output is already normalized."""
        attended: AttentionOutput = self.EncDecAttention(
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


NO_CROSS_ATTENTION = AttentionOutput(torch.empty(0), None, None, None)


class BlockOutput(NamedTuple):
    """The output of one block: the hidden states, and the outputs of its attentions."""

    hidden_states: Tensor  # (batch, length, d_model)
    self_attention: AttentionOutput
    cross_attention: AttentionOutput

    @property
    def key_values(self) -> Tensors:
        """The keys and values of this block for the cache."""
        return (*(self.self_attention.key_value or ()), *(self.cross_attention.key_value or ()))


class T5Block(nn.Module):
    """Self attention, cross attention (in the decoder only), and the feed-forward layer."""

    def __init__(self, config: T5Config, has_relative_attention_bias: bool = False) -> None:
        super().__init__()
        self.is_decoder = config.is_decoder
        self.layer = nn.ModuleList([T5LayerSelfAttention(config, has_relative_attention_bias)])
        if self.is_decoder:
            self.layer.append(T5LayerCrossAttention(config))
        self.layer.append(T5LayerFF(config))
        self.points = HookPoints("output")

    def forward(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        encoder_hidden_states: Tensor | None = None,
        encoder_attention_mask: Tensor | None = None,
        layer_head_mask: Tensor | None = None,
        cross_attn_layer_head_mask: Tensor | None = None,
        past_key_value: Tensors | None = None,
        use_cache: bool = False,
        output_attentions: bool = False,
    ) -> BlockOutput:
        """Return the hidden states after this block: (batch, length, d_model)."""
        own: AttentionOutput = self.layer[0](
            hidden_states,
            attention_mask=attention_mask,
            position_bias=position_bias,
            layer_head_mask=layer_head_mask,
            past_key_value=past_key_value and past_key_value[:2],
            use_cache=use_cache,
            output_attentions=output_attentions,
        )
        hidden_states, cross = clamp_float16(own.output), NO_CROSS_ATTENTION
        if self.is_decoder and encoder_hidden_states is not None:
            cross = self.layer[1](
                hidden_states,
                key_value_states=encoder_hidden_states,
                attention_mask=encoder_attention_mask,
                layer_head_mask=cross_attn_layer_head_mask,
                past_key_value=past_key_value and past_key_value[2:],
                use_cache=use_cache,
                output_attentions=output_attentions,
            )
            hidden_states = clamp_float16(cross.output)
        output = self.points.at("output", clamp_float16(self.layer[-1](hidden_states)))
        return BlockOutput(output, own, cross)


def clamp_float16(states: Tensor) -> Tensor:
    """Replace infinity in float16 by nearly the largest number, 65504."""
    if states.dtype == torch.float16 and states.isinf().any():
        limit = torch.finfo(states.dtype).max - 1000
        return states.clamp(-limit, limit)
    return states
