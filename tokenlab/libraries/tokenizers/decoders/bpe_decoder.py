"""The decoder of the original BPE, whose words end with a suffix.

Source: tokenizers 0.23.3, tokenizers/src/decoders/bpe.rs; Sennrich, Haddow and Birch 2016.
"""

from __future__ import annotations

from tokenlab.libraries.tokenizers.components.arguments import check_text
from tokenlab.libraries.tokenizers.components.settings import Setting
from tokenlab.libraries.tokenizers.decoders.decoder import Decoder


class BPEDecoder(Decoder):
    """Replace the suffix that ends a word by a space; in the last token, remove it.

    >>> BPEDecoder().decode(["un", "like</w>", "me</w>"])
    'unlike me'
    """

    suffix = Setting(check_text, "The suffix that ends a word.")

    def __init__(self, suffix: str = "</w>") -> None:
        """Set the suffix."""
        self.suffix = suffix

    def decode_chain(self, tokens: list[str]) -> list[str]:
        """Return the tokens with spaces in place of the suffixes."""
        return [token.replace(self.suffix, " ") for token in tokens[:-1]] + [
            token.replace(self.suffix, "") for token in tokens[-1:]
        ]
