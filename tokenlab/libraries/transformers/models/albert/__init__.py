"""ALBERT: configuration and tokenizers; the model is left out."""

from typing import TYPE_CHECKING

from tokenlab.libraries.transformers.utils import make_lazy

if TYPE_CHECKING:
    from tokenlab.libraries.transformers.models.albert.configuration_albert import (
        ALBERT_PRETRAINED_CONFIG_ARCHIVE_MAP as ALBERT_PRETRAINED_CONFIG_ARCHIVE_MAP,
    )
    from tokenlab.libraries.transformers.models.albert.configuration_albert import AlbertConfig as AlbertConfig
    from tokenlab.libraries.transformers.models.albert.tokenization_albert import AlbertTokenizer as AlbertTokenizer
    from tokenlab.libraries.transformers.models.albert.tokenization_albert_fast import (
        AlbertTokenizerFast as AlbertTokenizerFast,
    )
else:
    make_lazy(__name__)
