"""Post-processors: special tokens, type ids and trimmed offsets, under the library's names.

Differences from tokenizers 0.23.3, where it crashes (a Rust panic) or shows an inconsistent object:

- `TemplateProcessing` raises a ValueError if a template uses an unknown special token or a missing second sequence. It
  also raises one if the previous processor of a `Sequence` gives it no part, or more than two.
- A special token in a file must have the same number of ids and tokens.
- `Sequence.__setitem__` replaces the item, and never changes the object that was there.
- `__setstate__` of a processor raises a ValueError for the state of another type.

Source: tokenizers 0.23.3, tokenizers/src/processors/mod.rs.
"""

from typing import Any

from tokenlab.libraries.tokenizers.components.component import Types, Untyped, by_name, class_by_fields, load_component
from tokenlab.libraries.tokenizers.processors.post_processor import (
    BertProcessing,
    ByteLevel,
    PostProcessor,
    RobertaProcessing,
    Sequence,
)
from tokenlab.libraries.tokenizers.processors.template_processing import TemplateProcessing

TYPES: Types[PostProcessor] = by_name([BertProcessing, ByteLevel, RobertaProcessing, Sequence, TemplateProcessing])
# The library recognizes these by their fields, in this order, and does not look at the type.
BY_FIELDS: Untyped[PostProcessor] = (
    (frozenset({"sep", "cls", "trim_offsets", "add_prefix_space"}), RobertaProcessing),
    (frozenset({"sep", "cls"}), BertProcessing),
    (frozenset({"single", "pair", "special_tokens"}), TemplateProcessing),
)


def from_json(fields: Any) -> PostProcessor:
    """Return the post-processor with these fields of tokenizer.json; a ValueError if its type or a field is wrong.

    >>> from_json({"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False})
    ByteLevel(add_prefix_space=True, trim_offsets=False, use_regex=True)
    """
    if isinstance(fields, dict) and fields.get("type") != "ByteLevel" and (found := class_by_fields(fields, BY_FIELDS)):
        return found.from_json(fields)
    return load_component("post-processor", fields, TYPES)


__all__ = ["BertProcessing", "ByteLevel", "PostProcessor", "RobertaProcessing", "Sequence", "TemplateProcessing"]
