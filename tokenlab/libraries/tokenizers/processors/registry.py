"""Post-processors by their type in tokenizer.json."""

from __future__ import annotations

from typing import Any

from tokenlab.libraries.tokenizers.components.registry import Types, Untyped, by_name, class_by_fields, load_component
from tokenlab.libraries.tokenizers.processors.bert_processing import BertProcessing
from tokenlab.libraries.tokenizers.processors.byte_level import ByteLevel
from tokenlab.libraries.tokenizers.processors.post_processor import PostProcessor
from tokenlab.libraries.tokenizers.processors.roberta_processing import RobertaProcessing
from tokenlab.libraries.tokenizers.processors.sequence import Sequence
from tokenlab.libraries.tokenizers.processors.template_processing import TemplateProcessing

TYPES: Types[PostProcessor] = by_name([BertProcessing, ByteLevel, RobertaProcessing, Sequence, TemplateProcessing])
# The library recognizes these by their fields, in this order, and does not look at the type.
BY_FIELDS: Untyped[PostProcessor] = (
    (frozenset({"sep", "cls", "trim_offsets", "add_prefix_space"}), RobertaProcessing),
    (frozenset({"sep", "cls"}), BertProcessing),
    (frozenset({"single", "pair", "special_tokens"}), TemplateProcessing),
)


def from_json(fields: Any) -> PostProcessor:
    """Return the post-processor with these fields of tokenizer.json.

    Raises:
        ValueError: its type is not known, or a field is missing or wrong.

    >>> from_json({"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False})
    ByteLevel(add_prefix_space=True, trim_offsets=False, use_regex=True)
    """
    if isinstance(fields, dict) and fields.get("type") != "ByteLevel" and (found := class_by_fields(fields, BY_FIELDS)):
        return found.from_json(fields)
    return load_component("post-processor", fields, TYPES)
