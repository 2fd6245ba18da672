"""`RobertaConfig`: BERT's sizes and options with RoBERTa's ids of special tokens; the model is left out.

Source: transformers 4.26.1, models/roberta/configuration_roberta.py.
"""

from __future__ import annotations

from typing import Any

from tokenlab.libraries.transformers.configuration_utils import PretrainedConfig
from tokenlab.libraries.transformers.hub import file_urls
from tokenlab.libraries.transformers.utils import call_settings

REPOSITORIES = (
    *("roberta-base", "roberta-large", "roberta-large-mnli", "distilroberta-base"),
    *("roberta-base-openai-detector", "roberta-large-openai-detector"),
)
ROBERTA_PRETRAINED_CONFIG_ARCHIVE_MAP = file_urls(REPOSITORIES, "config.json")


class RobertaSettings(PretrainedConfig):
    """The settings of RoBERTa and XLM-RoBERTa; in the library, neither class inherits from the other."""

    def __init__(
        self,
        vocab_size: int = 30522,
        hidden_size: int = 768,
        num_hidden_layers: int = 12,
        num_attention_heads: int = 12,
        intermediate_size: int = 3072,
        hidden_act: str = "gelu",
        hidden_dropout_prob: float = 0.1,
        attention_probs_dropout_prob: float = 0.1,
        max_position_embeddings: int = 512,
        type_vocab_size: int = 2,
        initializer_range: float = 0.02,
        layer_norm_eps: float = 1e-12,
        pad_token_id: int | None = 1,
        bos_token_id: int | None = 0,
        eos_token_id: int | None = 2,
        position_embedding_type: str = "absolute",
        use_cache: bool = True,
        classifier_dropout: float | None = None,
        **kwargs: Any,
    ) -> None:
        """Set the settings, which are those of `BertConfig`."""
        super().__init__(**call_settings(locals()))


class RobertaConfig(RobertaSettings):
    """The sizes and options of one RoBERTa.

    >>> RobertaConfig().pad_token_id, RobertaConfig().eos_token_id
    (1, 2)
    """

    model_type = "roberta"
