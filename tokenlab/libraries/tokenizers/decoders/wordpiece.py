"""The decoder of WordPiece, whose tokens inside a word have a prefix.

Source: tokenizers 0.23.3, tokenizers/src/decoders/wordpiece.rs.
"""

from __future__ import annotations

from tokenlab.libraries.tokenizers.components.arguments import check_bool, check_text
from tokenlab.libraries.tokenizers.components.settings import Setting
from tokenlab.libraries.tokenizers.decoders.decoder import Decoder

# Applied one after another. subtle: " do not" becomes " don't", so not every text survives encoding and decoding;
# transformers' clean_up_tokenization has the same rules without this one.
CLEAN_UP_RULES = (
    *((" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"), (" 'm", "'m")),
    *((" do not", " don't"), (" 's", "'s"), (" 've", "'ve"), (" 're", "'re")),
)


def clean_up(text: str) -> str:
    """Remove spaces before English punctuation and contractions.

    >>> clean_up("I do not know , it 's late .")
    "I don't know, it's late."
    """
    for spaced, close in CLEAN_UP_RULES:
        text = text.replace(spaced, close)
    return text


class WordPiece(Decoder):
    """Remove the prefix of tokens inside a word, and write a space before the other tokens.

    >>> WordPiece().decode(["un", "##aff", "##able", "!"])
    'unaffable!'
    """

    prefix = Setting(check_text, "The prefix of a token inside a word.")
    cleanup = Setting(check_bool, "Whether spaces before English punctuation and contractions are removed.")

    def __init__(self, prefix: str = "##", cleanup: bool = True) -> None:
        """Set the options.

        Args:
            prefix: the prefix of a token inside a word.
            cleanup: remove spaces before English punctuation and contractions, within each part.
        """
        self.prefix = prefix
        self.cleanup = cleanup

    def decode_chain(self, tokens: list[str]) -> list[str]:
        """Return one part for each token; the first one keeps its prefix."""
        parts = tokens[:1] + [self._continued(token) for token in tokens[1:]]
        return [clean_up(part) for part in parts] if self.cleanup else parts

    def _continued(self, token: str) -> str:
        return token[len(self.prefix) :] if token.startswith(self.prefix) else f" {token}"
