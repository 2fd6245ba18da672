"""A normalizer that applies several normalizers, one after the other.

Source: tokenizers 0.23.3, tokenizers/src/normalizers/utils.rs and bindings/python/src/normalizers.rs, PySequence.
"""

from __future__ import annotations

from copy import copy
from typing import Any, Self

from tokenlab.tokenizers.arguments import check_unsigned
from tokenlab.tokenizers.component import Component
from tokenlab.tokenizers.normalized_string import NormalizedString
from tokenlab.tokenizers.normalizers.fields import read_field
from tokenlab.tokenizers.normalizers.normalizer import Normalizer


class Sequence(Normalizer):
    """Several normalizers in a fixed order; an item can be read and replaced by its index.

    >>> from tokenlab.tokenizers.normalizers import NFD, Lowercase, StripAccents
    >>> Sequence([NFD(), Lowercase(), StripAccents()]).normalize_str("Éa")
    'ea'
    """

    def __init__(self, normalizers: list[Normalizer]) -> None:
        """Take the normalizers; the items of a Sequence among them become items of this one.

        Raises:
            TypeError: `normalizers` is not a list of normalizers.
        """
        if not isinstance(normalizers, list):
            raise TypeError(f"normalizers={normalizers!r:.60} should be a list, not {type(normalizers).__name__}")
        self._items: list[Normalizer] = []
        for normalizer in normalizers:
            _check_normalizer(normalizer)
            self._items += normalizer._items if isinstance(normalizer, Sequence) else [normalizer]

    def apply(self, normalized: NormalizedString) -> None:
        """Apply the normalizers in order."""
        for normalizer in self._items:
            normalizer.apply(normalized)

    def fast(self, text: str) -> str | None:
        """Return the text after all normalizers; None if one of them returns None."""
        new: str | None = text
        for normalizer in self._items:
            if new is None:
                return None
            new = normalizer.fast(new)
        return new

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: int) -> Normalizer:
        return self._items[self._place(index)]

    def __setitem__(self, index: int, value: Normalizer) -> None:
        _check_normalizer(value)
        if isinstance(value, Sequence):
            raise ValueError("the new normalizer should not be a Sequence; make a new Sequence of all normalizers")
        self._items[self._place(index)] = copy(value)  # the library copies as well: `value` can be changed on its own
        Component.changes += 1

    def _place(self, index: int) -> int:
        place = check_unsigned("index", index)
        if place >= len(self._items):
            raise IndexError(f"Index not found: {place}; the Sequence has {len(self._items)} normalizers")
        return place

    def to_json(self) -> dict[str, Any]:
        """Return the fields of tokenizer.json."""
        return {"type": "Sequence", "normalizers": [normalizer.to_json() for normalizer in self._items]}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """Return the normalizer with these fields of tokenizer.json; a Sequence in it stays an item.

        Raises:
            ValueError: the field is missing, or the fields of a normalizer are wrong.
        """
        from tokenlab.tokenizers.normalizers.registry import from_json  # it imports this module

        sequence = cls([])
        sequence._items = [from_json(item) for item in read_field(fields, "normalizers", list)]
        return sequence


def _check_normalizer(value: Any) -> None:
    if not isinstance(value, Normalizer):
        raise TypeError(f"{value!r:.60} should be a Normalizer, not {type(value).__name__}; see Normalizer.custom")
