"""Splitting at punctuation.

Adds: `Punctuation`, with a behaviour for the punctuation characters; `BertPreTokenizer`, which also splits at
whitespace.
Leaves out: Chinese characters, which BERT's normalizer surrounds with spaces (`normalizers.BertNormalizer`).

Punctuation is what Unicode 8 calls so, and all symbols of ASCII, such as $ and +.
Source: tokenizers 0.23.3, tokenizers/src/pre_tokenizers/punctuation.rs and bert.rs.

>>> [part for part, _ in BertPreTokenizer().pre_tokenize_str("It's $3.50 (now)!")]
['It', "'", 's', '$', '3', '.', '50', '(', 'now', ')', '!']
>>> [part for part, _ in Punctuation("merged_with_previous").pre_tokenize_str("Yes, no?!")]
['Yes,', ' no?', '!']
"""

from __future__ import annotations

import regex

from tokenlab.algorithms.pipeline.character_classes import PUNCTUATION
from tokenlab.algorithms.pipeline.split_behavior import MarkedSpans, split_by_behavior
from tokenlab.libraries.tokenizers.pre_tokenizers.behavior_names import behavior_setting
from tokenlab.libraries.tokenizers.pre_tokenizers.pre_tokenizer import PreTokenizer
from tokenlab.libraries.tokenizers.spans import Span

_PARTS = regex.compile(rf"(?V1)({PUNCTUATION})|[^{PUNCTUATION}]+")
_BERT = regex.compile(rf"(?V1)[^\s{PUNCTUATION}]+|{PUNCTUATION}")
# The same for ASCII, faster.
_ASCII_BERT = regex.compile(r"[^\t-\r !-/:-@\[-`{-~]+|[!-/:-@\[-`{-~]")


class BertPreTokenizer(PreTokenizer):
    """Remove whitespace, and make each punctuation character a pre-token."""

    def __init__(self) -> None:
        pass

    def _spans(self, text: str) -> list[Span]:
        return [match.span() for match in (_ASCII_BERT if text.isascii() else _BERT).finditer(text)]

    def _texts(self, text: str, at_start: bool) -> list[str]:
        return (_ASCII_BERT if text.isascii() else _BERT).findall(text)


class Punctuation(PreTokenizer):
    """Split at each punctuation character; `behavior` says what happens to it."""

    behavior = behavior_setting("What happens to a punctuation character.", default="isolated")
    _behavior: str

    def __init__(self, behavior: str = "isolated") -> None:
        """Take one of the behaviours "removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous".

        Raises:
            TypeError: `behavior` is not a str.
            ValueError: there is no such behaviour.
        """
        self.behavior = behavior

    def _spans(self, text: str) -> list[Span]:
        matches: MarkedSpans = [(match.span(), match[1] is not None) for match in _PARTS.finditer(text)]
        return [span for span, removed in split_by_behavior(matches, self._behavior) if not removed]
