"""A normalizer that replaces every match of a pattern by one text.

Source: tokenizers 0.23.3, tokenizers/src/normalizers/replace.rs.
"""

from __future__ import annotations

from typing import Any, Self

from tokenlab.libraries.tokenizers.components.arguments import Setting, check_text, read_field
from tokenlab.libraries.tokenizers.normalizers.normalizer import Normalizer
from tokenlab.libraries.tokenizers.text.normalized_string import NormalizedString
from tokenlab.libraries.tokenizers.text.pattern import Regex, check_pattern, pattern_from_json, pattern_to_json


class Replace(Normalizer):
    """Replace every match of a str or a Regex; the new text is inserted as it is, without references to groups.

    >>> Replace(Regex(" {2,}"), " ").normalize_str("to   be")
    'to be'
    """

    content = Setting(check_text, "The text in place of each match.")

    def __init__(self, pattern: str | Regex, content: str) -> None:
        """Take the pattern and the new text.

        Raises:
            TypeError: the pattern is neither a str nor a Regex, or `content` is not a str.
        """
        # subtle: an empty str matches at every position, as an empty regular expression does.
        self._pattern = check_pattern(pattern) or Regex("")
        self._saved = pattern_to_json(pattern)
        self.content = content

    @property
    def pattern(self) -> None:
        """Refuse to be read.

        Raises:
            ValueError: always, as in the library.
        """
        raise ValueError("Cannot get pattern; repr(replace) shows it")

    @pattern.setter
    def pattern(self, _pattern: str | Regex) -> None:
        check_pattern(_pattern)
        raise ValueError("Cannot set pattern; make a new Replace(pattern, content)")

    def apply(self, normalized: NormalizedString) -> None:
        """Replace the matches and keep the alignment."""
        normalized.replace_matches(self._pattern, self.content)

    def fast(self, text: str) -> str | None:
        """Return the text after all replacements."""
        if isinstance(self._pattern, str):
            return text.replace(self._pattern, self.content)
        parts: list[str] = []
        done = 0
        for start, end in self._pattern.spans(text) if text else ():
            if end == 0 and self.content:
                return None  # what is inserted at the start is aligned with nothing
            parts += text[done:start], self.content
            done = end
        return "".join(parts) + text[done:]

    def to_json(self) -> dict[str, Any]:
        """Return the fields of tokenizer.json."""
        return {"type": "Replace", "pattern": dict(self._saved), "content": self.content}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """Return the normalizer with these fields of tokenizer.json.

        Raises:
            ValueError: a field is missing, or has a wrong type; or the pattern is not a valid regular expression.
        """
        return cls(read_field(fields, "pattern", pattern_from_json), read_field(fields, "content", check_text))
