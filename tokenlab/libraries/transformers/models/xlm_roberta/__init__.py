"""XLM-RoBERTa: configuration and tokenizers; the model is left out."""

from typing import TYPE_CHECKING

from tokenlab.libraries.transformers.utils import make_lazy

if TYPE_CHECKING:
    from tokenlab.libraries.transformers.models.xlm_roberta.configuration_xlm_roberta import (
        XLM_ROBERTA_PRETRAINED_CONFIG_ARCHIVE_MAP as XLM_ROBERTA_PRETRAINED_CONFIG_ARCHIVE_MAP,
    )
    from tokenlab.libraries.transformers.models.xlm_roberta.configuration_xlm_roberta import (
        XLMRobertaConfig as XLMRobertaConfig,
    )
    from tokenlab.libraries.transformers.models.xlm_roberta.tokenization_xlm_roberta import (
        XLMRobertaTokenizer as XLMRobertaTokenizer,
    )
    from tokenlab.libraries.transformers.models.xlm_roberta.tokenization_xlm_roberta_fast import (
        XLMRobertaTokenizerFast as XLMRobertaTokenizerFast,
    )
else:
    make_lazy(__name__)
