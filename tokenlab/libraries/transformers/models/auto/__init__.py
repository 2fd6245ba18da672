"""The Auto classes: strings in the files of a model select the classes that load it."""

# ruff: noqa: F403 (the names are public in their modules)
from typing import TYPE_CHECKING

from tokenlab.libraries.transformers.utils import make_lazy

if TYPE_CHECKING:
    from tokenlab.libraries.transformers.models.auto.auto_factory import get_values as get_values
    from tokenlab.libraries.transformers.models.auto.configuration_auto import CONFIG_MAPPING as CONFIG_MAPPING
    from tokenlab.libraries.transformers.models.auto.configuration_auto import (
        MODEL_NAMES_MAPPING as MODEL_NAMES_MAPPING,
    )
    from tokenlab.libraries.transformers.models.auto.configuration_auto import AutoConfig as AutoConfig
    from tokenlab.libraries.transformers.models.auto.modeling_auto import *
    from tokenlab.libraries.transformers.models.auto.tokenization_auto import TOKENIZER_MAPPING as TOKENIZER_MAPPING
    from tokenlab.libraries.transformers.models.auto.tokenization_auto import AutoTokenizer as AutoTokenizer
else:
    make_lazy(__name__)
