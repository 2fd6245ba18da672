"""The decoder of speech recognition with CTC, whose model emits one token per time step.

Source: tokenizers 0.23.3, tokenizers/src/decoders/ctc.rs; Graves, Fernández, Gomez and Schmidhuber 2006.
"""

from __future__ import annotations

from itertools import groupby

from tokenlab.libraries.tokenizers.components.arguments import check_bool, check_text
from tokenlab.libraries.tokenizers.components.settings import Setting
from tokenlab.libraries.tokenizers.decoders.decoder import Decoder
from tokenlab.libraries.tokenizers.decoders.wordpiece import clean_up


class CTC(Decoder):
    """Merge repeated tokens, remove the padding token, and write a space for the word delimiter.

    A doubled letter therefore needs a padding token between its two time steps.

    >>> CTC().decode(["h", "i", "i", "|", "a", "<pad>", "a"])
    'hi aa'
    """

    pad_token = Setting(check_text, "The text that is removed from each token.")
    word_delimiter_token = Setting(check_text, "The text that becomes a space; only with `cleanup`.")
    cleanup = Setting(check_bool, "Whether spaces before English punctuation and contractions are removed.")

    def __init__(self, pad_token: str = "<pad>", word_delimiter_token: str = "|", cleanup: bool = True) -> None:
        """Set the options.

        Args:
            pad_token: the text to remove from each token.
            word_delimiter_token: the text that becomes a space; only with `cleanup`.
            cleanup: remove spaces before English punctuation and contractions.
        """
        self.pad_token = pad_token
        self.word_delimiter_token = word_delimiter_token
        self.cleanup = cleanup

    def decode_chain(self, tokens: list[str]) -> list[str]:
        """Return the distinct tokens as text, without empty parts."""
        parts = (token.replace(self.pad_token, "") for token, _ in groupby(tokens))
        if self.cleanup:
            parts = (clean_up(part).replace(self.word_delimiter_token, " ") for part in parts)
        return [part for part in parts if part]
