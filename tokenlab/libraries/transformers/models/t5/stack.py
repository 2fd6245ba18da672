"""T5 stacks: the encoder, and the decoder with its KV cache; and `T5PreTrainedModel`, their base class.

Adds: the weights of a new model, and size checks: configurations are rejected that cannot be built, or that cannot
belong to a file of weights. The checks know a lower bound on the memory of a new model, and the sizes that follow from
the shapes in a weight file's header; activations, gradients and the optimizer, which need more memory, are left out.

Source: transformers 4.26.1, models/t5/modeling_t5.py.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from tokenlab.libraries.transformers.input_checks import (
    IGNORE_INDEX,
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
from tokenlab.libraries.transformers.modeling_utils import PreTrainedModel
from tokenlab.libraries.transformers.models.t5.configuration_t5 import T5Config
from tokenlab.libraries.transformers.models.t5.layers import (
    BlockOutput,
    HookPoints,
    T5Attention,
    T5Block,
    T5DenseActDense,
    T5DenseGatedActDense,
    T5LayerNorm,
)
from tokenlab.libraries.transformers.module_utils import installed_memory
from tokenlab.libraries.transformers.weights import set_parameter
from tokenlab.printing.errors import warn

DUMMY_INPUTS = [[7, 6, 0, 0, 1], [1, 2, 3, 0, 0], [0, 0, 0, 4, 5]]
DUMMY_MASK = [[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [0, 0, 0, 1, 1]]


class T5PreTrainedModel(PreTrainedModel):
    """Base class with weight initialization and shift_right."""

    config: T5Config
    config_class = T5Config
    base_model_prefix = "transformer"
    is_parallelizable = True
    supports_gradient_checkpointing = True
    _no_split_modules = ("T5Block",)
    _keep_in_fp32_modules = ("wo",)
    has_embedding: ClassVar[bool] = False

    def __init__(self, config: T5Config) -> None:
        super().__init__(config)
        check_model_size(config, self.has_embedding)

    @classmethod
    def check_against_weights(
        cls, config: T5Config, read_shapes: Callable[[], Mapping[str, Sequence[int]]], where: str
    ) -> None:
        """Raise a ValueError for sizes that the weights contradict so clearly that building would take too long."""
        layers, sizes = max(config.num_layers, config.num_decoder_layers), {name for _, _, name in VISIBLE_SIZES}
        if layers > MANY_LAYERS or any(getattr(config, name) > LARGE_SIZE for name in sizes):
            check_sizes_fit_weights(config, read_shapes(), where)

    @property
    def dummy_inputs(self) -> dict[str, Tensor]:
        """A small padded input for testing the model."""
        ids, mask = torch.tensor(DUMMY_INPUTS), torch.tensor(DUMMY_MASK)
        return {"decoder_input_ids": ids, "input_ids": ids, "decoder_attention_mask": mask}

    def _init_weights(self, module: nn.Module) -> None:
        """Initialize the weights of one module; the small query weights make scaled attention scores unnecessary."""
        factor, config = self.config.initializer_factor, self.config
        d_model, d_kv, d_ff, heads = config.d_model, config.d_kv, config.d_ff, config.num_heads
        std_of: dict[str, float] = {}
        if isinstance(module, T5LayerNorm):
            nn.init.constant_(module.weight, factor)
        elif isinstance(module, T5PreTrainedModel):
            std_of = {"shared": 1.0} if config.tie_word_embeddings else {"shared": 1.0, "lm_head": 1.0}
        elif isinstance(module, (T5DenseActDense, T5DenseGatedActDense)):
            std_of = {"wi": d_model**-0.5, "wi_0": d_model**-0.5, "wi_1": d_model**-0.5, "wo": d_ff**-0.5}
        elif isinstance(module, T5Attention):
            # q includes the factor 1/sqrt(d_kv), by which other models multiply their scores.
            std_of = {"q": (d_model * d_kv) ** -0.5, "k": d_model**-0.5, "v": d_model**-0.5}
            std_of |= {"o": (heads * d_kv) ** -0.5, "relative_attention_bias": d_model**-0.5}
        for name, std in std_of.items():
            if hasattr(module, name):
                nn.init.normal_(module.get_parameter(f"{name}.weight"), std=factor * std)

    def _shift_right(self, input_ids: Tensor) -> Tensor:
        """Return the decoder input for the labels: the start id, then each label except the last.

        >>> from tokenlab.libraries.transformers import T5Model
        >>> model = T5Model(T5Config(10, 4, 2, 4, 1, num_heads=1, decoder_start_token_id=0))
        >>> model._shift_right(torch.tensor([[8, 9, 1], [8, -100, -100]])).tolist()
        [[0, 8, 9], [0, 8, 0]]
        """
        start, pad = self.config.decoder_start_token_id, self.config.pad_token_id
        if start is None or pad is None:
            name = "decoder_start_token_id" if start is None else "pad_token_id"
            raise ValueError(f"config.{name} is None, but shifting the labels needs it; a T5 starts with pad, 0")
        if not 0 <= start < self.config.vocab_size:
            last = self.config.vocab_size - 1
            raise ValueError(f"config.decoder_start_token_id={start}, but ids go from 0 to {last}")
        shifted = functional.pad(input_ids[:, :-1], (1, 0), value=start)
        return shifted.masked_fill(shifted == IGNORE_INDEX, pad)

    @staticmethod
    def _tie_encoder_decoder_weights(encoder: Any, decoder: Any, base_model_prefix: str = "") -> None:
        """Let the encoder's blocks share the decoder's weights, except for cross attention."""
        for own, other in zip(encoder.block, decoder.block, strict=False):
            share_parameters(other.layer[0], own.layer[0])
            share_parameters(other.layer[-1], own.layer[-1])
        share_parameters(decoder.final_layer_norm, encoder.final_layer_norm)
        if len(encoder.block) > len(decoder.block):
            warn(
                f"tie_encoder_decoder=True: the encoder's blocks from {len(decoder.block)} on have no counterpart in "
                "the decoder, and keep their own weights",
                UserWarning,
            )

    def _prune_heads(self, heads_to_prune: Mapping[int, Iterable[int]]) -> None:
        """Raise an error, as the library does: in an encoder-decoder a layer number is ambiguous."""
        raise AttributeError(
            f"prune_heads is for a T5EncoderModel: in a {type(self).__name__} a layer number does not say "
            "in which stack; prune the heads directly, as in encoder.block[0].layer[0].SelfAttention.prune_heads({0})"
        )


def share_parameters(source: nn.Module, target: nn.Module) -> None:
    """Let a module share the parameters of another module of the same structure."""
    for name, parameter in source.named_parameters():
        set_parameter(target, [name], parameter)


# --- sizes --------------------------------------------------------------------------------------------

MAX_BYTES = 2**63 - 1  # PyTorch computes sizes and offsets as signed 64-bit integers
MIN_BLOCK_OBJECTS = 2**14  # bytes; the Python objects of one block take about 68,000
MANY_LAYERS, LARGE_SIZE = 1000, 10**6  # published T5s have at most 24 layers, d_ff=65536 and 250,112 ids
MAX_RATIO = 1000  # between a size in the configuration and the same size in the weights

# A parameter, the dimension that shows a size, and the setting that holds the size.
VISIBLE_SIZES = (
    (r"shared\.weight", 0, "vocab_size"),
    (r"shared\.weight", 1, "d_model"),
    (r"coder\.final_layer_norm\.weight", 0, "d_model"),
    (r"DenseReluDense\.wo\.weight", 1, "d_ff"),
    (r"relative_attention_bias\.weight", 0, "relative_attention_num_buckets"),
    (r"relative_attention_bias\.weight", 1, "num_heads"),
)


def check_model_size(config: T5Config, has_embedding: bool) -> None:
    """Raise a ValueError if no machine, or not this one, can hold one stack (and embedding) of a configuration.

    Every size that is rejected would fail or never finish: the bound counts only the weights of `num_layers` encoder
    blocks and part of their Python objects, against all installed memory. On the meta device, weights take no memory.

    >>> check_model_size(T5Config(d_model=10**30), has_embedding=False)
    Traceback (most recent call last):
    ...
    ValueError: d_model=10**30 * d_ff=2048 is too large: PyTorch addresses at most 2**63 - 1 bytes; ...
    """
    itemsize = torch.get_default_dtype().itemsize
    projection, feed_forward, embedding = (
        ("d_model", "num_heads", "d_kv"),
        ("d_model", "d_ff"),
        ("vocab_size", "d_model"),
    )
    bias = ("relative_attention_num_buckets", "num_heads")
    for names in (feed_forward, projection, bias, *([embedding] if has_embedding else [])):
        if _product(config, names) * itemsize > MAX_BYTES:
            sizes = " * ".join(f"{name}={_short(getattr(config, name))}" for name in names)
            raise ValueError(f"{sizes} is too large: PyTorch addresses at most 2**63 - 1 bytes; choose smaller sizes")
    memory = installed_memory()
    block = 4 * _product(config, projection) + (2 + config.is_gated_act) * _product(config, feed_forward)
    weights = config.num_layers * block + has_embedding * _product(config, embedding)
    needed = config.num_layers * MIN_BLOCK_OBJECTS + (weights * itemsize if _weights_take_memory() else 0)
    if needed > memory:
        layers = "num_decoder_layers" if config.is_decoder else "num_layers"  # a decoder's num_layers is a copy
        given = ("vocab_size", "d_model", "d_ff", "num_heads", "d_kv", layers)[not has_embedding :]
        raise ValueError(
            f"{', '.join(f'{name}={_short(getattr(config, name))}' for name in given)}: this model needs at least "
            f"{_gigabytes(needed)}, and the machine has {_gigabytes(memory)} of memory; choose smaller sizes"
        )


def check_sizes_fit_weights(config: T5Config, shapes: Mapping[str, Sequence[int]], where: str) -> None:
    """Raise a ValueError for a size that exceeds the same size in the weights more than a thousandfold.

    Smaller differences are left to loading, which reports missing weights and weights of another shape.

    >>> shapes = {"encoder.block.1.layer.0.layer_norm.weight": [512]}
    >>> check_sizes_fit_weights(T5Config(num_layers=10**9), shapes, "model")
    Traceback (most recent call last):
    ...
    ValueError: num_layers=1000000000 in the configuration, but the weights in 'model' have num_layers=2; ...
    """
    for name, size in sizes_in_weights(shapes).items():
        given = getattr(config, name)
        if given > MAX_RATIO * size:
            raise ValueError(
                f"{name}={_short(given)} in the configuration, but the weights in {where!r} have {name}={size}; "
                f"correct the config.json, or give {name}={size}"
            )


def sizes_in_weights(shapes: Mapping[str, Sequence[int]]) -> dict[str, int]:
    """The settings that the names and shapes of weights imply; a setting that no weight shows is left out.

    >>> sizes_in_weights({"shared.weight": [90, 8], "decoder.block.3.layer.0.layer_norm.weight": [8]})
    {'vocab_size': 90, 'd_model': 8, 'num_decoder_layers': 4}
    """
    sizes: dict[str, int] = {}
    for name, shape in shapes.items():
        for pattern, dim, setting in VISIBLE_SIZES:
            if re.search(rf"(^|\b|en|de){pattern}$", name) and len(shape) > dim:
                sizes[setting] = shape[dim]
        block = re.search(r"\b(encoder|decoder)\.block\.(\d+)\.", name)
        if block is not None:
            setting = "num_layers" if block[1] == "encoder" else "num_decoder_layers"
            sizes[setting] = max(sizes.get(setting, 0), int(block[2]) + 1)
    return sizes


def _product(config: T5Config, names: Sequence[str]) -> int:
    return math.prod(getattr(config, name) for name in names)


def _weights_take_memory() -> bool:
    """Return True if a new parameter is a real tensor in the machine's memory, not a fake one or on another device."""
    probe = torch.empty(0)
    return type(probe) is Tensor and probe.device.type == "cpu"


def _short(number: int) -> str:
    return str(number) if number < 10**20 else f"10**{math.log10(number):.4g}"  # str refuses more than 4,300 digits


def _gigabytes(size: float) -> str:
    return f"{size / 10**9:,.1f} GB" if size < 10**15 else f"{size:.1e} bytes"


# --- stacks -------------------------------------------------------------------------------------------


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
