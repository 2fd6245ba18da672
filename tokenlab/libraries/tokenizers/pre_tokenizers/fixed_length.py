"""Splitting into parts of the same number of characters.

Adds: `FixedLength`.
Leaves out: a last part of the same length; it may be shorter.

Source: tokenizers 0.23.3, tokenizers/src/pre_tokenizers/fixed_length.rs.

>>> FixedLength(5).pre_tokenize_str("ATCCTGGTACTG")
[('ATCCT', (0, 5)), ('GGTAC', (5, 10)), ('TG', (10, 12))]
"""

from __future__ import annotations

from tokenlab.libraries.tokenizers.components.arguments import Setting, check_unsigned
from tokenlab.libraries.tokenizers.pre_tokenizers.pre_tokenizer import PreTokenizer
from tokenlab.libraries.tokenizers.spans import Span


class FixedLength(PreTokenizer):
    """Split into parts of `length` characters, for texts without words, such as DNA."""

    length = Setting(check_unsigned, "The number of characters of a part.", default=5)

    def __init__(self, length: int = 5) -> None:
        """Take the number of characters of a part.

        Raises:
            TypeError: it is not an integer.
            OverflowError: it is negative, or not less than 2**64.
        """
        self.length = length

    def _spans(self, text: str) -> list[Span]:
        if not self.length and text:
            raise ValueError("length=0; FixedLength needs at least 1 character per part")
        size, length = len(text), self.length
        return [(start, min(start + length, size)) for start in range(0, size, length or 1)]
