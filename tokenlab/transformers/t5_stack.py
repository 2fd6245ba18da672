"""Blocks one above another: the encoder, and the decoder with its cache.

Source: transformers 4.26.1, models/t5/modeling_t5.py.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from tokenlab.transformers.configuration_t5 import T5Config
from tokenlab.transformers.model_output import (
    BaseModelOutput,
    BaseModelOutputWithPastAndCrossAttentions,
    Cache,
    Tensors,
)
from tokenlab.transformers.t5_attention import Attended, T5LayerCrossAttention, T5LayerSelfAttention
from tokenlab.transformers.t5_checks import check_cache, check_encoder_states, check_ids, check_vectors
from tokenlab.transformers.t5_layers import T5LayerFF, T5LayerNorm
from tokenlab.transformers.t5_masks import cross_attention_mask, head_mask_of_layers, self_attention_mask
from tokenlab.transformers.t5_pretrained import T5PreTrainedModel
from tokenlab.transformers.watching import Points

NO_CROSS = Attended(torch.empty(0), None, None, None)


class BlockOutput(NamedTuple):
    """What one block gives: the stream, and what its attentions said."""

    hidden_states: Tensor  # (batch, length, d_model)
    own: Attended
    cross: Attended

    @property
    def key_values(self) -> Tensors:
        """The block's share of the cache."""
        return (*(self.own.key_value or ()), *(self.cross.key_value or ()))


class T5Block(nn.Module):
    """Self attention, in the decoder cross attention, and the feed-forward layer."""

    def __init__(self, config: T5Config, has_relative_attention_bias: bool = False) -> None:
        super().__init__()
        self.is_decoder = config.is_decoder
        self.layer = nn.ModuleList([T5LayerSelfAttention(config, has_relative_attention_bias)])
        if self.is_decoder:
            self.layer.append(T5LayerCrossAttention(config))
        self.layer.append(T5LayerFF(config))
        self.points = Points("output")

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
        """The stream after this block: (batch, length, d_model)."""
        own: Attended = self.layer[0](
            hidden_states,
            attention_mask=attention_mask,
            position_bias=position_bias,
            layer_head_mask=layer_head_mask,
            past_key_value=past_key_value and past_key_value[:2],
            use_cache=use_cache,
            output_attentions=output_attentions,
        )
        hidden_states, cross = kept_finite(own.output), NO_CROSS
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
            hidden_states = kept_finite(cross.output)
        output = self.points.at("output", kept_finite(self.layer[-1](hidden_states)))
        return BlockOutput(output, own, cross)


def kept_finite(states: Tensor) -> Tensor:
    """In float16, whose largest number is 65504, infinity becomes nearly that."""
    if states.dtype == torch.float16 and states.isinf().any():
        limit = torch.finfo(states.dtype).max - 1000
        return states.clamp(-limit, limit)
    return states


class Asked(NamedTuple):
    """What a call wants besides the stream; what it does not say, the configuration does."""

    cache: bool
    attentions: bool
    hidden_states: bool
    names: bool

    @classmethod
    def of(cls, config: T5Config, *said: bool | None) -> Asked:
        """What was said, or else what the configuration says."""
        silent = (config.use_cache, config.output_attentions, config.output_hidden_states, config.use_return_dict)
        asked = cls(*(bool(other if own is None else own) for own, other in zip(said, silent, strict=True)))
        if asked.cache and not config.is_decoder:
            raise ValueError("use_cache=True is for a decoder, and this stack is an encoder")
        return asked


def without_cache(asked: Asked, use_cache: bool | None) -> Asked:
    """The same without a cache, which gradient checkpointing cannot keep; a warning where one was asked for."""
    if use_cache:
        warnings.warn("use_cache=True does not go with gradient checkpointing, and there is no cache", stacklevel=4)
    return asked._replace(cache=False)


class Seen(NamedTuple):
    """What is kept of the blocks on the way: only what was asked for."""

    states: list[Tensor]
    cache: list[Tensors]
    weights: list[Tensor]
    cross_weights: list[Tensor]

    def add(self, out: BlockOutput, asked: Asked) -> None:
        """Keep what was asked for of one block."""
        if asked.cache:
            self.cache.append(out.key_values)
        for kept, weights in ((self.weights, out.own.weights), (self.cross_weights, out.cross.weights)):
            if weights is not None:
                kept.append(weights)


