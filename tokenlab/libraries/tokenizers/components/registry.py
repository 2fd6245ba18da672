"""Loading a component of any type from tokenizer.json.

Adds: `load_component`, which finds the class by the field "type" or, in older files, by the names of the fields.
Leaves out: the classes (the `registry` of each kind of component), and their fields (`Component.from_json`).

Source: tokenizers, tokenizers/src/{normalizers,pre_tokenizers,models,processors,decoders}/mod.rs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from tokenlab.libraries.tokenizers.components.component import Component
from tokenlab.printing.errors import lookup

C = TypeVar("C", bound=Component)
Types: TypeAlias = Mapping[str, type[C]]
Untyped: TypeAlias = Sequence[tuple[frozenset[str], type[C]]]


def by_name(classes: Iterable[type[C]]) -> dict[str, type[C]]:
    """Return the classes by their types in tokenizer.json, which are their names."""
    return {one.__name__: one for one in classes}


def load_component(kind: str, fields: Any, types: Types[C], untyped: Untyped[C] = ()) -> C:
    """Return the component with these fields of tokenizer.json.

    Args:
        kind: what the messages call it, such as "normalizer".
        fields: the fields, which should be a dict.
        types: the class of each "type".
        untyped: classes that are recognized by their fields if the type is missing or not known; the first one counts.

    Raises:
        ValueError: its type is not known (the nearest one is suggested), or a field is missing or wrong.
    """
    if not isinstance(fields, dict):
        raise ValueError(f'a {kind} should be an object such as {{"type": "{next(iter(types))}"}}, not {fields!r:.60}')
    name = str(fields.get("type"))
    found = None if name in types else class_by_fields(fields, untyped)
    if found is None and "type" not in fields:
        raise ValueError(f'the {kind} {fields!r:.100} has no "type"; there are: {", ".join(types)}')
    return (found or lookup(f"{kind} type", name, types)).from_json(fields)


def class_by_fields(fields: Mapping[str, Any], untyped: Untyped[C]) -> type[C] | None:
    """Return the first class all of whose fields are there, or None."""
    return next((one for names, one in untyped if names <= fields.keys()), None)
