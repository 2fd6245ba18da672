"""Splitting at numbers.

Adds: `Digits`.
Leaves out: groups of up to three digits, as in GPT-4 (`Split` with a regular expression).

Digits are the characters of Unicode's category N: also ², Ⅷ and the digits of other scripts.
Source: tokenizers 0.23.3, tokenizers/src/pre_tokenizers/digits.rs.

>>> Digits().pre_tokenize_str("Call 123")
[('Call ', (0, 5)), ('123', (5, 8))]
>>> [part for part, _ in Digits(individual_digits=True).pre_tokenize_str("Call 123")]
['Call ', '1', '2', '3']
"""

from __future__ import annotations

import regex

from tokenlab.algorithms.pipeline.character_classes import NUMBER
from tokenlab.libraries.tokenizers.components.arguments import Setting, check_bool
from tokenlab.libraries.tokenizers.pre_tokenizers.pre_tokenizer import PreTokenizer
from tokenlab.libraries.tokenizers.spans import Span

_GROUPS = regex.compile(f"(?V1){NUMBER}+|[^{NUMBER}]+")
_INDIVIDUAL = regex.compile(f"(?V1){NUMBER}|[^{NUMBER}]+")


class Digits(PreTokenizer):
    """Separate digits from other characters, and, if `individual_digits`, from each other."""

    individual_digits = Setting(check_bool, "Whether each digit is a pre-token.")

    def __init__(self, individual_digits: bool = False) -> None:
        """Take True to make each digit a pre-token.

        Raises:
            TypeError: it is not a bool.
        """
        self.individual_digits = individual_digits

    @property
    def _pattern(self) -> regex.Pattern[str]:
        return _INDIVIDUAL if self.individual_digits else _GROUPS

    def _spans(self, text: str) -> list[Span]:
        return [match.span() for match in self._pattern.finditer(text)]

    def _texts(self, text: str, at_start: bool) -> list[str]:
        return self._pattern.findall(text)
