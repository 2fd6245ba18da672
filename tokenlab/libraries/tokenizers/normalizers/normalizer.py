"""The base of all normalizers, normalizers written by the user, and several one after the other.

Source: tokenizers 0.23.3, bindings/python/src/normalizers.rs and tokenizers/src/normalizers/utils.rs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from tokenlab.algorithms.pipeline.unicode_versions import CharacterTable
from tokenlab.libraries.tokenizers.components.arguments import check_text
from tokenlab.libraries.tokenizers.components.component import Component, Custom
from tokenlab.libraries.tokenizers.components.sequence import ReplaceableItems
from tokenlab.libraries.tokenizers.text.normalized_string import (
    NormalizedString,
    NormalizedStringRefMut,
    TooManyReplacedError,
    lent,
)


class Normalizer(Component):
    """A step that changes a text before it is split into pre-tokens.

    A subclass defines `apply`, which keeps the alignment, and usually `fast`, which only computes the text.
    """

    _advice = "one of the normalizers, such as NFC(), or Normalizer.custom(object)"
    # Whether an ASCII character becomes one ASCII character or none, and what replaces a character is aligned with it.
    _is_one_by_one: ClassVar[bool] = False

    @staticmethod
    def custom(obj: Any) -> Normalizer:
        """Return a normalizer that calls `obj.normalize(normalized)`, which changes a NormalizedString."""
        return CustomNormalizer(obj)

    def normalize(self, normalized: NormalizedString | NormalizedStringRefMut) -> None:
        """Change a NormalizedString in place.

        Raises:
            TypeError: `normalized` has another type.
        """
        if isinstance(normalized, NormalizedStringRefMut):
            normalized = normalized.target()
        if not isinstance(normalized, NormalizedString):
            raise TypeError(
                f"normalized={normalized!r:.60} should be a NormalizedString, not {type(normalized).__name__}; "
                "normalize_str takes a str"
            )
        self.apply(normalized)

    def normalize_str(self, sequence: str) -> str:
        """Return the normalized text.

        Raises:
            TypeError: `sequence` is not a str.
            UnicodeEncodeError: it has a lone surrogate.
        """
        text = self.fast(check_text("sequence", sequence))
        if text is None:
            normalized = NormalizedString(sequence)
            self.apply(normalized)
            text = normalized.normalized
        return text

    def apply(self, normalized: NormalizedString) -> None:
        """Change a NormalizedString in place, without checking its type."""
        raise NotImplementedError(f"{type(self).__name__} has no method apply")

    def fast(self, text: str) -> str | None:
        """Return the normalized text, computed without alignment; None if only `apply` can compute it.

        None also if characters at the start of the result are aligned with nothing, because `transform` then ignores
        them in the next normalizer of a Sequence.
        """
        return None


class CharacterNormalizer(Normalizer):
    """A normalizer that replaces each character by itself, regardless of its neighbours."""

    table: ClassVar[CharacterTable]

    def __init__(self) -> None:
        """Take no options."""

    def apply(self, normalized: NormalizedString) -> None:
        """Replace each character."""
        normalized.translate(self.table)

    def fast(self, text: str) -> str | None:
        """Return the text in which each character is replaced."""
        return text.translate(self.table)


def remove_and_map(normalized: NormalizedString, rule: Callable[[str], str]) -> None:
    """Apply a rule that removes some characters and replaces others by one, in two steps, like the library.

    Two steps have another result than one only if `transform` does not replace the whole text.
    """
    normalized.replace_characters(lambda character: character if rule(character) else "")
    normalized.replace_characters(lambda character: rule(character) or character)


class CustomNormalizer(Custom, Normalizer):
    """A normalizer that calls the method `normalize` of an object."""

    _kind = "Normalizer"

    def apply(self, normalized: NormalizedString) -> None:
        """Lend the text to the object.

        Raises:
            ValueError: its method failed; the message has its error.
        """
        with lent(normalized) as reference:
            try:
                self._obj.normalize(reference)
            except TooManyReplacedError:
                raise
            except Exception as error:
                raise ValueError(f"{type(error).__name__}: {error}") from error


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
