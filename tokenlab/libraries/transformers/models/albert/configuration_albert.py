"""`AlbertConfig`: the sizes and options of an ALBERT, for its tokenizer and the Auto classes; the model is left out.

Source: transformers 4.26.1, models/albert/configuration_albert.py.
"""

from __future__ import annotations

from typing import Any

from tokenlab.libraries.transformers.configuration_utils import PretrainedConfig
from tokenlab.libraries.transformers.hub import file_urls
from tokenlab.libraries.transformers.utils import call_settings

SIZES = ("base", "large", "xlarge", "xxlarge")
REPOSITORIES = tuple(f"albert-{size}-{version}" for version in ("v1", "v2") for size in SIZES)
ALBERT_PRETRAINED_CONFIG_ARCHIVE_MAP = file_urls(REPOSITORIES, "config.json")


class AlbertConfig(PretrainedConfig):
    """The sizes and options of one ALBERT, whose layers share their weights.

    Args:
        embedding_size: the dimension of the embeddings, before a projection to `hidden_size`.
        num_hidden_groups: the number of groups of layers; the layers of a group have the same weights.
        inner_group_num: the number of different layers in a group.
        classifier_dropout_prob: the dropout of a classifier on top of the model.
        kwargs: further settings of a config.json, kept as attributes; the others are those of `BertConfig`.

    >>> AlbertConfig().embedding_size, AlbertConfig().hidden_size
    (128, 4096)
    """

    model_type = "albert"

    def __init__(
        self,
        vocab_size: int = 30000,
        embedding_size: int = 128,
        hidden_size: int = 4096,
        num_hidden_layers: int = 12,
        num_hidden_groups: int = 1,
        num_attention_heads: int = 64,
        intermediate_size: int = 16384,
        inner_group_num: int = 1,
        hidden_act: str = "gelu_new",
        hidden_dropout_prob: float = 0,
        attention_probs_dropout_prob: float = 0,
        max_position_embeddings: int = 512,
        type_vocab_size: int = 2,
        initializer_range: float = 0.02,
        layer_norm_eps: float = 1e-12,
        classifier_dropout_prob: float = 0.1,
        position_embedding_type: str = "absolute",
        pad_token_id: int | None = 0,
        bos_token_id: int | None = 2,
        eos_token_id: int | None = 3,
        **kwargs: Any,
    ) -> None:
        super().__init__(**call_settings(locals()))
