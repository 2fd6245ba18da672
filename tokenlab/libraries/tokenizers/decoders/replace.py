"""The decoder that replaces a pattern in every token.

Source: tokenizers 0.23.3, tokenizers/src/normalizers/replace.rs.
"""

from __future__ import annotations

from typing import Any

from tokenlab.libraries.tokenizers.components.arguments import check_text
from tokenlab.libraries.tokenizers.components.settings import read_field
from tokenlab.libraries.tokenizers.decoders.decoder import Decoder
from tokenlab.libraries.tokenizers.text.pattern import (
    Regex,
    check_pattern,
    find_matches,
    pattern_from_json,
    pattern_to_json,
)


class Replace(Decoder):
    """Replace every match of a pattern in each token.

    >>> Replace("▁", " ").decode(["▁Hello", "▁world"])
    ' Hello world'
    """

    def __init__(self, pattern: str | Regex, content: str) -> None:
        """Set the options.

        Args:
            pattern: a str, or a Regex.
            content: the text in place of each match.

        Raises:
            TypeError: an argument has another type.
        """
        self._pattern = check_pattern(pattern)
        self._content = check_text("content", content)

    def decode_chain(self, tokens: list[str]) -> list[str]:
        """Return the tokens with the replacements."""
        if self._pattern and isinstance(self._pattern, str):
            return [token.replace(self._pattern, self._content) for token in tokens]
        return [self._replaced(token) for token in tokens]

    def _replaced(self, token: str) -> str:
        # subtle: the library compiles a str pattern as well, so an empty one matches between all characters.
        parts = find_matches(self._pattern or Regex(""), token)
        return "".join(self._content if is_match else token[start:end] for (start, end), is_match in parts)

    def to_json(self) -> dict[str, Any]:
        """Return the fields of tokenizer.json."""
        return {"type": "Replace", "pattern": pattern_to_json(self._pattern), "content": self._content}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Replace:
        """Return the decoder with these fields.

        Raises:
            ValueError: a field is missing or wrong, or the regular expression is invalid.
        """
        return cls(read_field(fields, "pattern", pattern_from_json), read_field(fields, "content", check_text))
