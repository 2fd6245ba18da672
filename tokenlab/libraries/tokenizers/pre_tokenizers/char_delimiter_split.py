"""Splitting at one character, which is removed.

Adds: `CharDelimiterSplit`.
Leaves out: other delimiters and behaviours (`Split`).

Source: tokenizers 0.23.3, tokenizers/src/pre_tokenizers/delimiter.rs.

>>> CharDelimiterSplit("-").pre_tokenize_str("a-b--c")
[('a', (0, 1)), ('b', (2, 3)), ('c', (5, 6))]
"""

from __future__ import annotations

from tokenlab.algorithms.pipeline.split_behavior import split_by_behavior
from tokenlab.libraries.tokenizers.components.arguments import Setting, check_character
from tokenlab.libraries.tokenizers.pre_tokenizers.pre_tokenizer import PreTokenizer
from tokenlab.libraries.tokenizers.spans import Span
from tokenlab.libraries.tokenizers.text.pattern import find_matches


class CharDelimiterSplit(PreTokenizer):
    """Split at a character, as `str.split` does, and drop empty parts."""

    delimiter = Setting(check_character, "The character at which the text is split.")

    def __init__(self, delimiter: str) -> None:
        """Take the character.

        Raises:
            TypeError: it is not a str.
            ValueError: it is not one character.
        """
        self.delimiter = delimiter

    def _spans(self, text: str) -> list[Span]:
        parts = split_by_behavior(find_matches(self.delimiter, text), "removed")
        return [span for span, removed in parts if not removed]

    def _texts(self, text: str, at_start: bool) -> list[str]:
        return [part for part in text.split(self.delimiter) if part]
