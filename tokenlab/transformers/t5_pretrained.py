"""`T5PreTrainedModel`: what all T5s and their two stacks share.

Source: transformers 4.26.1, models/t5/modeling_t5.py.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from tokenlab.transformers.configuration_t5 import T5Config
from tokenlab.transformers.modeling_utils import PreTrainedModel
from tokenlab.transformers.t5_attention import T5Attention
from tokenlab.transformers.t5_checks import IGNORED
from tokenlab.transformers.t5_layers import T5DenseActDense, T5DenseGatedActDense, T5LayerNorm

DUMMY_INPUTS = [[7, 6, 0, 0, 1], [1, 2, 3, 0, 0], [0, 0, 0, 4, 5]]
DUMMY_MASK = [[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [0, 0, 0, 1, 1]]


class T5PreTrainedModel(PreTrainedModel):
    """New weights, and inputs shifted right."""

    config: T5Config
    config_class = T5Config
    base_model_prefix = "transformer"
    is_parallelizable = True
    supports_gradient_checkpointing = True
    _no_split_modules = ("T5Block",)
    _keep_in_fp32_modules = ("wo",)

    @property
    def dummy_inputs(self) -> dict[str, Tensor]:
        """Some input with padding, to try the model."""
        ids, mask = torch.tensor(DUMMY_INPUTS), torch.tensor(DUMMY_MASK)
        return {"decoder_input_ids": ids, "input_ids": ids, "decoder_attention_mask": mask}

    def _init_weights(self, module: nn.Module) -> None:
        """Draw new weights of one module; how far they spread is what makes a division of scores needless."""
        factor, config = self.config.initializer_factor, self.config
        d_model, d_kv, d_ff, heads = config.d_model, config.d_kv, config.d_ff, config.num_heads
        spread: dict[str, float] = {}
        if isinstance(module, T5LayerNorm):
            nn.init.constant_(module.weight, factor)
        elif isinstance(module, T5PreTrainedModel):
            spread = {"shared": 1.0} if config.tie_word_embeddings else {"shared": 1.0, "lm_head": 1.0}
        elif isinstance(module, (T5DenseActDense, T5DenseGatedActDense)):
            spread = {"wi": d_model**-0.5, "wi_0": d_model**-0.5, "wi_1": d_model**-0.5, "wo": d_ff**-0.5}
        elif isinstance(module, T5Attention):
            # q has the 1/sqrt(d_kv) in it by which other models divide their scores.
            spread = {
                "q": (d_model * d_kv) ** -0.5,
                "k": d_model**-0.5,
                "v": d_model**-0.5,
                "o": (heads * d_kv) ** -0.5,
            }
            spread["relative_attention_bias"] = d_model**-0.5
        for name, std in spread.items():
            if hasattr(module, name):
                nn.init.normal_(module.get_parameter(f"{name}.weight"), std=factor * std)

    def _shift_right(self, input_ids: Tensor) -> Tensor:
        """What the decoder reads to predict these labels: a start, then each label but the last.

        >>> from tokenlab.transformers import T5Model
        >>> model = T5Model(T5Config(10, 4, 2, 4, 1, num_heads=1, decoder_start_token_id=0))
        >>> model._shift_right(torch.tensor([[8, 9, 1], [8, -100, -100]])).tolist()
        [[0, 8, 9], [0, 8, 0]]
        """
        start, pad = self.config.decoder_start_token_id, self.config.pad_token_id
        if start is None or pad is None:
            name = "decoder_start_token_id" if start is None else "pad_token_id"
            raise ValueError(f"config.{name} is None, and labels cannot be shifted without it; a T5 starts with pad, 0")
        if not 0 <= start < self.config.vocab_size:
            last = self.config.vocab_size - 1
            raise ValueError(f"config.decoder_start_token_id={start}, and ids go from 0 to {last}")
        shifted = functional.pad(input_ids[:, :-1], (1, 0), value=start)
        return shifted.masked_fill(shifted == IGNORED, pad)

    @staticmethod
    def _tie_encoder_decoder_weights(encoder: Any, decoder: Any, base_model_prefix: str = "") -> None:
        """Let the encoder's blocks have the weights of the decoder's, whose cross attention has no like."""
        for own, other in zip(encoder.block, decoder.block, strict=False):
            share(other.layer[0], own.layer[0])
            share(other.layer[-1], own.layer[-1])
        share(decoder.final_layer_norm, encoder.final_layer_norm)
        if len(encoder.block) > len(decoder.block):
            warnings.warn(
                f"tie_encoder_decoder=True: the encoder's blocks from {len(decoder.block)} on have no like in the "
                "decoder, and keep weights of their own",
                UserWarning,
                stacklevel=3,
            )

    def _prune_heads(self, heads_to_prune: Mapping[int, Iterable[int]]) -> None:
        """Refuse, as the library fails: only an encoder alone says whose heads are meant."""
        raise AttributeError(
            f"prune_heads is for a T5EncoderModel: in a {type(self).__name__} a layer's number does not say which "
            "heads are meant; take them out where they are, as encoder.block[0].layer[0].SelfAttention.prune_heads({0})"
        )


def share(source: nn.Module, target: nn.Module) -> None:
    """Let a module have the parameters of another one that is built alike."""
    for name, parameter in source.named_parameters():
        module, _, leaf = name.rpartition(".")
        setattr(target.get_submodule(module), leaf, parameter)
