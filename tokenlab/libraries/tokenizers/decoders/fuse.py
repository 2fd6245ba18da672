"""The decoder that concatenates tokens, so that the next decoder of a sequence sees the whole text.

Source: tokenizers 0.23.3, tokenizers/src/decoders/fuse.rs.
"""

from __future__ import annotations

from tokenlab.libraries.tokenizers.decoders.decoder import Decoder


class Fuse(Decoder):
    """Concatenate all tokens.

    >>> Fuse().decode_chain(["a", "b"])
    ['ab']
    """

    def __init__(self) -> None:
        """Take no arguments."""

    def decode_chain(self, tokens: list[str]) -> list[str]:
        """Return one part: the text."""
        return ["".join(tokens)]
