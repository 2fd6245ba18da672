"""The decoder of SentencePiece's pieces, in which a visible character replaces the space.

Source: tokenizers 0.23.3, tokenizers/src/pre_tokenizers/metaspace.rs.
"""

from __future__ import annotations

from tokenlab.libraries.tokenizers.components.metaspace_settings import MetaspaceSettings
from tokenlab.libraries.tokenizers.decoders.decoder import Decoder


class Metaspace(MetaspaceSettings, Decoder):
    """Replace the replacement character by a space, and remove it from the first token.

    With the scheme "never", no space was added to the beginning of the text, so none is removed.

    >>> Metaspace().decode(["▁Hello", "▁wor", "ld"])
    'Hello world'
    >>> Metaspace(prepend_scheme="never").decode(["▁Hello"])
    ' Hello'
    """

    def decode_chain(self, tokens: list[str]) -> list[str]:
        """Return the tokens with spaces."""
        first = " " if self.prepend_scheme == "never" else ""
        return [token.replace(self.replacement, first) for token in tokens[:1]] + [
            token.replace(self.replacement, " ") for token in tokens[1:]
        ]
