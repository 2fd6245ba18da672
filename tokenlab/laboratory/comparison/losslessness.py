"""Losslessness: whether decoding restores the text, the first difference, and the share of unknown text."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest

from tokenlab.laboratory.comparison.trained_tokenizer import Token


def first_loss(text: str, decoded: str) -> int:
    """Return the index of the first character at which the decoded text differs; -1 if the texts are equal.

    >>> first_loss("a  b", "a b"), first_loss("ab", "a"), first_loss("ab", "ab")
    (2, 1, -1)
    """
    pairs = enumerate(zip_longest(text, decoded))
    return next((index for index, (mine, theirs) in pairs if mine != theirs), -1)


def unknown_bytes(tokens: Iterable[Token]) -> int:
    """Return the number of bytes of the text that unknown tokens cover.

    >>> unknown_bytes([Token("the", 0, 3), Token("[UNK]", 4, 8, unknown=True)])
    4
    """
    return sum(token.end - token.start for token in tokens if token.unknown)
