"""Load a model from the fields of tokenizer.json, also of versions without the field "type"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokenlab.libraries.tokenizers.components.registry import Types, by_name, load_component
from tokenlab.libraries.tokenizers.models.bpe import BPE
from tokenlab.libraries.tokenizers.models.model import Model
from tokenlab.libraries.tokenizers.models.unigram import Unigram
from tokenlab.libraries.tokenizers.models.word_level import WordLevel
from tokenlab.libraries.tokenizers.models.word_piece import WordPiece

TYPES: Types[Model] = by_name([BPE, WordPiece, WordLevel, Unigram])


def from_json(fields: Any) -> Model:
    """Return the model with these fields of tokenizer.json.

    Raises:
        ValueError: the type is unknown, or a field is missing or malformed.

    >>> from_json({"vocab": {"a": 0}, "merges": []}).token_to_id("a")
    0
    """
    if isinstance(fields, dict) and "type" not in fields:
        fields = {"type": _type_of(fields)} | fields
    return load_component("model", fields, TYPES)


def _type_of(fields: Mapping[str, Any]) -> str:
    """Return the type of a model that was saved without one, which its fields tell.

    Source: tokenizers/src/models/mod.rs, ModelUntagged.
    """
    if isinstance(fields.get("vocab"), list):
        return "Unigram"
    if "merges" in fields:
        return "BPE"
    return "WordPiece" if "max_input_chars_per_word" in fields else "WordLevel"
