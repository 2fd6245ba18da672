"""The T5 models: encoder and decoder, the encoder alone, and encoder and decoder with logits for the next token.

Leaves out: `parallelize`.

Source: transformers 4.26.1, models/t5/modeling_t5.py.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from torch import Tensor, nn
from torch.nn import functional

from tokenlab.libraries.transformers.generation.utils import GenerationMixin
from tokenlab.libraries.transformers.input_checks import IGNORE_INDEX, check_labels
from tokenlab.libraries.transformers.modeling_outputs import BaseModelOutput, Cache, Seq2SeqLMOutput, Seq2SeqModelOutput
from tokenlab.libraries.transformers.models.t5.configuration_t5 import T5Config
from tokenlab.libraries.transformers.models.t5.incremental_decoder import T5IncrementalDecoder, make_incremental_decoder
from tokenlab.libraries.transformers.models.t5.layers import (
    T5Attention,
    T5Block,
    T5DenseActDense,
    T5DenseGatedActDense,
    T5LayerCrossAttention,
    T5LayerFF,
    T5LayerNorm,
    T5LayerSelfAttention,
)
from tokenlab.libraries.transformers.models.t5.stack import T5PreTrainedModel, T5Stack
from tokenlab.libraries.transformers.module_utils import check_heads_to_prune
from tokenlab.printing.errors import warn

__all__ = [
    "T5Attention", "T5Block", "T5Config", "T5DenseActDense", "T5DenseGatedActDense", "T5EncoderModel",
    "T5ForConditionalGeneration", "T5LayerCrossAttention", "T5LayerFF", "T5LayerNorm", "T5LayerSelfAttention",
    "T5Model", "T5PreTrainedModel", "T5Stack",
]  # fmt: skip


class T5EncoderBase(T5PreTrainedModel):
    """Base class of the whole models: the embedding and the encoder."""

    has_embedding = True

    def __init__(self, config: T5Config) -> None:
        super().__init__(config)
        self.shared = nn.Embedding(config.vocab_size, config.d_model)
        self.encoder = T5Stack(stack_config(config, is_decoder=False), self.shared)

    def get_input_embeddings(self) -> nn.Embedding:
        """Return the embedding."""
        return self.shared

    def set_input_embeddings(self, value: nn.Embedding) -> None:
        """Replace the embedding, which encoder and decoder share."""
        self.shared = value
        for stack in self.children():
            if isinstance(stack, T5Stack):
                stack.set_input_embeddings(value)

    def get_encoder(self) -> T5Stack:
        """Return the encoder stack."""
        return self.encoder


def stack_config(config: T5Config, is_decoder: bool) -> T5Config:
    """Return the configuration of the encoder or of the decoder stack."""
    part = copy.deepcopy(config)
    part.is_decoder, part.is_encoder_decoder, part.pruned_heads = is_decoder, False, {}
    part.use_cache = is_decoder and config.use_cache
    part.num_layers = config.num_decoder_layers if is_decoder else config.num_layers
    return part


class T5EncoderModel(T5EncoderBase):
    """The encoder alone."""

    _keys_to_ignore_on_load_missing = (r"encoder.embed_tokens.weight",)

    def __init__(self, config: T5Config) -> None:
        super().__init__(config)
        self.post_init()

    def _prune_heads(self, heads_to_prune: Mapping[int, Iterable[int]]) -> None:
        blocks: Any = self.encoder.block
        layers: list[T5Attention] = [block.layer[0].SelfAttention for block in blocks]
        for layer, heads in heads_to_prune.items():
            if layer not in range(len(layers)):
                raise ValueError(f"heads_to_prune names layer {layer!r}, and layers go from 0 to {len(layers) - 1}")
            check_heads_to_prune(heads, layers[layer].heads, self.config.num_heads)
        for layer, heads in heads_to_prune.items():
            layers[layer].prune_heads(heads)

    def forward(
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        head_mask: Tensor | None = None,
        inputs_embeds: Tensor | None = None,
        output_attentions: bool | None = None,
        output_hidden_states: bool | None = None,
        return_dict: bool | None = None,
    ) -> tuple[Tensor, ...] | BaseModelOutput:
        """Return the encoder's output: last_hidden_state (batch, length, d_model), and the optional outputs."""
        encoded: tuple[Tensor, ...] | BaseModelOutput = self.encoder(
            input_ids,
            attention_mask=attention_mask,
            inputs_embeds=inputs_embeds,
            head_mask=head_mask,
            output_attentions=output_attentions,
            output_hidden_states=output_hidden_states,
            return_dict=return_dict,
        )
        return encoded