class T5Stack(T5PreTrainedModel):
    """All blocks of an encoder or, where config.is_decoder says so, of a decoder."""

    def __init__(self, config: T5Config, embed_tokens: nn.Embedding | None = None) -> None:
        super().__init__(config)
        self.is_decoder = config.is_decoder
        self.embed_tokens = embed_tokens
        self.block = nn.ModuleList(
            T5Block(config, has_relative_attention_bias=i == 0) for i in range(config.num_layers)
        )
        self.final_layer_norm = T5LayerNorm(config.d_model, eps=config.layer_norm_epsilon)
        self.dropout = nn.Dropout(config.dropout_rate)
        self.gradient_checkpointing = False
        self.points = Points("embedded", "output")
        self.post_init()

    def get_input_embeddings(self) -> nn.Embedding | None:
        """The table that gives each id its vector."""
        return self.embed_tokens

    def set_input_embeddings(self, value: nn.Embedding) -> None:
        """Take another table."""
        self.embed_tokens = value

    def forward(
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        encoder_hidden_states: Tensor | None = None,
        encoder_attention_mask: Tensor | None = None,
        inputs_embeds: Tensor | None = None,
        head_mask: Tensor | None = None,
        cross_attn_head_mask: Tensor | None = None,
        past_key_values: Cache | None = None,
        use_cache: bool | None = None,
        output_attentions: bool | None = None,
        output_hidden_states: bool | None = None,
        return_dict: bool | None = None,
    ) -> BaseModelOutput | BaseModelOutputWithPastAndCrossAttentions | tuple[object, ...]:
        """The stream above the last block, normed: (batch, length, d_model).

        Args:
            input_ids: (batch, length); with a cache only the new ones.
            attention_mask: 1 for what may be looked at, 0 for padding: (batch, cached and new positions).
            past_key_values: the cache that an earlier call answered.
        """
        asked = Asked.of(self.config, use_cache, output_attentions, output_hidden_states, return_dict)
        if self.computes_again:
            asked = without_cache(asked, use_cache)
        states = self.points.at("embedded", self.dropout(self.embed(input_ids, inputs_embeds)))
        if encoder_hidden_states is not None:
            check_encoder_states(encoder_hidden_states, states)
        if past_key_values is not None and self.is_decoder:
            check_cache(past_key_values, self.heads, self.config.d_kv, states, encoder_hidden_states)
        past = past_key_values[0][0].shape[2] if past_key_values else 0
        mask = self_attention_mask(attention_mask, states, past, self.is_decoder)
        cross_mask = cross_attention_mask(encoder_attention_mask, states, encoder_hidden_states)
        own_heads = self.for_layers("decoder_head_mask" if self.is_decoder else "head_mask", head_mask, states)
        cross_heads = self.for_layers("cross_attn_head_mask", cross_attn_head_mask, states)
        seen, bias = Seen([], [], [], []), None
        for number, block in enumerate(self.block):
            if asked.hidden_states:
                seen.states.append(states)
            out = self.through(
                block,
                states,
                attention_mask=mask,
                position_bias=bias,
                encoder_hidden_states=encoder_hidden_states,
                encoder_attention_mask=cross_mask,
                layer_head_mask=own_heads[number],
                cross_attn_layer_head_mask=cross_heads[number],
                past_key_value=past_key_values[number] if past_key_values else None,
                use_cache=asked.cache,
                output_attentions=asked.attentions,
            )
            # The first block makes the bias, with the mask in it, and hands it on to all others.
            states, bias = out.hidden_states, out.own.position_bias
            seen.add(out, asked)
        states = self.points.at("output", self.dropout(self.final_layer_norm(states)))
        return self.answer(states, seen, asked)

    @property
    def computes_again(self) -> bool:
        """Whether only what goes into each block is kept for the gradients."""
        return bool(self.gradient_checkpointing and self.training)

    def through(self, block: nn.Module, states: Tensor, **others: Any) -> BlockOutput:
        """What a block gives; with gradient checkpointing it is computed once more when gradients are."""
        if self.computes_again:
            again: BlockOutput = checkpoint(block, states, use_reentrant=False, **others)
            return again
        out: BlockOutput = block(states, **others)
        return out

    def embed(self, input_ids: Tensor | None, inputs_embeds: Tensor | None) -> Tensor:
        """The vector of each id, or the vectors that were given in their place: (batch, length, d_model)."""
        prefix = "decoder_" if self.is_decoder else ""
        if (input_ids is None) == (inputs_embeds is None):
            raise ValueError(f"give either {prefix}input_ids or {prefix}inputs_embeds, and not both")
        if input_ids is None:
            assert inputs_embeds is not None
            check_vectors(f"{prefix}inputs_embeds", inputs_embeds, self.final_layer_norm.weight)
            return inputs_embeds
        if self.embed_tokens is None:
            raise ValueError(f"this stack has no table for ids; give it one, or {prefix}inputs_embeds")
        check_ids(f"{prefix}input_ids", input_ids, self.embed_tokens.weight)
        embedded: Tensor = self.embed_tokens(input_ids)
        return embedded

    @property
    def heads(self) -> list[tuple[int, int]]:
        """How many heads each block's attentions have, its own and that to the encoder."""
        layers: list[Any] = [block.layer for block in self.block]
        return [(layer[0].SelfAttention.n_heads, layer[1].EncDecAttention.n_heads) for layer in layers]

    def for_layers(self, name: str, head_mask: Tensor | None, states: Tensor) -> list[Tensor | None]:
        """The mask of heads of each layer."""
        return head_mask_of_layers(name, head_mask, len(self.block), self.config.num_heads, states)

    def answer(
        self, states: Tensor, seen: Seen, asked: Asked
    ) -> BaseModelOutput | BaseModelOutputWithPastAndCrossAttentions | tuple[object, ...]:
        """What was asked for, with names or without."""
        hidden_states = (*seen.states, states) if asked.hidden_states else None
        weights = tuple(seen.weights) if asked.attentions else None
        if not self.is_decoder:
            encoded = BaseModelOutput(states, hidden_states, weights)
            return encoded if asked.names else encoded.to_tuple()
        cross = tuple(seen.cross_weights) or None
        cache = tuple(seen.cache) if asked.cache else None
        decoded = BaseModelOutputWithPastAndCrossAttentions(states, cache, hidden_states, weights, cross)
        return decoded if asked.names else decoded.to_tuple()
