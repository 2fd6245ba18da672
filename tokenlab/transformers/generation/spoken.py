"""Tokens as a person reads them."""

from __future__ import annotations

from collections.abc import Iterable

from tokenlab.algorithms.unigram_encode import BLANK


def spoken(tokens: Iterable[str]) -> str:
    """The tokens as text.

    >>> spoken(["▁Die", "▁Kat", "ze", "."])
    'Die Katze.'
    """
    return "".join(tokens).replace(BLANK, " ").strip()
