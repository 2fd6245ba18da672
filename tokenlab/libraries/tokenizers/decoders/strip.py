"""The decoder that removes some characters from both ends of every token.

Source: tokenizers 0.23.3, tokenizers/src/decoders/strip.rs.
"""

from __future__ import annotations

from tokenlab.libraries.tokenizers.components.arguments import check_character, check_unsigned
from tokenlab.libraries.tokenizers.components.settings import Setting
from tokenlab.libraries.tokenizers.decoders.decoder import Decoder


class Strip(Decoder):
    """Remove at most `start` characters `content` from the left of each token, and at most `stop` from the right.

    >>> Strip("_", left=1).decode_chain(["_a", "__a", "a"])
    ['a', '_a', 'a']
    """

    content = Setting(check_character, "The character that is removed.")
    start = Setting(check_unsigned, "The largest number of characters that are removed from the left.")
    stop = Setting(check_unsigned, "The largest number of characters that are removed from the right.")

    def __init__(self, content: str = " ", left: int = 0, right: int = 0) -> None:
        """Set the options, which are attributes named `content`, `start` and `stop`.

        Raises:
            ValueError: `content` is not a single character.
            OverflowError: a number is negative.
        """
        self.content = content
        self.start = left
        self.stop = right

    def decode_chain(self, tokens: list[str]) -> list[str]:
        """Return the shorter tokens.

        Raises:
            ValueError: a token has fewer characters than should be removed; the library panics.
        """
        return [self._stripped(token) for token in tokens]

    def _stripped(self, token: str) -> str:
        size = len(token)
        start = min(self.start, size - len(token.lstrip(self.content)))
        removed = size - len(token.rstrip(self.content))
        end = size - min(self.stop, removed)
        # subtle: the library looks at a character before the first one if it runs out of characters to remove.
        if start > end or (removed == size and self.stop > size):
            raise ValueError(
                f"the decoder {self!r} cannot remove start={self.start} and stop={self.stop} characters from the token "
                f"{token!r:.60}, which has {size}; choose smaller numbers"
            )
        return token[start:end]
