"""The whole models: encoder and decoder, the encoder alone, and both with scores for the next token.

Left out: `parallelize`.

Source: transformers 4.26.1, models/t5/modeling_t5.py.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from torch import Tensor, nn
from torch.nn import functional

from tokenlab.transformers.configuration_t5 import T5Config
from tokenlab.transformers.generation.utils import GenerationMixin
from tokenlab.transformers.model_output import (
    BaseModelOutput,
    Cache,
    Seq2SeqLMOutput,
    Seq2SeqModelOutput,
)
from tokenlab.transformers.pruning import check_heads
from tokenlab.transformers.t5_attention import T5Attention, T5LayerCrossAttention, T5LayerSelfAttention
from tokenlab.transformers.t5_checks import IGNORED, check_labels
from tokenlab.transformers.t5_decoding import T5Decoding, going_on
from tokenlab.transformers.t5_layers import T5DenseActDense, T5DenseGatedActDense, T5LayerFF, T5LayerNorm
from tokenlab.transformers.t5_pretrained import T5PreTrainedModel
from tokenlab.transformers.t5_stack import T5Block, T5Stack

__all__ = [
    "T5Attention",
    "T5Block",
    "T5Config",
    "T5DenseActDense",
    "T5DenseGatedActDense",
    "T5EncoderModel",
    "T5ForConditionalGeneration",
    "T5LayerCrossAttention",
    "T5LayerFF",
    "T5LayerNorm",
    "T5LayerSelfAttention",
    "T5Model",
    "T5PreTrainedModel",
    "T5Stack",
]


class WithEncoder(T5PreTrainedModel):
    """What the whole models share: the table of ids, and the encoder."""

    def __init__(self, config: T5Config) -> None:
        super().__init__(config)
        self.shared = nn.Embedding(config.vocab_size, config.d_model)
        self.encoder = T5Stack(part_of(config, is_decoder=False), self.shared)

    def get_input_embeddings(self) -> nn.Embedding:
        """The table that gives each id its vector."""
        return self.shared

    def set_input_embeddings(self, value: nn.Embedding) -> None:
        """Take another table, which encoder and decoder both read."""
        self.shared = value
        for stack in self.children():
            if isinstance(stack, T5Stack):
                stack.set_input_embeddings(value)

    def get_encoder(self) -> T5Stack:
        """The stack that reads the input."""
        return self.encoder


def part_of(config: T5Config, is_decoder: bool) -> T5Config:
    """The configuration of one of the two stacks."""
    part = copy.deepcopy(config)
    part.is_decoder, part.is_encoder_decoder, part.pruned_heads = is_decoder, False, {}
    part.use_cache = is_decoder and config.use_cache
    part.num_layers = config.num_decoder_layers if is_decoder else config.num_layers
    return part


class T5EncoderModel(WithEncoder):
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
            check_heads(heads, layers[layer].heads, self.config.num_heads)
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
    ) -> Any:
        """The encoder's output: last_hidden_state (batch, length, d_model), and what else was asked for."""
        return self.encoder(
            input_ids,
            attention_mask=attention_mask,
            inputs_embeds=inputs_embeds,
            head_mask=head_mask,
            output_attentions=output_attentions,
            output_hidden_states=output_hidden_states,
            return_dict=return_dict,
        )


