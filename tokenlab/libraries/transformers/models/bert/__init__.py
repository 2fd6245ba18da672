"""BERT: configuration and tokenizers; the model is left out."""

from typing import TYPE_CHECKING

from tokenlab.libraries.transformers.utils import make_lazy

if TYPE_CHECKING:
    from tokenlab.libraries.transformers.models.bert.configuration_bert import (
        BERT_PRETRAINED_CONFIG_ARCHIVE_MAP as BERT_PRETRAINED_CONFIG_ARCHIVE_MAP,
    )
    from tokenlab.libraries.transformers.models.bert.configuration_bert import BertConfig as BertConfig
    from tokenlab.libraries.transformers.models.bert.tokenization_bert import BasicTokenizer as BasicTokenizer
    from tokenlab.libraries.transformers.models.bert.tokenization_bert import BertTokenizer as BertTokenizer
    from tokenlab.libraries.transformers.models.bert.tokenization_bert import WordpieceTokenizer as WordpieceTokenizer
    from tokenlab.libraries.transformers.models.bert.tokenization_bert_fast import (
        BertTokenizerFast as BertTokenizerFast,
    )
else:
    make_lazy(__name__)
