"""SentencePiece's treatment of spaces: a visible character replaces each space, and pre-tokens start with it.

Adds: `Metaspace`, with three schemes for the first word.
Leaves out: the way back, from tokens to text (`decoders.Metaspace`).

Source: tokenizers 0.23.3, tokenizers/src/pre_tokenizers/metaspace.rs.

>>> Metaspace().pre_tokenize_str("Hello my friend")
[('▁Hello', (0, 5)), ('▁my', (5, 8)), ('▁friend', (8, 15))]
"""

from __future__ import annotations

from typing import Any, Self

from tokenlab.errors import lookup
from tokenlab.tokenizers.arguments import check_bool, check_text
from tokenlab.tokenizers.component import Choice
from tokenlab.tokenizers.normalized_string import NormalizedString
from tokenlab.tokenizers.pre_tokenizers.pre_tokenizer import PreTokenizer, Setting, check_character, read_field

SCHEMES = {name: Choice(name) for name in ("first", "never", "always")}


def _check_scheme(name: str, value: Any) -> Choice:
    return lookup(name, check_text(name, value), SCHEMES)


class Metaspace(PreTokenizer):
    """Replace spaces by `replacement`, insert one at the start, and split before each of them."""

    replacement = Setting(check_character, "The character that replaces a space.")
    prepend_scheme = Setting(_check_scheme, 'Where a replacement is inserted: "first", "never" or "always".', show=str)
    split = Setting(check_bool, "Whether the text is split before each replacement.")
    _prepend_scheme: Choice

    def __init__(self, replacement: str = "▁", prepend_scheme: str = "always", split: bool = True) -> None:
        """Take the settings.

        Args:
            replacement: one character.
            prepend_scheme: whether a replacement is inserted before a split that does not start with one: "always",
                "never", or "first", only at the start of the original.
            split: whether to split before each replacement.

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: `replacement` is not one character, or there is no such scheme.
        """
        self.replacement = replacement
        self.prepend_scheme = prepend_scheme
        self.split = split

    def _prepends(self, text: str, at_start: bool) -> bool:
        wanted = self._prepend_scheme == "always" or (self._prepend_scheme == "first" and at_start)
        return wanted and not text.startswith(self.replacement)

    def _parts(self, part: NormalizedString) -> list[NormalizedString]:
        part.replace(" ", self.replacement)
        prepends = self._prepends(part.normalized, part.original_shift == 0)
        parts = part.split(self.replacement, "merged_with_next") if self.split else [part]
        if prepends:
            parts[0].prepend(self.replacement)
        return parts

    def _texts(self, text: str, at_start: bool) -> list[str]:
        text = text.replace(" ", self.replacement)
        if self._prepends(text, at_start):
            text = self.replacement + text
        if not self.split:
            return [text]
        first, *others = text.split(self.replacement)
        words = [self.replacement + word for word in others]
        return [first, *words] if first else words

    @property
    def _depends_on_start(self) -> bool:
        return self._prepend_scheme == "first"

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """Return the component with these fields; older files have `add_prefix_space` instead of `prepend_scheme`."""
        scheme = read_field(fields, "prepend_scheme", _check_scheme, SCHEMES["always"])
        if read_field(fields, "add_prefix_space", _check_optional_bool, None) is False and scheme != "never":
            raise ValueError(
                f'Metaspace: add_prefix_space=false contradicts prepend_scheme="{scheme}"'
                + (", the default" if "prepend_scheme" not in fields else "")
                + '; remove add_prefix_space, and set prepend_scheme="never"'
            )
        read_field(fields, "str_rep", _check_optional_text, None)  # not used any more
        split = read_field(fields, "split", _check_optional_bool, None)
        return cls(read_field(fields, "replacement", check_character), scheme, split is not False)


def _check_optional_text(name: str, value: Any) -> str | None:
    return None if value is None else check_text(name, value)


def _check_optional_bool(name: str, value: Any) -> bool | None:
    return None if value is None else check_bool(name, value)