class EncoderDecoder(WithEncoder):
    """What the two models with a decoder share."""

    _keys_to_ignore_on_load_missing: ClassVar[tuple[str, ...]] = (
        r"encoder.embed_tokens.weight",
        r"decoder.embed_tokens.weight",
    )
    _keys_to_ignore_on_load_unexpected = (  # files made from the first T5s have a table that nobody reads
        r"decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight",
    )

    def __init__(self, config: T5Config) -> None:
        super().__init__(config)
        self.decoder = T5Stack(part_of(config, is_decoder=True), self.shared)

    def get_decoder(self) -> T5Stack:
        """The stack that writes the output."""
        return self.decoder

    def run(
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
    ) -> Seq2SeqModelOutput:
        """Encode, unless the encoder's outputs are given, and decode."""
        wanted = {"output_attentions": output_attentions, "output_hidden_states": output_hidden_states}
        if encoder_outputs is None:
            encoder_outputs = self.encoder(
                input_ids, attention_mask, inputs_embeds=inputs_embeds, head_mask=head_mask, return_dict=True, **wanted
            )
        encoded = with_names(encoder_outputs)
        decoded = self.decoder(
            decoder_input_ids,
            decoder_attention_mask,
            inputs_embeds=decoder_inputs_embeds,
            past_key_values=past_key_values,
            encoder_hidden_states=encoded.last_hidden_state,
            encoder_attention_mask=attention_mask,
            head_mask=heads_of_decoder(self.config, head_mask, decoder_head_mask),
            cross_attn_head_mask=cross_attn_head_mask,
            use_cache=use_cache,
            return_dict=True,
            **wanted,
        )
        both = (decoded.last_hidden_state, decoded.past_key_values, decoded.hidden_states, decoded.attentions)
        from_encoder = (encoded.last_hidden_state, encoded.hidden_states, encoded.attentions)
        return Seq2SeqModelOutput(*both, decoded.cross_attentions, *from_encoder)

    def wants_names(self, return_dict: bool | None) -> bool:
        """Whether forward answers with names: as the call says, or else the configuration."""
        return self.config.use_return_dict if return_dict is None else return_dict


def with_names(encoder_outputs: BaseModelOutput | tuple[Any, ...]) -> BaseModelOutput:
    """The encoder's outputs with their names, where they came as a tuple."""
    named = BaseModelOutput(*encoder_outputs[:3]) if isinstance(encoder_outputs, (tuple, list)) else encoder_outputs
    if getattr(named, "last_hidden_state", None) is None:
        raise TypeError(
            "encoder_outputs should be what the encoder answered, with its last_hidden_state first, "
            f"and is a {type(encoder_outputs).__name__} without one; for a tensor take (tensor,)"
        )
    return named


def heads_of_decoder(config: T5Config, head_mask: Tensor | None, decoder_head_mask: Tensor | None) -> Tensor | None:
    """The decoder's mask of heads; the encoder's stands in for it where both are equally deep.

    The library means to do so, too, and stops there with a NameError: 4.26.1 looks for its warning under a wrong name.
    """
    if head_mask is None or decoder_head_mask is not None or config.num_layers != config.num_decoder_layers:
        return decoder_head_mask
    warnings.warn(
        "head_mask is used for the decoder, too; give decoder_head_mask=torch.ones(...) to keep its heads",
        FutureWarning,
        stacklevel=4,
    )
    return head_mask


class T5Model(EncoderDecoder):
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
    ) -> Any:
        """The decoder's output, last_hidden_state (batch, length, d_model), and what else was asked for."""
        output = self.run(
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
        )
        return output if self.wants_names(return_dict) else output.to_tuple()


