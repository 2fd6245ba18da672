"""The decoder of byte tokens such as <0x61>, which SentencePiece writes for a character outside the vocabulary.

Source: tokenizers 0.23.3, tokenizers/src/decoders/byte_fallback.rs.
"""

from __future__ import annotations

import re
from itertools import groupby

from tokenlab.libraries.tokenizers.decoders.decoder import Decoder

# subtle: Rust's from_str_radix reads a sign as well, so <0x+A> is the byte 10 in the library.
BYTE_TOKEN = re.compile("<0x([0-9a-fA-F]{2}|[+][0-9a-fA-F])>")


class ByteFallback(Decoder):
    """Replace each run of byte tokens by the characters that the bytes encode.

    If a run is not valid UTF-8, every one of its bytes becomes U+FFFD, also those of complete characters.

    >>> ByteFallback().decode(["<0xC3>", "<0xA9>", "t", "<0xC3>"])
    'ét�'
    """

    def __init__(self) -> None:
        """Take no arguments."""

    def decode_chain(self, tokens: list[str]) -> list[str]:
        """Return the other tokens unchanged, and one part for each valid run of byte tokens."""
        parts: list[str] = []
        for are_bytes, run in groupby(tokens, lambda token: BYTE_TOKEN.fullmatch(token) is not None):
            same_kind = list(run)
            parts += _characters(bytes(int(token[3:5], 16) for token in same_kind)) if are_bytes else same_kind
        return parts


def _characters(data: bytes) -> list[str]:
    try:
        return [data.decode()]
    except UnicodeDecodeError:
        return ["\ufffd"] * len(data)
