"""`GPT2Config`: the sizes and options of a GPT-2, for its tokenizer and the Auto classes; the model is left out.

Source: transformers 4.26.1, models/gpt2/configuration_gpt2.py.
"""

from __future__ import annotations

from typing import Any, ClassVar

from tokenlab.libraries.transformers.configuration_utils import PretrainedConfig
from tokenlab.libraries.transformers.hub import file_urls
from tokenlab.libraries.transformers.utils import call_settings

REPOSITORIES = ("gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl", "distilgpt2")
GPT2_PRETRAINED_CONFIG_ARCHIVE_MAP = file_urls(REPOSITORIES, "config.json")


class GPT2Config(PretrainedConfig):
    """The sizes and options of one GPT-2, under the names of the original code.

    Args:
        n_positions: the greatest number of tokens of one input.
        n_embd: the dimension of the embeddings and hidden states.
        n_inner: the inner dimension of the feed-forward layer; None for 4 * n_embd.
        resid_pdrop, embd_pdrop, attn_pdrop: dropout of the layers' outputs, the embeddings and the attention.
        summary_type, summary_use_proj, summary_activation, summary_proj_to_labels, summary_first_dropout: how a
            multiple-choice head summarizes a sequence.
        scale_attn_weights: divide the scores by the square root of the heads' dimension.
        scale_attn_by_inverse_layer_idx: also divide them by the number of the layer, counted from 1.
        reorder_and_upcast_attn: scale the keys first, and compute the softmax in 32 bits.
        kwargs: further settings of a config.json, kept as attributes.

    >>> GPT2Config(n_layer=2).num_hidden_layers
    2
    """

    model_type = "gpt2"
    keys_to_ignore_at_inference: ClassVar[list[str]] = ["past_key_values"]
    attribute_map: ClassVar = {
        "hidden_size": "n_embd",
        "max_position_embeddings": "n_positions",
        "num_attention_heads": "n_head",
        "num_hidden_layers": "n_layer",
    }

    def __init__(
        self,
        vocab_size: int = 50257,
        n_positions: int = 1024,
        n_embd: int = 768,
        n_layer: int = 12,
        n_head: int = 12,
        n_inner: int | None = None,
        activation_function: str = "gelu_new",
        resid_pdrop: float = 0.1,
        embd_pdrop: float = 0.1,
        attn_pdrop: float = 0.1,
        layer_norm_epsilon: float = 1e-5,
        initializer_range: float = 0.02,
        summary_type: str = "cls_index",
        summary_use_proj: bool = True,
        summary_activation: str | None = None,
        summary_proj_to_labels: bool = True,
        summary_first_dropout: float = 0.1,
        scale_attn_weights: bool = True,
        use_cache: bool = True,
        bos_token_id: int | None = 50256,
        eos_token_id: int | None = 50256,
        scale_attn_by_inverse_layer_idx: bool = False,
        reorder_and_upcast_attn: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**call_settings(locals()))
