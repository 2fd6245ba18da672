"""The fields of tokenizer.json that tokenizers 0.13.3 reads, and those of the later version in `libraries.tokenizers`.

Adds: merges as texts, `add_prefix_space` of Metaspace, and the removal of fields that 0.13.3 does not know.

Source: tokenizers 0.13.3, the `Serialize` and `Deserialize` implementations of the components.
"""

from __future__ import annotations

from typing import Any

SIMPLE = ("vocab", "added_tokens", "special_tokens")  # fields without components in them


def legacy_fields(value: Any) -> Any:
    """Return JSON fields of a tokenizer in the format of tokenizers 0.13.3.

    What that version cannot express remains as it is: a merge of a token with a space, and Metaspace with
    `prepend_scheme="first"` or `split=False`.

    >>> legacy_fields({"type": "Metaspace", "replacement": "_", "prepend_scheme": "always", "split": True})
    {'type': 'Metaspace', 'replacement': '_', 'add_prefix_space': True}
    >>> legacy_fields({"type": "BPE", "vocab": {"a": 0}, "merges": [("a", "b")], "ignore_merges": False})
    {'type': 'BPE', 'vocab': {'a': 0}, 'merges': ['a b']}
    """
    match value:
        case {"type": "BPE"}:
            return {**_without(value, "ignore_merges"), "merges": _merges(value["merges"])}
        case {"type": "Unigram"}:
            return _without(value, "byte_fallback")
        case {"type": "Metaspace", "prepend_scheme": "always", "split": True}:
            return {**_without(value, "prepend_scheme", "split"), "add_prefix_space": True}
        case dict():
            return {name: item if name in SIMPLE else legacy_fields(item) for name, item in value.items()}
        case list():
            return [legacy_fields(item) for item in value]
    return value


def _without(fields: dict[str, Any], name: str, *others: str) -> dict[str, Any]:
    """Return the fields without some that have their default value."""
    later = {"ignore_merges": False, "byte_fallback": False, "prepend_scheme": "always", "split": True}
    return {key: item for key, item in fields.items() if key not in (name, *others) or item != later[key]}


def _merges(pairs: Any) -> list[Any]:
    with_space = any(" " in token for pair in pairs for token in pair)
    return list(pairs) if with_space else [" ".join(pair) for pair in pairs]