class T5EncoderDecoderBase(T5EncoderBase):
    """Base class of the two models with a decoder."""

    _keys_to_ignore_on_load_missing: ClassVar[tuple[str, ...]] = (
        r"encoder.embed_tokens.weight",
        r"decoder.embed_tokens.weight",
    )
    _keys_to_ignore_on_load_unexpected = (  # files converted from the first T5s contain an unused bias table
        r"decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight",
    )

    def __init__(self, config: T5Config) -> None:
        super().__init__(config)
        self.decoder = T5Stack(stack_config(config, is_decoder=True), self.shared)

    def get_decoder(self) -> T5Stack:
        """Return the decoder stack."""
        return self.decoder

    def forward(
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        decoder_input_ids: Tensor | None = None,
        decoder_attention_mask: Tensor | None = None,
        head_mask: Tensor | None = None,
        decoder_head_mask: Tensor | None = None,
        cross_attn_head_mask: Tensor | None = None,
        encoder_outputs: BaseModelOutput | tuple[Any, ...] | None = None,
        past_key_values: Cache | None = None,
        inputs_embeds: Tensor | None = None,
        decoder_inputs_embeds: Tensor | None = None,
        use_cache: bool | None = None,
        output_attentions: bool | None = None,
        output_hidden_states: bool | None = None,
        return_dict: bool | None = None,
    ) -> tuple[Tensor, ...] | Seq2SeqModelOutput:
        """Run the encoder, unless its outputs are given, and the decoder.

        Returns:
            The decoder's output, last_hidden_state (batch, length, d_model), and the optional outputs.
        """
        wanted = {"output_attentions": output_attentions, "output_hidden_states": output_hidden_states}
        if encoder_outputs is None:
            encoder_outputs = self.encoder(
                input_ids, attention_mask, inputs_embeds=inputs_embeds, head_mask=head_mask, return_dict=True, **wanted
            )
        encoded = as_model_output(encoder_outputs)
        decoded = self.decoder(
            decoder_input_ids,
            decoder_attention_mask,
            inputs_embeds=decoder_inputs_embeds,
            past_key_values=past_key_values,
            encoder_hidden_states=encoded.last_hidden_state,
            encoder_attention_mask=attention_mask,
            head_mask=decoder_head_mask_or_default(self.config, head_mask, decoder_head_mask),
            cross_attn_head_mask=cross_attn_head_mask,
            use_cache=use_cache,
            return_dict=True,
            **wanted,
        )
        both = (decoded.last_hidden_state, decoded.past_key_values, decoded.hidden_states, decoded.attentions)
        from_encoder = (encoded.last_hidden_state, encoded.hidden_states, encoded.attentions)
        output = Seq2SeqModelOutput(*both, decoded.cross_attentions, *from_encoder)
        return output.as_requested(self.config, return_dict)


def as_model_output(encoder_outputs: BaseModelOutput | tuple[Any, ...]) -> BaseModelOutput:
    """Return the encoder's outputs as a BaseModelOutput; a tuple is converted."""
    named = BaseModelOutput(*encoder_outputs[:3]) if isinstance(encoder_outputs, (tuple, list)) else encoder_outputs
    if getattr(named, "last_hidden_state", None) is None:
        raise TypeError(
            "encoder_outputs should be the encoder's output, with its last_hidden_state first, "
            f"and is a {type(encoder_outputs).__name__} without one; for a tensor give (tensor,)"
        )
    return named


def decoder_head_mask_or_default(
    config: T5Config, head_mask: Tensor | None, decoder_head_mask: Tensor | None
) -> Tensor | None:
    """Return the decoder's head mask; by default the encoder's, if both stacks have the same number of layers.

    The library intends the same, but 4.26.1 raises a NameError there, because its warning has a wrong name.
    """
    if head_mask is None or decoder_head_mask is not None or config.num_layers != config.num_decoder_layers:
        return decoder_head_mask
    warn(
        "head_mask is also used for the decoder; give decoder_head_mask=torch.ones(...) to keep all of its heads",
        FutureWarning,
    )
    return head_mask


class T5Model(T5EncoderDecoderBase):
    """Encoder and decoder.

    >>> import torch
    >>> model = T5Model(T5Config(10, 4, 2, 4, 1, num_heads=1))
    >>> ids = torch.tensor([[3, 4, 1]])
    >>> model(ids, decoder_input_ids=ids[:, :2]).last_hidden_state.shape
    torch.Size([1, 2, 4])
    """

    def __init__(self, config: T5Config) -> None:
        super().__init__(config)
        self.post_init()


