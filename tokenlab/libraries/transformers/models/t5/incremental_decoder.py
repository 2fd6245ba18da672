"""`T5IncrementalDecoder`: fast incremental decoding, which reads one token per row and returns the next logits.

Adds: the results of `T5ForConditionalGeneration.forward` with a cache, in a fraction of the time. Everything that does
not change from token to token is computed once: the mask, the source's keys and values, the position biases of all
distances. The growing keys and values of all layers are in one tensor, so that beams are reordered in one operation.
Leaves out: the first token, which the model itself reads; the checks of `forward`; dropout; and every look inside
(hook points, attentions, hidden states). If one of these is needed, `make_incremental_decoder` returns None, and the
model's `forward` runs instead.

Source of the computation: transformers 4.26.1, models/t5/modeling_t5.py.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import isfunction
from itertools import chain
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules import module as torch_modules

from tokenlab.libraries.transformers.modeling_outputs import Cache
from tokenlab.libraries.transformers.models.t5.layers import (
    HookPoints,
    T5Attention,
    T5Block,
    T5DenseActDense,
    T5DenseGatedActDense,
    T5LayerCrossAttention,
    T5LayerFF,
    T5LayerNorm,
    T5LayerSelfAttention,
)
from tokenlab.libraries.transformers.models.t5.stack import T5Stack
from tokenlab.libraries.transformers.module_utils import ModuleUtilsMixin, to_additive_mask

PLAIN_MODULE_TYPES = {T5Stack, T5Block, T5Attention, T5LayerSelfAttention, T5LayerCrossAttention, T5LayerFF}
PLAIN_MODULE_TYPES |= {T5LayerNorm, T5DenseActDense, T5DenseGatedActDense, HookPoints}
PLAIN_MODULE_TYPES |= {nn.Linear, nn.Embedding, nn.Dropout, nn.Identity, nn.ModuleList}
METHODS = [
    (kind, name, method)
    for kind in (*PLAIN_MODULE_TYPES, ModuleUtilsMixin)  # the mixin has the masks of a stack
    for name, method in vars(kind).items()
    if isfunction(method)
]
NAMES = {name for _, name, _ in METHODS}
EXPECTED_MODULE_TYPES: dict[str, Any] = dict.fromkeys(("q", "k", "v", "o", "wi", "wi_0", "wi_1", "wo"), nn.Linear)
EXPECTED_MODULE_TYPES |= dict.fromkeys(("layer_norm", "final_layer_norm"), T5LayerNorm)
GLOBAL_HOOK_DICTS: list[Any] = [torch_modules._global_forward_hooks, torch_modules._global_forward_pre_hooks]
INITIAL_CAPACITY = 32  # tokens for which the buffer has room at first; it doubles


def make_incremental_decoder(
    model: Any, cache: Cache | None, mask: Tensor | None, num_sources: int, encoder_states: Tensor | None = None
) -> T5IncrementalDecoder | None:
    """Return a fast decoder for the next tokens, or None if only `forward` computes everything that is needed.

    Args:
        model: a T5ForConditionalGeneration.
        cache: past_key_values, as `forward` returned them; None before the first token.
        mask: (rows, source), 1 for the source tokens that are visible; None for all.
        num_sources: the number of source texts; each has the same number of consecutive rows, its beams, which
            attend to the same source.
        encoder_states: the encoder's output, which is needed before the first token: (rows, source, d_model).
    """
    modules = [model.lm_head, *all_modules(model.decoder)]
    weights = [weight for each in modules if each._parameters for weight in each._parameters.values()]
    is_plain = (
        not any(each.training for each in (model, *modules))
        and (mask is None or mask.dim() == 2)
        and {type(each) for each in modules} <= PLAIN_MODULE_TYPES
        and all(
            type(part) is EXPECTED_MODULE_TYPES.get(name, type(part))
            for each in modules
            for name, part in each._modules.items()
        )
        and type(model.lm_head) is nn.Linear
        and not any(each._parameters.get("bias") is not None for each in modules)
        and all(vars(kind).get(name) is method for kind, name, method in METHODS)  # no method was replaced
        and all(NAMES.isdisjoint(vars(each)) and not vars(each).get("pruned_heads") for each in modules)
        and {weight.dtype for weight in weights if weight is not None} == {torch.float32}
        and not torch.is_autocast_enabled(model.device.type)
    )
    # subtle: the dictionaries themselves, not their contents: a hook that is added later makes one of them true.
    own = ((each._forward_hooks, each._forward_pre_hooks) for each in (model, *modules))
    hooks = [*GLOBAL_HOOK_DICTS, *chain.from_iterable(own)]
    if not is_plain or any(hooks):
        return None
    if cache is None:
        assert encoder_states is not None
        cache = cache_before_first_token(model.decoder, encoder_states, num_sources)
    return T5IncrementalDecoder(model, cache, mask, num_sources, hooks)


def cache_before_first_token(decoder: Any, encoder_states: Tensor, num_sources: int) -> Cache:
    """Return a cache with the keys and values of each source, whose rows are equal, and none of generated tokens."""
    rows, sources = len(encoder_states), one_per_source(encoder_states, num_sources)  # (num_sources, source, d_model)
    attentions: list[Any] = [block.layer[1].EncDecAttention for block in decoder.block]
    empty = sources.new_empty(rows, attentions[0].n_heads, 0, attentions[0].key_value_proj_dim)
    return tuple((empty, empty, *each.project_keys_and_values(sources, sources, None)) for each in attentions)


def all_modules(module: nn.Module) -> list[Any]:
    """Return the module and all of its descendants, ten times as fast as `modules()`."""
    found: list[Any] = [module]
    for each in found:
        found += each._modules.values()  # the loop also visits these
    return found


class T5IncrementalDecoder:
    """The decoder of a T5 with its KV cache; use `make_incremental_decoder` to create one.

    >>> from tokenlab.libraries.transformers import T5Config, T5ForConditionalGeneration
    >>> model = T5ForConditionalGeneration(T5Config(10, 4, 2, 4, 1, num_heads=1)).eval()
    >>> ids, target = torch.tensor([[3, 4, 1]]), torch.tensor([[0, 7]])
    >>> start = model(ids, decoder_input_ids=target[:, :1])
    >>> with torch.no_grad():
    ...     decoding = make_incremental_decoder(model, start.past_key_values, mask=None, num_sources=1)
    ...     scores = decoding.compute_logits(decoding.next_hidden_states(target[:, 1]))
    >>> torch.allclose(scores, model(ids, decoder_input_ids=target).logits[:, -1], atol=1e-5)
    True
    """

    def __init__(self, model: Any, cache: Cache, mask: Tensor | None, num_sources: int, hooks: list[Any]) -> None:
        decoder = model.decoder
        _, heads, self.length, _ = cache[0][0].shape
        self.heads, self.num_sources, self.hooks = heads, num_sources, hooks
        self.embedding: Tensor = decoder.embed_tokens.weight  # (vocab_size, d_model)
        self.output_weight: Tensor = model.lm_head.weight.t()  # (d_model, vocab_size)
        self.scale = torch.tensor(model.model_dim**-0.5 if model.config.tie_word_embeddings else 1.0)
        self.bias_attention: T5Attention = decoder.block[0].layer[0].SelfAttention  # stores the bias table
        own = cross_attention_additive_mask(None if mask is None else one_per_source(mask, num_sources), heads)
        sources = [[one_per_source(each, num_sources) for each in layer[2:]] for layer in cache]  # keys and values
        self.layers: list[Any] = [
            (
                IncrementalSelfAttention(block.layer[0]),
                IncrementalCrossAttention(block.layer[1], keys, values, own),
                make_feed_forward(block.layer[2]),
            )
            for block, (keys, values) in zip(decoder.block, sources, strict=True)
        ]
        self.norm = FusedRMSNorm(decoder.final_layer_norm)
        read = torch.stack([torch.stack(layer[:2]) for layer in cache])  # (layers, 2, rows, heads, length, d_kv)
        # subtle: spare is the buffer itself until the first reordering; greedy search never reorders, needs no copy.
        self.buffer = self.spare = KeyValueBuffer(read.permute(4, 0, 1, 2, 3, 5), buffer_capacity(self.length))
        self.precompute_position_biases()

    @property
    def has_hooks(self) -> bool:
        """Whether a hook has been added to the model since."""
        return any(self.hooks)

    def next_hidden_states(self, tokens: Tensor) -> Tensor:
        """Read one token per row, and return the normalized hidden states after the last block: (rows, d_model).

        Args:
            tokens: (rows,), one token per row.
        """
        if self.length == self.buffer.capacity:
            self.buffer = self.spare = KeyValueBuffer(self.buffer.read, buffer_capacity(self.length))  # a larger one
            self.precompute_position_biases()
        self.length += 1
        # subtle: in inference mode, operations track nothing for gradients, which makes them faster. The logits are
        # computed outside of it, so they are an ordinary tensor, which a logits processor may change in place.
        with torch.inference_mode():
            return self.run_layers(self.embedding[tokens])

    def run_layers(self, states: Tensor) -> Tensor:
        """Return the normalized hidden states after the last block, given the embeddings: (rows, d_model)."""
        bias = self.biases.narrow(2, self.buffer.capacity - self.length, self.length)  # (rows * heads, 1, length)
        slots = self.buffer.slots(self.length - 1)
        for number, (self_attending, cross_attending, feed) in enumerate(self.layers):
            keys = self.buffer.keys[number].narrow(2, 0, self.length)
            values = self.buffer.values[number].narrow(1, 0, self.length)
            new = slots[2 * number], slots[2 * number + 1]
            states = feed(cross_attending(self_attending(states, new, keys, values, bias)))
        return self.norm(states)

    def compute_logits(self, states: Tensor) -> Tensor:
        """Return the logits of the next token: (rows, vocab_size)."""
        return torch.mm(states * self.scale, self.output_weight)

    def reorder_cache(self, parent_rows: Tensor) -> None:
        """Replace row i of the cache by row parent_rows[i], which belongs to the same source.

        Args:
            parent_rows: (rows,); the number of rows per source may change.
        """
        read = self.buffer.read[: self.length]
        if len(parent_rows) != read.shape[3]:
            self.buffer = self.spare = KeyValueBuffer(read.index_select(3, parent_rows), self.buffer.capacity)
            self.precompute_position_biases()
            return
        if len(parent_rows) == self.num_sources:  # each row has its own source, which is reordered with it
            for _, cross_attending, _ in self.layers:
                cross_attending.set_keys_values(*(each[parent_rows] for each in cross_attending.source))
        if self.spare is self.buffer:
            self.spare = KeyValueBuffer(read, self.buffer.capacity)
        torch.index_select(read, 3, parent_rows, out=self.spare.read[: self.length])
        self.buffer, self.spare = self.spare, self.buffer

    @property
    def past_key_values(self) -> Cache:
        """The cache as past_key_values, with which `forward` can continue."""
        read = self.buffer.read[: self.length].permute(1, 2, 3, 4, 0, 5)  # (layers, 2, rows, heads, length, d_kv)
        times = read.shape[2] // self.num_sources
        return tuple(
            (keys, values, *(each.repeat_interleave(times, dim=0) for each in cross_attending.source))
            for (keys, values), (_, cross_attending, _) in zip(read, self.layers, strict=True)
        )

    def precompute_position_biases(self) -> None:
        """Precompute the bias of every distance; a shorter prefix uses the last `length` columns."""
        of_heads = self.bias_attention.compute_bias(1, self.buffer.capacity)[0]  # (heads, 1, capacity)
        self.biases = of_heads.repeat(self.buffer.read.shape[3], 1, 1)  # (rows * heads, 1, capacity)


def buffer_capacity(length: int) -> int:
    """Return a power of two above the length.

    >>> buffer_capacity(1), buffer_capacity(32)
    (32, 64)
    """
    return max(INITIAL_CAPACITY, 1 << length.bit_length())


class KeyValueBuffer:
    """The keys and values of all layers in one tensor; the token dimension is first, so the used part is contiguous.

    Args:
        read: (length, layers, 2, rows, heads, d_kv).
        capacity: the number of tokens that fit.
    """

    def __init__(self, read: Tensor, capacity: int) -> None:
        self.capacity = capacity
        self.read = read.new_empty(capacity, *read.shape[1:])
        self.read[: len(read)] = read
        self.by_token = self.read.flatten(4).flatten(1, 2)  # (capacity, layers * 2, rows, heads * d_kv)
        by_row = self.read.flatten(3, 4)  # (capacity, layers, 2, rows * heads, d_kv)
        self.keys = [keys.permute(1, 2, 0) for keys in by_row[:, :, 0].unbind(1)]  # (rows * heads, d_kv, capacity)
        self.values = [values.transpose(0, 1) for values in by_row[:, :, 1].unbind(1)]  # (rows * heads, capacity, d_kv)

    def slots(self, position: int) -> tuple[Tensor, ...]:
        """Return the memory for the keys and values of one token, layer by layer; each is (rows, heads * d_kv)."""
        return self.by_token[position].unbind()


class FusedRMSNorm:
    """RMSNorm in few operations: at this size, calling an operation costs more than its arithmetic."""

    def __init__(self, norm: T5LayerNorm) -> None:
        size = norm.weight.numel()
        self.weight = norm.weight * size**0.5  # (d_model,), scaled because the divisor of `__call__` is
        self.epsilon = norm.weight.new_full((), (size * norm.variance_epsilon) ** 0.5)

    def __call__(self, states: Tensor) -> Tensor:
        """Return the normalized hidden states: (rows, d_model)."""
        norm = torch.linalg.vector_norm(states, dim=-1, keepdim=True)  # (rows, 1)
        # The divisor, sqrt(norm^2 + epsilon^2), is sqrt(size) times sqrt(mean square + variance_epsilon).
        return (states / torch.hypot(norm, self.epsilon)).mul_(self.weight)


class IncrementalSelfAttention:
    """Self attention of one query per row, with its layer norm and residual connection."""

    def __init__(self, layer: T5LayerSelfAttention) -> None:
        attention = layer.SelfAttention
        self.norm = FusedRMSNorm(layer.layer_norm)
        self.q, self.k, self.v, self.o = projection_weights(attention)
        self.d_kv = attention.key_value_proj_dim

    def __call__(
        self, states: Tensor, new: tuple[Tensor, Tensor], keys: Tensor, values: Tensor, bias: Tensor
    ) -> Tensor:
        """Add the output of self attention to the hidden states: (rows, d_model).

        Args:
            states: (rows, d_model).
            new: memory for each row's new key and value, (rows, heads * d_kv) each; it is part of keys and values.
            keys: (rows * heads, d_kv, length).
            values: (rows * heads, length, d_kv).
            bias: (rows * heads, 1, length).
        """
        normed = self.norm(states)
        torch.mm(normed, self.k, out=new[0])
        torch.mm(normed, self.v, out=new[1])
        query = torch.mm(normed, self.q)  # (rows, heads * d_kv)
        weights = torch.baddbmm(bias, query.view(-1, 1, self.d_kv), keys).softmax(-1)  # (rows * heads, 1, length)
        return torch.addmm(states, torch.bmm(weights, values).view(query.shape), self.o)


class IncrementalCrossAttention:
    """Cross attention with its layer norm and residual connection; the rows of a source share its keys and values."""

    def __init__(self, layer: T5LayerCrossAttention, keys: Tensor, values: Tensor, mask: Tensor | None) -> None:
        attention = layer.EncDecAttention
        self.norm = FusedRMSNorm(layer.layer_norm)
        self.q, _, _, self.o = projection_weights(attention)
        self.num_sources, self.heads, _, self.d_kv = keys.shape
        self.mask = mask  # (num_sources * heads, 1, source)
        self.set_keys_values(keys, values)

    def set_keys_values(self, keys: Tensor, values: Tensor) -> None:
        """Set the keys and values of the source, each (num_sources, heads, source, d_kv)."""
        self.source = keys, values
        self.keys = keys.flatten(0, 1).transpose(1, 2)  # (num_sources * heads, d_kv, source)
        self.values = values.flatten(0, 1)  # (num_sources * heads, source, d_kv)

    def __call__(self, states: Tensor) -> Tensor:
        """Add the output of cross attention to the hidden states: (rows, d_model)."""
        query = torch.mm(self.norm(states), self.q)  # (rows, heads * d_kv)
        scores = torch.bmm(self.split_heads(query), self.keys)  # (num_sources * heads, rows per source, source)
        if self.mask is not None:
            scores += self.mask
        output = torch.bmm(scores.softmax(-1), self.values)  # (num_sources * heads, rows per source, d_kv)
        return torch.addmm(states, self.merge_heads(output).view(query.shape), self.o)

    def split_heads(self, query: Tensor) -> Tensor:
        """Return the queries (rows, heads * d_kv) as (num_sources * heads, rows per source, d_kv)."""
        if len(query) == self.num_sources:  # no beams: the order of rows and heads is right already
            return query.view(-1, 1, self.d_kv)
        by_source = query.view(self.num_sources, -1, self.heads, self.d_kv)
        return by_source.transpose(1, 2).flatten(0, 1)

    def merge_heads(self, output: Tensor) -> Tensor:
        """Return (num_sources * heads, rows per source, d_kv) in the order of the rows."""
        if output.shape[1] == 1:
            return output
        by_source = output.view(self.num_sources, self.heads, -1, self.d_kv)
        return by_source.transpose(1, 2).contiguous()


def make_feed_forward(layer: T5LayerFF) -> Callable[[Tensor], Tensor]:
    """Return a function that applies the feed-forward layer with its layer norm and residual connection."""
    dense, norm = layer.DenseReluDense, FusedRMSNorm(layer.layer_norm)
    act, back = dense.act, dense.wo.weight.t()
    if isinstance(dense, T5DenseActDense):
        out = dense.wi.weight.t()
        return lambda states: torch.addmm(states, act(torch.mm(norm(states), out)), back)
    gate, value = dense.wi_0.weight.t(), dense.wi_1.weight.t()

    def feed(states: Tensor) -> Tensor:
        normed = norm(states)
        return torch.addmm(states, act(torch.mm(normed, gate)) * torch.mm(normed, value), back)

    return feed


def projection_weights(attention: T5Attention) -> tuple[Tensor, ...]:
    """Return the transposed weights of the query, key, value and output projections, each (inputs, outputs)."""
    return tuple(layer.weight.t() for layer in (attention.q, attention.k, attention.v, attention.o))


def one_per_source(rows: Tensor, num_sources: int) -> Tensor:
    """Return one row for each source, whose rows are equal and consecutive.

    >>> one_per_source(torch.tensor([[5], [5], [8], [8]]), num_sources=2)
    tensor([[5],
            [8]])
    """
    return rows[:: len(rows) // num_sources]


def cross_attention_additive_mask(mask: Tensor | None, heads: int) -> Tensor | None:
    """Return the additive mask (num_sources * heads, 1, source), or None if nothing is hidden."""
    if mask is None or mask.all():
        return None
    return to_additive_mask(mask, torch.float32).repeat_interleave(heads, dim=0)[:, None]
