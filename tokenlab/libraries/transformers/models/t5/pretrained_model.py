"""`T5PreTrainedModel`: the base class of all T5 models and of their two stacks.

Source: transformers 4.26.1, models/t5/modeling_t5.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from tokenlab.libraries.transformers.files.load_weights import set_parameter
from tokenlab.libraries.transformers.modeling.input_checks import IGNORE_INDEX
from tokenlab.libraries.transformers.modeling_utils import PreTrainedModel
from tokenlab.libraries.transformers.models.t5.configuration_t5 import T5Config
from tokenlab.libraries.transformers.models.t5.layers import (
    T5Attention,
    T5DenseActDense,
    T5DenseGatedActDense,
    T5LayerNorm,
)
from tokenlab.libraries.transformers.models.t5.size_checks import (
    check_model_size,
    check_sizes_fit_weights,
    is_suspicious,
)
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
        if is_suspicious(config):
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
