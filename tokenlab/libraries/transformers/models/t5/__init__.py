"""T5: configuration, model, tokenizers and the fast incremental decoder."""

# ruff: noqa: F403 (the names are public in their modules)
from typing import TYPE_CHECKING

from tokenlab.libraries.transformers.utils import make_lazy

if TYPE_CHECKING:
    from tokenlab.libraries.transformers.models.t5.configuration_t5 import (
        T5_PRETRAINED_CONFIG_ARCHIVE_MAP as T5_PRETRAINED_CONFIG_ARCHIVE_MAP,
    )
    from tokenlab.libraries.transformers.models.t5.configuration_t5 import T5Config as T5Config
    from tokenlab.libraries.transformers.models.t5.modeling_t5 import *
    from tokenlab.libraries.transformers.models.t5.tokenization_t5 import T5Tokenizer as T5Tokenizer
    from tokenlab.libraries.transformers.models.t5.tokenization_t5_fast import T5TokenizerFast as T5TokenizerFast
else:
    make_lazy(__name__)
