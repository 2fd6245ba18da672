"""Splitting at the matches of a text or a regular expression.

Adds: `Split`, with the five behaviours and inversion.
Leaves out: the behaviours themselves (`tokenlab.algorithms.pipeline.split_behavior`).

Source: tokenizers 0.23.3, tokenizers/src/pre_tokenizers/split.rs.

>>> Split(",", "removed").pre_tokenize_str("one,two")
[('one', (0, 3)), ('two', (4, 7))]
>>> [part for part, _ in Split(Regex("[0-9]{1,3}"), "isolated").pre_tokenize_str("in 12345 days")]
['in ', '123', '45', ' days']
"""

from __future__ import annotations

from typing import Any, Self

from tokenlab.algorithms.pipeline.split_behavior import split_by_behavior
from tokenlab.libraries.tokenizers.components.arguments import Setting, check_bool, read_field
from tokenlab.libraries.tokenizers.pre_tokenizers.behavior_names import behavior_setting
from tokenlab.libraries.tokenizers.pre_tokenizers.pre_tokenizer import PreTokenizer
from tokenlab.libraries.tokenizers.spans import Span
from tokenlab.libraries.tokenizers.text.pattern import (
    Regex,
    check_pattern,
    find_matches,
    pattern_from_json,
    pattern_to_json,
)


class Split(PreTokenizer):
    """Split at the matches of a pattern; `behavior` says what happens to them.

    With `invert`, the matches are what is kept, and the text between them is what `behavior` is about.
    """

    behavior = behavior_setting("What happens to a delimiter.")
    invert = Setting(check_bool, "Whether the text between the matches is the delimiter.")
    _behavior: str

    def __init__(self, pattern: str | Regex, behavior: str, invert: bool = False) -> None:
        """Take a pattern, which cannot be changed later, and how to split.

        Args:
            pattern: a text to find as it is, or a `Regex`.
            behavior: "removed", "isolated", "merged_with_previous", "merged_with_next" or "contiguous".
            invert: whether the text between the matches is the delimiter.

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: there is no such behaviour.
        """
        self._pattern = check_pattern(pattern)
        self.behavior = behavior
        self.invert = invert

    @property
    def pattern(self) -> str | Regex:
        """The library does not give the pattern back; this raises a ValueError."""
        raise ValueError(f"the pattern of a Split cannot be read, as in the library; it is shown in {self!r}")

    @pattern.setter
    def pattern(self, pattern: str | Regex) -> None:
        check_pattern(pattern)
        raise ValueError("the pattern of a Split cannot be changed; create a new Split with the other pattern")

    def _spans(self, text: str) -> list[Span]:
        # subtle: an empty text, searched as a regular expression, is found before every character.
        matches = find_matches(self._pattern or Regex(""), text)
        if self.invert:
            matches = [(span, not match) for span, match in matches]
        return [span for span, removed in split_by_behavior(matches, self._behavior) if not removed]

    def _texts(self, text: str, at_start: bool) -> list[str]:
        return self._all_matches(text) or super()._texts(text, at_start)

    def _all_matches(self, text: str) -> list[str] | None:
        """Return the matches if they are the result, as with the patterns of GPT models, which match everything."""
        isolated = self._behavior == "isolated"
        if not isinstance(self._pattern, Regex) or not (isolated or (self._behavior == "removed" and self.invert)):
            return None
        compiled = self._pattern.compiled_for(text)
        parts = compiled.findall(text) if not compiled.groups else [match[0] for match in compiled.finditer(text)]
        complete = not isolated or sum(map(len, parts)) == len(text)
        # subtle: Oniguruma and Python continue differently after an empty match.
        return parts if complete and "" not in parts else None

    def to_json(self) -> dict[str, Any]:
        """Return the fields of tokenizer.json."""
        return {"type": "Split", "pattern": pattern_to_json(self._pattern)} | super().to_json()

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """Return the pre-tokenizer with these fields of tokenizer.json.

        Raises:
            ValueError: a field is missing, or has a wrong type or value; the message names it.
        """
        pattern = read_field(fields, "pattern", pattern_from_json)
        return cls(pattern, cls.behavior.loaded(fields), cls.invert.loaded(fields))
