"""Post-processors: special tokens, type ids and trimmed offsets, under the library's names.

Differences from tokenizers 0.23.3, where it crashes (a Rust panic) or shows an inconsistent object:

- `TemplateProcessing` raises a ValueError if a template uses an unknown special token or a missing second sequence. It
  also raises one if the previous processor of a `Sequence` gives it no part, or more than two.
- A special token in a file must have the same number of ids and tokens.
- `Sequence.__setitem__` replaces the item, and never changes the object that was there.
- `__setstate__` of a processor raises a ValueError for the state of another type.
"""

from tokenlab.libraries.tokenizers.processors.bert_processing import BertProcessing
from tokenlab.libraries.tokenizers.processors.byte_level import ByteLevel
from tokenlab.libraries.tokenizers.processors.post_processor import PostProcessor
from tokenlab.libraries.tokenizers.processors.roberta_processing import RobertaProcessing
from tokenlab.libraries.tokenizers.processors.sequence import Sequence
from tokenlab.libraries.tokenizers.processors.template_processing import TemplateProcessing

__all__ = [
    "BertProcessing",
    "ByteLevel",
    "PostProcessor",
    "RobertaProcessing",
    "Sequence",
    "TemplateProcessing",
]
