"""T5 stacks: the encoder, and the decoder with its KV cache.

Source: transformers 4.26.1, models/t5/modeling_t5.py.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from tokenlab.libraries.transformers.input_checks import (
    check_cache,
    check_encoder_states,
    check_head_mask,
    check_ids,
    check_inputs_embeds,
    check_mask,
)
from tokenlab.libraries.transformers.modeling_outputs import (
    BaseModelOutput,
    BaseModelOutputWithPastAndCrossAttentions,
    Cache,
)
from tokenlab.libraries.transformers.models.t5.configuration_t5 import T5Config
from tokenlab.libraries.transformers.models.t5.layers import BlockOutput, HookPoints, T5Block, T5LayerNorm
from tokenlab.libraries.transformers.models.t5.pretrained_model import T5PreTrainedModel
from tokenlab.printing.errors import warn


class T5Stack(T5PreTrainedModel):
    """An encoder or, if config.is_decoder is set, a decoder."""

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
        self.points = HookPoints("embedded", "output")
        self.post_init()

    def get_input_embeddings(self) -> nn.Embedding | None:
        """Return the embedding."""
        return self.embed_tokens

    def set_input_embeddings(self, value: nn.Embedding) -> None:
        """Replace the embedding."""
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
    ) -> Any:
        """Return the normalized hidden states after the last block: (batch, length, d_model).

        Args:
            input_ids: (batch, length); with a cache only the new ids.
            attention_mask: (batch, cached and new positions), 1 for tokens and 0 for padding.
            past_key_values: the cache that an earlier call returned.
        """
        config, use_cache = self.config, self.resolve_use_cache(use_cache)
        output_attentions = config.output_attentions if output_attentions is None else output_attentions
        output_hidden_states = config.output_hidden_states if output_hidden_states is None else output_hidden_states
        states = self.points.at("embedded", self.dropout(self.embed(input_ids, inputs_embeds)))
        if encoder_hidden_states is not None:
            check_encoder_states(encoder_hidden_states, states)
        if past_key_values is not None and self.is_decoder:
            check_cache(past_key_values, self.heads, config.d_kv, states, encoder_hidden_states)
        past = past_key_values[0][0].shape[2] if past_key_values else 0
        mask = self.additive_mask(attention_mask, states, past)
        cross_mask = None
        if encoder_attention_mask is not None and encoder_hidden_states is not None:
            check_mask("encoder_attention_mask", encoder_attention_mask, states, keys=encoder_hidden_states.shape[1])
            cross_mask = self.invert_attention_mask(encoder_attention_mask)
        head_masks = []
        for name, given in (
            (f"{self.argument_prefix}head_mask", head_mask),
            ("cross_attn_head_mask", cross_attn_head_mask),
        ):
            if given is not None:
                check_head_mask(name, given, len(self.block), config.num_heads, states)
            head_masks.append(self.get_head_mask(given, len(self.block)))
        bias: Tensor | None = None
        hidden_states, cache, weights, cross_weights = list[Any](), list[Any](), list[Any](), list[Any]()
        for number, block in enumerate(self.block):
            if output_hidden_states:
                hidden_states.append(states)
            out = self.run_block(
                block,
                states,
                attention_mask=mask,
                position_bias=bias,
                encoder_hidden_states=encoder_hidden_states,
                encoder_attention_mask=cross_mask,
                layer_head_mask=head_masks[0][number],
                cross_attn_layer_head_mask=head_masks[1][number],
                past_key_value=past_key_values[number] if past_key_values else None,
                use_cache=use_cache,
                output_attentions=output_attentions,
            )
            # The first block computes bias + mask, which is passed to all other blocks.
            states, bias = out.hidden_states, out.self_attention.position_bias
            cache.append(out.key_values)
            weights.append(out.self_attention.weights)
            cross_weights.append(out.cross_attention.weights)
        states = self.points.at("output", self.dropout(self.final_layer_norm(states)))
        optional = (
            (*hidden_states, states) if output_hidden_states else None,
            tuple(weights) if output_attentions else None,
        )
        if not self.is_decoder:
            return BaseModelOutput(states, *optional).as_requested(config, return_dict)
        cross = tuple(cross_weights) if output_attentions and encoder_hidden_states is not None else None
        output = BaseModelOutputWithPastAndCrossAttentions(
            states, tuple(cache) if use_cache else None, *optional, cross
        )
        return output.as_requested(config, return_dict)

    def resolve_use_cache(self, use_cache: bool | None) -> bool:
        """Whether to return a cache: by default as configured, and never with gradient checkpointing.

        Raises:
            ValueError: this stack is an encoder, which has no cache.
        """
        wanted = self.config.use_cache if use_cache is None else use_cache
        if wanted and not self.is_decoder:
            raise ValueError("use_cache=True is for a decoder, and this stack is an encoder")
        if use_cache and self.is_gradient_checkpointing:
            warn("use_cache=True is ignored: with gradient checkpointing there is no cache")
        return bool(wanted and not self.is_gradient_checkpointing)

    @property
    def argument_prefix(self) -> str:
        """The start of the names that the arguments of this stack have in the whole model."""
        return "decoder_" if self.is_decoder else ""

    def additive_mask(self, mask: Tensor | None, states: Tensor, past: int) -> Tensor | None:
        """Return the additive mask of self attention, or None if no key is hidden from any query.

        Args:
            mask: (batch, keys), or (batch, queries, keys), which gets no causal mask; keys include the cached ones.
            states: (batch, queries, d_model).
            past: the number of positions in the cache.
        """
        queries = states.shape[1]
        if mask is not None:
            check_mask(f"{self.argument_prefix}attention_mask", mask, states, past + queries)
        elif self.is_decoder and queries > 1:  # a single query is the last position and may attend to every key
            mask = states.new_ones(1, past + queries)
        return None if mask is None else self.get_extended_attention_mask(mask, states.shape[:2])

    @property
    def is_gradient_checkpointing(self) -> bool:
        """Whether only the inputs of the blocks are kept for the backward pass."""
        return bool(self.gradient_checkpointing and self.training)

    def run_block(self, block: nn.Module, states: Tensor, **others: Any) -> BlockOutput:
        """Run one block; with gradient checkpointing, the backward pass runs it again."""
        if self.is_gradient_checkpointing:
            again: BlockOutput = checkpoint(block, states, use_reentrant=False, **others)
            return again
        out: BlockOutput = block(states, **others)
        return out

    def embed(self, input_ids: Tensor | None, inputs_embeds: Tensor | None) -> Tensor:
        """Return the embeddings of the ids, or the given embeddings: (batch, length, d_model)."""
        prefix = self.argument_prefix
        if (input_ids is None) == (inputs_embeds is None):
            raise ValueError(f"give either {prefix}input_ids or {prefix}inputs_embeds, and not both")
        if input_ids is None:
            assert inputs_embeds is not None
            check_inputs_embeds(f"{prefix}inputs_embeds", inputs_embeds, self.final_layer_norm.weight)
            return inputs_embeds
        if self.embed_tokens is None:
            raise ValueError(f"this stack has no embedding; give it one, or {prefix}inputs_embeds")
        check_ids(f"{prefix}input_ids", input_ids, self.embed_tokens.weight)
        embedded: Tensor = self.embed_tokens(input_ids)
        return embedded

    def check_inputs(self, input_ids: Tensor, encoder_states: Tensor, encoder_mask: Tensor | None) -> None:
        """Raise an error for inputs with which `forward` would raise one, without running the blocks."""
        states = self.embed(input_ids, None)
        check_encoder_states(encoder_states, states)
        if encoder_mask is not None:
            check_mask("encoder_attention_mask", encoder_mask, states, keys=encoder_states.shape[1])

    @property
    def heads(self) -> list[tuple[int, int]]:
        """The number of heads of each block's self attention and cross attention."""
        layers: list[Any] = [block.layer for block in self.block]
        return [(layer[0].SelfAttention.n_heads, layer[1].EncDecAttention.n_heads) for layer in layers]
