"""BERT: configuration and tokenizers; the model is left out."""

from typing import TYPE_CHECKING

from tokenlab.transformers.utils.import_utils import make_lazy

if TYPE_CHECKING:
    from tokenlab.transformers.models.bert.configuration_bert import (
        BERT_PRETRAINED_CONFIG_ARCHIVE_MAP as BERT_PRETRAINED_CONFIG_ARCHIVE_MAP,
    )
    from tokenlab.transformers.models.bert.configuration_bert import BertConfig as BertConfig
    from tokenlab.transformers.models.bert.tokenization_bert import BasicTokenizer as BasicTokenizer
    from tokenlab.transformers.models.bert.tokenization_bert import BertTokenizer as BertTokenizer
    from tokenlab.transformers.models.bert.tokenization_bert import WordpieceTokenizer as WordpieceTokenizer
    from tokenlab.transformers.models.bert.tokenization_bert_fast import BertTokenizerFast as BertTokenizerFast
else:
    make_lazy(__name__)
