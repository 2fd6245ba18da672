"""The decoder that applies several decoders in order.

Source: tokenizers 0.23.3, tokenizers/src/decoders/sequence.rs.
"""

from __future__ import annotations

from copy import deepcopy

from tokenlab.libraries.tokenizers.components.sequence import Items
from tokenlab.libraries.tokenizers.decoders.decoder import CustomDecoder, Decoder


class Sequence(Items[Decoder], Decoder):
    """Give the tokens to the first decoder, and the parts that a decoder returns to the next one.

    >>> from tokenlab.libraries.tokenizers.decoders import ByteFallback, Fuse, Strip
    >>> Sequence([ByteFallback(), Fuse(), Strip(" ", 1, 0)]).decode([" a", "<0xC3>", "<0xA9>"])
    'aé'
    """

    _kind = Decoder
    _field = "decoders"

    def __init__(self, decoders_py: list[Decoder]) -> None:
        """Copy the decoders: a later change of one of them does not change the sequence.

        Raises:
            TypeError: `decoders_py` is not a list of decoders.
            ValueError: one of them is custom.
        """
        decoders = self._checked(decoders_py)
        for decoder in decoders:
            if isinstance(decoder, CustomDecoder):
                raise ValueError(f"{decoder!r:.100} cannot be part of a Sequence; call its decode_chain yourself")
        self._items = deepcopy(decoders)

    def decode_chain(self, tokens: list[str]) -> list[str]:
        """Return the parts that the last decoder returns."""
        for decoder in self._items:
            tokens = decoder.decode_chain(tokens)
        return tokens
