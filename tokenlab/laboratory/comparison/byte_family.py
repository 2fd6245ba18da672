"""Bytes as tokens, as in ByT5 (Xue et al. 2022): 256 entries and no training."""

from __future__ import annotations

from collections.abc import Iterable

from tokenlab.laboratory.comparison.trained_tokenizer import Token, TrainedTokenizer, without_surrogates


class Bytes(TrainedTokenizer):
    """Each byte of the text, in UTF-8, is a token.

    >>> [token.entry for token in Bytes().encode("é")]
    [b'\\xc3', b'\\xa9']
    """

    def __init__(self, corpus: str = "", vocab_size: int = 256) -> None:
        """Take the arguments of the other families; they change nothing."""
        self.vocabulary = [bytes([byte]) for byte in range(256)]

    def encode(self, text: str) -> list[Token]:
        """Return a token for each byte."""
        data = without_surrogates(text).encode()
        return [Token(data[at : at + 1], at, at + 1) for at in range(len(data))]

    def decode(self, tokens: Iterable[Token]) -> str:
        """Join the bytes and decode them."""
        return b"".join(entry for token in tokens if isinstance(entry := token.entry, bytes)).decode(errors="replace")
