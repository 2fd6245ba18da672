"""Normalizers for the ends of a text: Strip removes whitespace, Prepend inserts a text at the start.

Source: tokenizers 0.23.3, tokenizers/src/normalizers/strip.rs and prepend.rs.
"""

from __future__ import annotations

from tokenlab.algorithms.pipeline.unicode_versions import WHITESPACE
from tokenlab.libraries.tokenizers.components.arguments import Setting, check_bool, check_text
from tokenlab.libraries.tokenizers.normalizers.normalizer import Normalizer
from tokenlab.libraries.tokenizers.text.normalized_string import NormalizedString


class Strip(Normalizer):
    """Remove whitespace at the start, at the end, or both.

    >>> Strip(right=False).normalize_str("\\u3000a ")
    'a '
    """

    left = Setting(check_bool, "Whether whitespace at the start is removed.", field="strip_left")
    right = Setting(check_bool, "Whether whitespace at the end is removed.", field="strip_right")

    def __init__(self, left: bool = True, right: bool = True) -> None:
        """Take the ends.

        Raises:
            TypeError: an option is not a bool.
        """
        self.left = left
        self.right = right

    def apply(self, normalized: NormalizedString) -> None:
        """Remove whitespace and keep the alignment."""
        if self.left and self.right:
            normalized.strip()
        elif self.left:
            normalized.lstrip()
        elif self.right:
            normalized.rstrip()

    def fast(self, text: str) -> str:
        """Return the stripped text."""
        if self.left:
            text = text.lstrip(WHITESPACE)
        return text.rstrip(WHITESPACE) if self.right else text


class Prepend(Normalizer):
    """Insert a text at the start, unless the text is empty.

    >>> Prepend().normalize_str("to be")
    '▁to be'
    """

    prepend = Setting(check_text, "The text that is inserted.")

    def __init__(self, prepend: str = "▁") -> None:
        """Take the text.

        Raises:
            TypeError: it is not a str.
        """
        self.prepend = prepend

    def apply(self, normalized: NormalizedString) -> None:
        """Insert the text, aligned with the first character."""
        normalized.prepend(self.prepend)

    def fast(self, text: str) -> str | None:
        """Return the text with the other text before it."""
        # subtle: after inserting nothing, the first character is aligned with nothing (see `Normalizer.fast`).
        return (self.prepend + text if text else text) if self.prepend else None
