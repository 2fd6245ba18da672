"""`XLMRobertaConfig`: RoBERTa's settings under another model type; the model is left out.

Source: transformers 4.26.1, models/xlm_roberta/configuration_xlm_roberta.py.
"""

from __future__ import annotations

from tokenlab.libraries.transformers.hub import file_urls
from tokenlab.libraries.transformers.models.roberta.configuration_roberta import RobertaSettings

FINETUNED = ("conll02-dutch", "conll02-spanish", "conll03-english", "conll03-german")
REPOSITORIES = (
    "xlm-roberta-base",
    "xlm-roberta-large",
    *(f"xlm-roberta-large-finetuned-{corpus}" for corpus in FINETUNED),
)
XLM_ROBERTA_PRETRAINED_CONFIG_ARCHIVE_MAP = file_urls(REPOSITORIES, "config.json")


class XLMRobertaConfig(RobertaSettings):
    """The sizes and options of one XLM-RoBERTa.

    >>> XLMRobertaConfig(vocab_size=250002).model_type
    'xlm-roberta'
    """

    model_type = "xlm-roberta"
