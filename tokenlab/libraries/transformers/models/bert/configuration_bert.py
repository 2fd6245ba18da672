"""`BertConfig`: the sizes and options of a BERT, for its tokenizer and the Auto classes; the model is left out.

Source: transformers 4.26.1, models/bert/configuration_bert.py.
"""

from __future__ import annotations

from typing import Any

from tokenlab.libraries.transformers.configuration_utils import PretrainedConfig
from tokenlab.libraries.transformers.hub import file_urls
from tokenlab.libraries.transformers.utils import call_settings

REPOSITORIES = (  # those that also have a vocabulary
    *("bert-base-uncased", "bert-large-uncased", "bert-base-cased", "bert-large-cased"),
    *("bert-base-multilingual-uncased", "bert-base-multilingual-cased", "bert-base-chinese", "bert-base-german-cased"),
    *("bert-large-uncased-whole-word-masking", "bert-large-cased-whole-word-masking"),
    "bert-large-uncased-whole-word-masking-finetuned-squad",
    "bert-large-cased-whole-word-masking-finetuned-squad",
    *("bert-base-cased-finetuned-mrpc", "bert-base-german-dbmdz-cased", "bert-base-german-dbmdz-uncased"),
    *("TurkuNLP/bert-base-finnish-cased-v1", "TurkuNLP/bert-base-finnish-uncased-v1"),
    "wietsedv/bert-base-dutch-cased",
)
JAPANESE = ("", "-whole-word-masking", "-char", "-char-whole-word-masking")
BERT_PRETRAINED_CONFIG_ARCHIVE_MAP = file_urls(
    (*REPOSITORIES, *(f"cl-tohoku/bert-base-japanese{ending}" for ending in JAPANESE)), "config.json"
)


class BertConfig(PretrainedConfig):
    """The sizes and options of one BERT.

    Args:
        hidden_size: the dimension of the embeddings and hidden states.
        intermediate_size: the inner dimension of the feed-forward layer.
        max_position_embeddings: the greatest number of tokens of one input.
        type_vocab_size: the number of token types; 2 for the first and the second text.
        position_embedding_type: "absolute", "relative_key" or "relative_key_query".
        classifier_dropout: None for `hidden_dropout_prob`.
        kwargs: further settings of a config.json, kept as attributes.

    >>> BertConfig(num_hidden_layers=2).hidden_size
    768
    """

    model_type = "bert"

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
        pad_token_id: int | None = 0,
        position_embedding_type: str = "absolute",
        use_cache: bool = True,
        classifier_dropout: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**call_settings(locals()))
