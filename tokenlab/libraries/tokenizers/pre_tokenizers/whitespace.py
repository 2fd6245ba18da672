r"""Splitting at whitespace.

Adds: `WhitespaceSplit`, which removes whitespace; `Whitespace`, which also separates words from other characters.
Leaves out: punctuation, each character on its own (`punctuation`).

Source: tokenizers 0.23.3, tokenizers/src/pre_tokenizers/whitespace.rs.

>>> [part for part, _ in Whitespace().pre_tokenize_str("Let's go...")]
['Let', "'", 's', 'go', '...']
>>> WhitespaceSplit().pre_tokenize_str("Let's go...")
[("Let's", (0, 5)), ('go...', (6, 11))]
"""

from __future__ import annotations

import regex

from tokenlab.algorithms.pipeline.unicode_versions import compile_words
from tokenlab.libraries.tokenizers.pre_tokenizers.pre_tokenizer import PreTokenizer
from tokenlab.libraries.tokenizers.spans import Span

_NOT_WHITESPACE = regex.compile(r"\S+")
_words = compile_words(r"[{W}]+|[^{W}\s]+")


class WhitespaceSplit(PreTokenizer):
    """Remove whitespace, and keep what is between."""

    def __init__(self) -> None:
        pass

    def _spans(self, text: str) -> list[Span]:
        return [match.span() for match in _NOT_WHITESPACE.finditer(text)]

    def _texts(self, text: str, at_start: bool) -> list[str]:
        # subtle: str.split also splits at \x1c to \x1f, which are no whitespace in the library.
        return _NOT_WHITESPACE.findall(text)


class Whitespace(PreTokenizer):
    r"""Keep the matches of `\w+|[^\w\s]+`: runs of word characters, and runs of what is neither word nor whitespace."""

    def __init__(self) -> None:
        pass

    def _spans(self, text: str) -> list[Span]:
        return [match.span() for match in _words(text).finditer(text)]

    def _texts(self, text: str, at_start: bool) -> list[str]:
        return _words(text).findall(text)
