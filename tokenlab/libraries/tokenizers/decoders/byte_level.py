"""The decoder of byte-level BPE: byte symbols back to bytes, and bytes to text.

Source: tokenizers 0.23.3, tokenizers/src/pre_tokenizers/byte_level.rs.
"""

from __future__ import annotations

from typing import Any

from tokenlab.algorithms.text.byte_symbols import SYMBOL_TO_BYTE
from tokenlab.libraries.tokenizers.components.arguments import check_bool
from tokenlab.libraries.tokenizers.components.settings import Setting
from tokenlab.libraries.tokenizers.decoders.decoder import Decoder


class ByteLevel(Decoder):
    """Decode the concatenated bytes of all tokens as UTF-8, with U+FFFD for invalid bytes.

    The saved fields are those of the pre-tokenizer; they do not change the decoding.

    >>> ByteLevel().decode(["ĠdÃ", "Ńa"])
    ' día'
    """

    add_prefix_space = Setting(check_bool, "Not used.")
    trim_offsets = Setting(check_bool, "Not used.")
    use_regex = Setting(check_bool, "Not used; older versions did not write it.", default=True)

    def __init__(self, **ignored: Any) -> None:
        """Ignore all keyword arguments, as the library does."""
        self.add_prefix_space = self.trim_offsets = self.use_regex = True

    def decode_chain(self, tokens: list[str]) -> list[str]:
        """Return one part: the text."""
        return [b"".join(map(_bytes, tokens)).decode(errors="replace")]


def _bytes(token: str) -> bytes:
    try:
        return bytes(map(SYMBOL_TO_BYTE.__getitem__, token))
    except KeyError:  # subtle: one character that is no byte symbol, and the whole token is read as text
        return token.encode()
