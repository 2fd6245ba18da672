"""`convert_slow_tokenizer`: the pipeline of a fast tokenizer, built from a slow one.

Adds: the table of converters, by the name of the slow tokenizer's class.
Leaves out: the converters (`tokenization.converters`), and families that this package does not have.

Source: transformers 4.26.1, convert_slow_tokenizer.py.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from tokenlab.libraries.tokenizers import Tokenizer
from tokenlab.libraries.transformers.tokenization.converters.converter import (
    BertConverter,
    ComponentBuilt,
    Converter,
    GPT2Converter,
    RobertaConverter,
)
from tokenlab.libraries.transformers.tokenization.converters.spm_converter import (
    AlbertConverter,
    SentencePieceExtractor,
    SpmConverter,
    T5Converter,
    XLMRobertaConverter,
    check_number_comma,
)
from tokenlab.steps.recording import call_steps, stepwise

__all__ = [
    "SLOW_TO_FAST_CONVERTERS",
    "AlbertConverter",
    "BertConverter",
    "Converter",
    "GPT2Converter",
    "RobertaConverter",
    "SentencePieceExtractor",
    "SpmConverter",
    "T5Converter",
    "XLMRobertaConverter",
    "check_number_comma",
    "convert_slow_tokenizer",
]

SLOW_TO_FAST_CONVERTERS: dict[str, type[Converter]] = {
    "AlbertTokenizer": AlbertConverter,
    "BertTokenizer": BertConverter,
    "GPT2Tokenizer": GPT2Converter,
    "RobertaTokenizer": RobertaConverter,
    "T5Tokenizer": T5Converter,
    "XLMRobertaTokenizer": XLMRobertaConverter,
}


@stepwise
def convert_slow_tokenizer(transformer_tokenizer: Any) -> Generator[ComponentBuilt, None, Tokenizer]:
    """Return the pipeline for a fast tokenizer, and yield each component with the slow statement that it replaces.

    Args:
        transformer_tokenizer: a slow tokenizer. The name of its class decides, so a subclass needs its own entry in
            `SLOW_TO_FAST_CONVERTERS`.

    Raises:
        ValueError: there is no converter for a class of this name.

    >>> from tokenlab import data
    >>> from tokenlab.libraries import transformers
    >>> slow = transformers.T5Tokenizer.from_pretrained(data.t5_tiny())
    >>> convert_slow_tokenizer(slow).encode("the dog").ids == slow("the dog").input_ids
    True
    >>> for component in convert_slow_tokenizer.steps(slow):
    ...     print(component.field)
    model
    normalizer
    pre_tokenizer
    decoder
    post_processor
    """
    name = type(transformer_tokenizer).__name__
    if name not in SLOW_TO_FAST_CONVERTERS:
        raise ValueError(
            f"a {name} cannot be converted into a fast tokenizer: there is no converter for this class; there are "
            f"converters for {', '.join(SLOW_TO_FAST_CONVERTERS)}; add yours to SLOW_TO_FAST_CONVERTERS"
        )
    converter = SLOW_TO_FAST_CONVERTERS[name](transformer_tokenizer)
    pipeline: Tokenizer = yield from call_steps(converter.converted)
    return pipeline