class T5ForConditionalGeneration(EncoderDecoder, GenerationMixin):
    """Encoder, decoder, and a score for each id of the vocabulary at each position.

    >>> import torch
    >>> model = T5ForConditionalGeneration(T5Config(10, 4, 2, 4, 1, num_heads=1, decoder_start_token_id=0))
    >>> output = model(torch.tensor([[3, 4, 1]]), labels=torch.tensor([[5, 1]]))
    >>> output.logits.shape, output.loss.shape
    (torch.Size([1, 2, 10]), torch.Size([]))
    """

    _keys_to_ignore_on_load_missing = (*EncoderDecoder._keys_to_ignore_on_load_missing, r"lm_head.weight")

    def __init__(self, config: T5Config) -> None:
        super().__init__(config)
        self.model_dim = config.d_model
        self.lm_head = nn.Linear(config.d_model, config.vocab_size, bias=False)
        self.post_init()

    def get_output_embeddings(self) -> nn.Linear:
        """The layer that scores each id."""
        return self.lm_head

    def set_output_embeddings(self, value: nn.Linear) -> None:
        """Take another layer for the scores."""
        self.lm_head = value

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
        labels: Tensor | None = None,
        use_cache: bool | None = None,
        output_attentions: bool | None = None,
        output_hidden_states: bool | None = None,
        return_dict: bool | None = None,
    ) -> Any:
        """The scores of the next token, logits (batch, length, vocab_size), and with labels their loss.

        Args:
            labels: what the decoder should write; -100 where it does not matter. Without decoder_input_ids they are
                also what it reads, shifted right.
        """
        if labels is not None:
            check_labels(labels, self.lm_head.weight)
            if decoder_input_ids is None and decoder_inputs_embeds is None:
                decoder_input_ids = self._shift_right(labels)
        output = self.run(
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
        )
        logits = self.score(output.last_hidden_state)
        loss = None if labels is None else mean_loss(logits, labels)
        answer = Seq2SeqLMOutput(loss, logits, *list(vars(output).values())[1:])
        return answer if self.wants_names(return_dict) else answer.to_tuple()

    def score(self, states: Tensor | None) -> Tensor:
        """The score of each id: how well its row of the table agrees with the state."""
        assert states is not None  # (batch, length, d_model)
        if self.config.tie_word_embeddings:
            # The table begins with a spread of 1; without this the scores would grow with the width.
            states = states * self.model_dim**-0.5
        logits: Tensor = self.lm_head(states)  # (batch, length, vocab_size)
        return logits

    def prepare_decoder_input_ids_from_labels(self, labels: Tensor) -> Tensor:
        """What the decoder reads to predict these labels."""
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
        """The arguments of forward for the next step: what is in the cache is not read again.

        Args:
            input_ids: all that was written so far: (batch, length).
            kwargs: what else a loop passes on; nobody looks at it.
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

    def going_on(
        self,
        texts: int,
        past_key_values: Cache | None = None,
        attention_mask: Tensor | None = None,
        head_mask: Tensor | None = None,
        decoder_head_mask: Tensor | None = None,
        cross_attn_head_mask: Tensor | None = None,
        **kwargs: Any,
    ) -> T5Decoding | None:
        """What reads further tokens one by one, quicker than forward; None where nothing but forward will do.

        A subclass that has a `forward` of its own is such a case (`has_steps_of_its_own`).

        Args:
            texts: how many texts the rows belong to, in equal parts one after another.
            past_key_values: as forward answered it for what was written so far.
            kwargs: what else a loop passes on; nobody looks at it.
        """
        masks = (head_mask, decoder_head_mask, cross_attn_head_mask)
        if past_key_values is None or any(mask is not None for mask in masks) or has_steps_of_its_own(self):
            return None
        return going_on(self, past_key_values, attention_mask, texts)

    def _reorder_cache(self, past: Cache | None, beam_idx: Tensor) -> Cache | None:
        """The cache with other rows: row i goes on from what row beam_idx[i] was.

        >>> import torch
        >>> model = T5ForConditionalGeneration(T5Config(10, 4, 2, 4, 1, num_heads=1))
        >>> cache = ((torch.tensor([[5.0], [6.0]]),),)
        >>> model._reorder_cache(cache, torch.tensor([1, 1]))
        ((tensor([[6.],
                [6.]]),),)
        """
        if past is None:
            warnings.warn("there is no cache to reorder; with use_cache=True each step would be faster", stacklevel=2)
            return None
        return tuple(tuple(t.index_select(0, beam_idx.to(t.device)) for t in layer) for layer in past)


STEP = ("__call__", "forward", "run", "score", "prepare_inputs_for_generation", "_reorder_cache")  # reads a token
OURS = {name: getattr(T5ForConditionalGeneration, name) for name in STEP}


def has_steps_of_its_own(model: Any) -> bool:
    """Whether a subclass, or an attribute of this one model, decides how a token is read.

    >>> class Mine(T5ForConditionalGeneration):
    ...     def forward(self, *args, **kwargs):
    ...         return super().forward(*args, **kwargs)
    >>> [has_steps_of_its_own(kind(T5Config(10, 4, 2, 4, 1))) for kind in (T5ForConditionalGeneration, Mine)]
    [False, True]
    """
    return any(name in vars(model) or getattr(type(model), name) is not ours for name, ours in OURS.items())


def mean_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """The mean of -log(probability of the label) over the positions that count."""
    if labels.shape != logits.shape[:2]:
        raise ValueError(
            f"labels has the shape {tuple(labels.shape)} and the decoder's input has {tuple(logits.shape[:2])}: "
            "each position predicts one label"
        )
    return functional.cross_entropy(logits.flatten(0, 1), labels.flatten().long(), ignore_index=IGNORED)