class T5ForConditionalGeneration(T5EncoderDecoderBase, GenerationMixin):
    """Encoder, decoder, and an output layer: the logits of all ids at each position.

    >>> import torch
    >>> model = T5ForConditionalGeneration(T5Config(10, 4, 2, 4, 1, num_heads=1, decoder_start_token_id=0))
    >>> output = model(torch.tensor([[3, 4, 1]]), labels=torch.tensor([[5, 1]]))
    >>> output.logits.shape, output.loss.shape
    (torch.Size([1, 2, 10]), torch.Size([]))
    """

    _keys_to_ignore_on_load_missing = (*T5EncoderDecoderBase._keys_to_ignore_on_load_missing, r"lm_head.weight")

    def __init__(self, config: T5Config) -> None:
        super().__init__(config)
        self.model_dim = config.d_model
        self.lm_head = nn.Linear(config.d_model, config.vocab_size, bias=False)
        self.post_init()

    def get_output_embeddings(self) -> nn.Linear:
        """Return the output layer, which computes the logits."""
        return self.lm_head

    def set_output_embeddings(self, value: nn.Linear) -> None:
        """Replace the output layer."""
        self.lm_head = value

    def forward(  # type: ignore[override]  # labels are in the middle, as in the library
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        decoder_input_ids: Tensor | None = None,
        decoder_attention_mask: Tensor | None = None,
        head_mask: Tensor | None = None,
        decoder_head_mask: Tensor | None = None,
        cross_attn_head_mask: Tensor | None = None,
        encoder_outputs: BaseModelOutput | tuple[Any, ...] | None = None,
        past_key_values: Cache | None = None,
        inputs_embeds: Tensor | None = None,
        decoder_inputs_embeds: Tensor | None = None,
        labels: Tensor | None = None,
        use_cache: bool | None = None,
        output_attentions: bool | None = None,
        output_hidden_states: bool | None = None,
        return_dict: bool | None = None,
    ) -> tuple[Tensor, ...] | Seq2SeqLMOutput:
        """Return the logits of the next token (batch, length, vocab_size) and, with labels, their cross-entropy.

        Args:
            labels: the target ids; -100 for positions that are ignored. Without decoder_input_ids, the labels
                shifted right are the decoder's input.
        """
        if labels is not None:
            check_labels(labels, self.lm_head.weight)
            if decoder_input_ids is None and decoder_inputs_embeds is None:
                decoder_input_ids = self._shift_right(labels)
        output: Any = super().forward(
            input_ids,
            attention_mask=attention_mask,
            decoder_input_ids=decoder_input_ids,
            decoder_attention_mask=decoder_attention_mask,
            head_mask=head_mask,
            decoder_head_mask=decoder_head_mask,
            cross_attn_head_mask=cross_attn_head_mask,
            encoder_outputs=encoder_outputs,
            past_key_values=past_key_values,
            inputs_embeds=inputs_embeds,
            decoder_inputs_embeds=decoder_inputs_embeds,
            use_cache=use_cache,
            output_attentions=output_attentions,
            output_hidden_states=output_hidden_states,
            return_dict=True,
        )
        logits = self.compute_logits(output.last_hidden_state)
        loss = None if labels is None else mean_cross_entropy(logits, labels)
        return Seq2SeqLMOutput(loss, logits, *list(vars(output).values())[1:]).as_requested(self.config, return_dict)

    def compute_logits(self, states: Tensor | None) -> Tensor:
        """Return the logits: the dot product of each hidden state with each row of the output layer."""
        assert states is not None  # (batch, length, d_model)
        if self.config.tie_word_embeddings:
            # The embedding is initialized with standard deviation 1; unscaled, the logits would grow with d_model.
            states = states * self.model_dim**-0.5
        logits: Tensor = self.lm_head(states)  # (batch, length, vocab_size)
        return logits

    def prepare_decoder_input_ids_from_labels(self, labels: Tensor) -> Tensor:
        """Return the decoder input for the labels, shifted right."""
        return self._shift_right(labels)

    def prepare_inputs_for_generation(
        self,
        input_ids: Tensor,
        past_key_values: Cache | None = None,
        attention_mask: Tensor | None = None,
        head_mask: Tensor | None = None,
        decoder_head_mask: Tensor | None = None,
        cross_attn_head_mask: Tensor | None = None,
        use_cache: bool | None = None,
        encoder_outputs: BaseModelOutput | tuple[Any, ...] | None = None,
        **kwargs: Any,
    ) -> dict[str, Any]:
        """Return the arguments of forward for the next step; tokens in the cache are not read again.

        Args:
            input_ids: all tokens generated so far: (batch, length).
            kwargs: further arguments of a loop, which are ignored.
        """
        return {
            "decoder_input_ids": input_ids if past_key_values is None else input_ids[:, -1:],
            "past_key_values": past_key_values,
            "encoder_outputs": encoder_outputs,
            "attention_mask": attention_mask,
            "head_mask": head_mask,
            "decoder_head_mask": decoder_head_mask,
            "cross_attn_head_mask": cross_attn_head_mask,
            "use_cache": use_cache,
        }

    def incremental_decoder(
        self,
        num_sources: int,
        past_key_values: Cache | None = None,
        attention_mask: Tensor | None = None,
        first_ids: Tensor | None = None,
        encoder_outputs: BaseModelOutput | tuple[Any, ...] | None = None,
        use_cache: bool | None = None,
        **kwargs: Any,
    ) -> T5IncrementalDecoder | None:
        """Return a fast decoder for the next tokens, or None if `forward` is needed.

        A subclass that overrides `forward` needs it, for example (`overrides_decoding_step`).

        Args:
            num_sources: the number of source texts; each has the same number of consecutive rows.
            past_key_values: the cache that forward returned for the tokens so far; None before the first token.
            first_ids: the tokens with which the outputs start, if there is no cache: (rows, 1).
            kwargs: further arguments of a loop; with a head mask `forward` is needed, the others are ignored.
        """
        masks = (kwargs.get(name) for name in ("head_mask", "decoder_head_mask", "cross_attn_head_mask"))
        if any(mask is not None for mask in masks) or overrides_decoding_step(self):
            return None
        if past_key_values is not None:
            return make_incremental_decoder(self, past_key_values, attention_mask, num_sources)
        if first_ids is None or encoder_outputs is None or not self.decoder.resolve_use_cache(use_cache):
            return None
        encoder_states: Any = as_model_output(encoder_outputs).last_hidden_state
        self.decoder.check_inputs(first_ids, encoder_states, attention_mask)
        return make_incremental_decoder(self, None, attention_mask, num_sources, encoder_states)

    def _reorder_cache(self, past: Cache | None, beam_idx: Tensor) -> Cache | None:
        """Return the cache with reordered rows: new row i is old row beam_idx[i].

        >>> import torch
        >>> model = T5ForConditionalGeneration(T5Config(10, 4, 2, 4, 1, num_heads=1))
        >>> cache = ((torch.tensor([[5.0], [6.0]]),),)
        >>> model._reorder_cache(cache, torch.tensor([1, 1]))
        ((tensor([[6.],
                [6.]]),),)
        """
        if past is None:
            warn("there is no cache to reorder; with use_cache=True each step would be faster")
            return None
        return tuple(tuple(t.index_select(0, beam_idx.to(t.device)) for t in layer) for layer in past)


