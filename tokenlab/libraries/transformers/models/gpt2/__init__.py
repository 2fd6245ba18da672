"""GPT-2: configuration and tokenizers; the model is left out."""

from typing import TYPE_CHECKING

from tokenlab.libraries.transformers.utils import make_lazy

if TYPE_CHECKING:
    from tokenlab.libraries.transformers.models.gpt2.configuration_gpt2 import (
        GPT2_PRETRAINED_CONFIG_ARCHIVE_MAP as GPT2_PRETRAINED_CONFIG_ARCHIVE_MAP,
    )
    from tokenlab.libraries.transformers.models.gpt2.configuration_gpt2 import GPT2Config as GPT2Config
    from tokenlab.libraries.transformers.models.gpt2.tokenization_gpt2 import GPT2Tokenizer as GPT2Tokenizer
    from tokenlab.libraries.transformers.models.gpt2.tokenization_gpt2_fast import (
        GPT2TokenizerFast as GPT2TokenizerFast,
    )
else:
    make_lazy(__name__)
