"""The models of the pipeline: BPE, Unigram, WordPiece and WordLevel, which split pre-tokens into tokens.

Differences from tokenizers 0.23.3:
- If two tokens share an id, the later one counts for `id_to_token` and in saved files, with a warning; in the library,
  one of them at random.
- Setting an attribute, such as `unk_token`, clears the cache of words. In the library, words seen before keep their
  old tokens.
- A merge whose right part is shorter than the `continuing_subword_prefix` raises a ValueError; the library panics.
- An id of 2**32 or more in a vocab.json raises a ValueError; the library takes it modulo 2**32.
- Sampling (`dropout`, `alpha`) has the library's distribution, with other random numbers. Where its probabilities
  cannot be represented, it raises a ValueError; the library panics.
- `Unigram` cannot sample without `unk_id`, or with infinite scores; the library returns no tokens for some words.
- `continuing_subword_prefix=None` and `end_of_word_suffix=None` are accepted by `BPE`: None is the default that the
  library documents, and the value that its attributes return.
- `Model()` is a BPE, also by its type; in the library it is one by all but its type and attributes.

Source: tokenizers 0.23.3, tokenizers/src/models/mod.rs.
"""

from collections.abc import Mapping
from typing import Any

from tokenlab.libraries.tokenizers.components.component import Types, by_name, load_component
from tokenlab.libraries.tokenizers.models.bpe import BPE
from tokenlab.libraries.tokenizers.models.model import Model
from tokenlab.libraries.tokenizers.models.unigram import Unigram
from tokenlab.libraries.tokenizers.models.word_piece import WordLevel, WordPiece

TYPES: Types[Model] = by_name([BPE, WordPiece, WordLevel, Unigram])


def from_json(fields: Any) -> Model:
    """Return the model with these fields of tokenizer.json; a ValueError for a wrong type, or a missing or wrong field.

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


__all__ = ["BPE", "Model", "Unigram", "WordLevel", "WordPiece"]
