"""Replaceable parts of the pipeline: how each is saved in tokenizer.json, pickled and printed.

Adds: `Component`, the base of normalizers, pre-tokenizers, models, post-processors, decoders and trainers;
`representation`, the text that `repr` shows.
Leaves out: the file of a whole tokenizer (`serialization`).

Source: tokenizers, bindings/python/src/utils/serde_pyo3.rs.

>>> representation({"type": "Strip", "strip_left": True, "strip_right": False})
'Strip(strip_left=True, strip_right=False)'
"""

from __future__ import annotations

import json
from typing import Any, ClassVar, Self


SHOWN = 100  # items of a list or dictionary that `repr` shows


class Component:
    """A part of the pipeline. A change of an attribute is noticed by the tokenizers that contain it.

    `to_json` and `from_json` are the only statement of the saved fields: tokenizer.json, `pickle` and `repr` use them.
    """

    changes: ClassVar[int] = 0  # of all components; a tokenizer compares it with the number at its last compilation

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        Component.changes += 1

    def to_json(self) -> dict[str, Any]:
        """Return the fields of tokenizer.json in the library's order, "type" first."""
        raise NotImplementedError(f"{type(self).__name__} cannot be saved")

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """Return the component with these fields of tokenizer.json.

        Raises:
            ValueError: a field is missing, or has a wrong type or value; the message names it.
        """
        raise NotImplementedError(f"{cls.__name__} cannot be loaded")

    def __repr__(self) -> str:
        return representation(self.to_json())

    def __getstate__(self) -> bytes:
        """Return the fields as JSON, which `pickle` stores."""
        return json.dumps(self.to_json(), ensure_ascii=False, separators=(",", ":")).encode()

    def __setstate__(self, state: bytes) -> None:
        vars(self).update(vars(type(self).from_json(json.loads(state))))
        Component.changes += 1


def representation(value: Any) -> str:
    """Return a JSON value as Python would write it; an object with a "type" is written as a call.

    >>> representation({"type": "Sequence", "normalizers": [{"type": "NFC"}], "dropout": None})
    'Sequence(normalizers=[NFC()], dropout=None)'
    """
    match value:
        case None | bool() | int() | float():
            return repr(value)
        case str():
            return f'"{value}"'
        case list():
            return f"[{_shortened([representation(item) for item in value[:SHOWN]], len(value))}]"
        case {"type": str(name), **fields}:
            return f"{name}({', '.join(f'{field}={representation(item)}' for field, item in fields.items())})"
        case dict():
            pairs = [f"{representation(key)}:{representation(item)}" for key, item in list(value.items())[:SHOWN]]
            return "{" + _shortened(pairs, len(value)) + "}"
    return str(value)


def _shortened(items: list[str], count: int) -> str:
    return ", ".join([*items, "..."] if count > SHOWN else items)
