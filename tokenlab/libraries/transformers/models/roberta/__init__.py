"""RoBERTa: configuration and tokenizers; the model is left out."""

from typing import TYPE_CHECKING

from tokenlab.libraries.transformers.utils import make_lazy

if TYPE_CHECKING:
    from tokenlab.libraries.transformers.models.roberta.configuration_roberta import (
        ROBERTA_PRETRAINED_CONFIG_ARCHIVE_MAP as ROBERTA_PRETRAINED_CONFIG_ARCHIVE_MAP,
    )
    from tokenlab.libraries.transformers.models.roberta.configuration_roberta import RobertaConfig as RobertaConfig
    from tokenlab.libraries.transformers.models.roberta.tokenization_roberta import RobertaTokenizer as RobertaTokenizer
    from tokenlab.libraries.transformers.models.roberta.tokenization_roberta_fast import (
        RobertaTokenizerFast as RobertaTokenizerFast,
    )
else:
    make_lazy(__name__)
