"""A normalizer that applies several normalizers, one after the other.

Source: tokenizers 0.23.3, tokenizers/src/normalizers/utils.rs and bindings/python/src/normalizers.rs, PySequence.
"""

from __future__ import annotations

from tokenlab.libraries.tokenizers.components.sequence import ReplaceableItems
from tokenlab.libraries.tokenizers.normalizers.normalizer import Normalizer
from tokenlab.libraries.tokenizers.text.normalized_string import NormalizedString


class Sequence(ReplaceableItems[Normalizer], Normalizer):
    """Several normalizers in a fixed order; an item can be read and replaced by its index.

    >>> from tokenlab.libraries.tokenizers.normalizers import NFD, Lowercase, StripAccents
    >>> Sequence([NFD(), Lowercase(), StripAccents()]).normalize_str("Éa")
    'ea'
    """

    _kind = Normalizer
    _field = "normalizers"

    def __init__(self, normalizers: list[Normalizer]) -> None:
        """Take the normalizers; the items of a Sequence among them become items of this one.

        Raises:
            TypeError: `normalizers` is not a list of normalizers.
        """
        self._items = self._flattened(normalizers)

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
