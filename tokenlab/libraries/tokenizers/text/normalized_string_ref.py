"""A NormalizedString that is lent to a function, and refuses every use after the function returned.

The library lends custom components a reference to its own data, which is gone afterwards.
Source: tokenizers 0.23.3, bindings/python/src/utils/normalization.rs, PyNormalizedStringRefMut.

>>> with lent(NormalizedString("Ab")) as text:
...     text.lowercase()
>>> text.normalized
Traceback (most recent call last):
...
ValueError: Cannot use a NormalizedStringRefMut outside `normalize`: keep str(text) or a slice instead
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tokenlab.libraries.tokenizers.text.normalized_string import NormalizedString

METHODS = (
    *(
        "append",
        "clear",
        "filter",
        "for_each",
        "lowercase",
        "lstrip",
        "map",
        "nfc",
        "nfd",
        "nfkc",
        "nfkd",
        "normalized",
    ),
    *("original", "prepend", "replace", "rstrip", "slice", "split", "strip", "uppercase"),
)


class NormalizedStringRefMut:
    """The methods and attributes of a NormalizedString, until it is taken back."""

    __slots__ = ("_lent",)

    def __init__(self, lent: NormalizedString) -> None:
        """Lend this NormalizedString."""
        self._lent: NormalizedString | None = lent

    def target(self) -> NormalizedString:
        """Return the NormalizedString.

        Raises:
            ValueError: it was taken back.
        """
        if self._lent is None:
            raise ValueError(
                "Cannot use a NormalizedStringRefMut outside `normalize`: keep str(text) or a slice instead"
            )
        return self._lent

    def take_back(self) -> None:
        """Refuse every use from now on."""
        self._lent = None

    def __getattr__(self, name: str) -> Any:
        if name not in METHODS:
            raise AttributeError(
                f"NormalizedStringRefMut has no attribute {name!r}; there are: {' '.join(sorted(METHODS))}"
            )
        return getattr(self.target(), name)


@contextmanager
def lent(normalized: NormalizedString) -> Iterator[NormalizedStringRefMut]:
    """Lend a NormalizedString for the duration of a with-block."""
    reference = NormalizedStringRefMut(normalized)
    try:
        yield reference
    finally:
        reference.take_back()
