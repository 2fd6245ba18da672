"""The decoder that applies several decoders in order.

Source: tokenizers 0.23.3, tokenizers/src/decoders/sequence.rs.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from tokenlab.tokenizers.decoders.decoder import CustomDecoder, Decoder


class Sequence(Decoder):
    """Give the tokens to the first decoder, and the parts that a decoder returns to the next one.

    >>> from tokenlab.tokenizers.decoders import ByteFallback, Fuse, Strip
    >>> Sequence([ByteFallback(), Fuse(), Strip(" ", 1, 0)]).decode([" a", "<0xC3>", "<0xA9>"])
    'aé'
    """

    def __init__(self, decoders_py: list[Decoder]) -> None:
        """Copy the decoders: a later change of one of them does not change the sequence.

        Raises:
            TypeError: `decoders_py` is not a list of decoders.
            ValueError: one of them is custom.
        """
        if not isinstance(decoders_py, list):
            raise TypeError(f"decoders_py should be a list of decoders, not {type(decoders_py).__name__}")
        for decoder in decoders_py:
            if not isinstance(decoder, Decoder):
                raise TypeError(f"decoders_py should contain decoders only, not {decoder!r:.60}")
            if isinstance(decoder, CustomDecoder):
                raise ValueError(f"{decoder!r:.100} cannot be part of a Sequence; call its decode_chain yourself")
        self._decoders = deepcopy(decoders_py)

    def decode_chain(self, tokens: list[str]) -> list[str]:
        """Return the parts that the last decoder returns."""
        for decoder in self._decoders:
            tokens = decoder.decode_chain(tokens)
        return tokens

    def to_json(self) -> dict[str, Any]:
        """Return the fields of tokenizer.json."""
        return {"type": "Sequence", "decoders": [decoder.to_json() for decoder in self._decoders]}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Sequence:
        """Return the decoder with these fields.

        Raises:
            ValueError: there is no list of decoders, or one of them cannot be loaded.
        """
        from tokenlab.tokenizers.decoders.registry import from_json

        if not isinstance(fields.get("decoders"), list):
            raise ValueError('the decoder Sequence needs a field "decoders" that is a list')
        return cls([from_json(each) for each in fields["decoders"]])