STEP_METHODS = (  # the methods that compute one decoding step
    *("__call__", "forward", "compute_logits", "prepare_inputs_for_generation", "_reorder_cache"),
    *("_update_model_kwargs_for_generation", "_extract_past_from_model_output"),
)
OUR_STEP_METHODS = {name: getattr(T5ForConditionalGeneration, name) for name in STEP_METHODS}


def overrides_decoding_step(model: Any) -> bool:
    """Return True if a subclass, or an attribute of this model, overrides a method of the decoding step.

    >>> class Mine(T5ForConditionalGeneration):
    ...     def forward(self, *args, **kwargs):
    ...         return super().forward(*args, **kwargs)
    >>> [overrides_decoding_step(kind(T5Config(10, 4, 2, 4, 1))) for kind in (T5ForConditionalGeneration, Mine)]
    [False, True]
    """
    return any(name in vars(model) or getattr(type(model), name) is not ours for name, ours in OUR_STEP_METHODS.items())


def mean_cross_entropy(logits: Tensor, labels: Tensor) -> Tensor:
    """Return the mean cross-entropy, -ln p(label), over the positions that are not ignored."""
    if labels.shape != logits.shape[:2]:
        raise ValueError(
            f"labels has the shape {tuple(labels.shape)} but the decoder's input has {tuple(logits.shape[:2])}: "
            "each position predicts one label"
        )
    return functional.cross_entropy(logits.flatten(0, 1), labels.flatten().long(), ignore_index=IGNORE_INDEX)
