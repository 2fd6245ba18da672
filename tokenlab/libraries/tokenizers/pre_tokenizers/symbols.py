"""Pre-tokenizers that split, and write other characters for spaces or for all bytes: `Metaspace` and `ByteLevel`.

Leaves out: the way back (`decoders.Metaspace`, `decoders.ByteLevel`), and offsets without spaces
(`processors.ByteLevel`).

Source: tokenizers 0.23.3, tokenizers/src/pre_tokenizers/metaspace.rs and byte_level.rs; openai/gpt-2, src/encoder.py.
"""

from __future__ import annotations

from typing import Any, Self

from tokenlab.algorithms.pipeline.unicode_versions import compile_words
from tokenlab.algorithms.text.alignment import Span
from tokenlab.algorithms.text.byte_symbols import BYTE_TO_SYMBOL, bytes_to_symbols
from tokenlab.algorithms.text.word_cache import WordCache
from tokenlab.libraries.tokenizers.components.arguments import (
    Setting,
    check_bool,
    check_character,
    check_text,
    optional,
    read_field,
)
from tokenlab.libraries.tokenizers.components.component import Choice, Component
from tokenlab.libraries.tokenizers.pre_tokenizers.pre_tokenizer import PreTokenizer
from tokenlab.libraries.tokenizers.text.normalized_string import NormalizedString
from tokenlab.libraries.tokenizers.text.pre_tokenized_string import characters_of_bytes
from tokenlab.printing.errors import lookup

SCHEMES = {name: Choice(name) for name in ("first", "never", "always")}


def _check_scheme(name: str, value: Any) -> str:
    return lookup(name, check_text(name, value), SCHEMES)


def _load_split(name: str, value: Any) -> bool:
    return value is None or check_bool(name, value)


class MetaspaceSettings(Component):
    """A component that replaces spaces by a visible character, or the other way round."""

    replacement = Setting(check_character, "The character in place of a space.")
    # Before a part of the text that does not start with a replacement; "first" is only at the start of the original.
    prepend_scheme = Setting(
        _check_scheme, 'Where a replacement is inserted: "first", "never" or "always".', default=SCHEMES["always"]
    )
    split = Setting(check_bool, "Whether the text is split before each replacement.", default=True, load=_load_split)

    def __init__(self, replacement: str = "▁", prepend_scheme: str = "always", split: bool = True) -> None:
        self.replacement = replacement
        self.prepend_scheme = prepend_scheme
        self.split = split

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """Return the component with these fields; older files have `add_prefix_space` instead of `prepend_scheme`."""
        component = super().from_json(fields)
        scheme = component.prepend_scheme
        if read_field(fields, "add_prefix_space", optional(check_bool), None) is False and scheme != "never":
            raise ValueError(
                f'Metaspace: add_prefix_space=false contradicts prepend_scheme="{scheme}"'
                + (", the default" if "prepend_scheme" not in fields else "")
                + '; remove add_prefix_space, and set prepend_scheme="never"'
            )
        read_field(fields, "str_rep", optional(check_text), None)  # not used any more
        return component


class Metaspace(MetaspaceSettings, PreTokenizer):
    """Replace spaces by `replacement`, insert one at the start, and split before each of them.

    >>> Metaspace().pre_tokenize_str("Hello my friend")
    [('▁Hello', (0, 5)), ('▁my', (5, 8)), ('▁friend', (8, 15))]
    """

    _only_splits = False

    def _prepends(self, text: str, at_start: bool) -> bool:
        wanted = self.prepend_scheme == "always" or (self.prepend_scheme == "first" and at_start)
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
        return self.prepend_scheme == "first"


# Splits as GPT-2's pattern does (`tokenlab.algorithms.text.pretokenize`), faster: the most frequent matches first.
_pattern = compile_words(r" ?[{L}]+|'(?:[sdmt]|ll|ve|re)| ?[{N}]+| ?[^\s{L}{N}]+|\s+(?!\S)|\s+")

_SYMBOLS = str.maketrans({byte: BYTE_TO_SYMBOL[byte] for byte in range(128)})  # of ASCII characters


def to_symbols(text: str) -> str:
    """Return a text with one symbol for each of its UTF-8 bytes.

    >>> to_symbols(" née")
    'ĠnÃ©e'
    """
    return text.translate(_SYMBOLS) if text.isascii() else bytes_to_symbols(text.encode())


_symbols = WordCache(to_symbols)


def _in_symbols(part: NormalizedString) -> NormalizedString:
    text = part.normalized
    if not (part.is_identity and text):
        part.replace_characters(to_symbols)
        return part
    # The same for a text that is aligned with itself, from the cache.
    alignments = None if text.isascii() else [(place, place + 1) for place in characters_of_bytes(text)]
    return NormalizedString.unchecked(part.original, _symbols[text], alignments, part.original_shift)


class ByteLevel(PreTokenizer):
    """Split as GPT-2 does, and replace each UTF-8 byte by its symbol.

    A character of several bytes becomes several symbols, which are all aligned with that character.

    >>> ByteLevel(add_prefix_space=False).pre_tokenize_str("She's née Lee")
    [('She', (0, 3)), ("'s", (3, 5)), ('ĠnÃ©e', (5, 9)), ('ĠLee', (9, 13))]
    """

    # With a space before it, the first word gets the same tokens as the others.
    add_prefix_space = Setting(check_bool, "Whether a split that starts with another character gets a space before it.")
    trim_offsets = Setting(check_bool, "Whether offsets leave out spaces, in `processors.ByteLevel`.")
    use_regex = Setting(check_bool, "Whether the text is split with GPT-2's regular expression.", default=True)
    _only_splits = False
    _add_prefix_space: bool
    _use_regex: bool

    def __init__(
        self, add_prefix_space: bool = True, trim_offsets: bool = True, use_regex: bool = True, **_kwargs: Any
    ) -> None:
        """Take the settings; other keyword arguments are ignored, as in the library."""
        self.add_prefix_space = add_prefix_space
        self.trim_offsets = trim_offsets
        self.use_regex = use_regex

    @staticmethod
    def alphabet() -> list[str]:
        """Return the 256 symbols, in the order of the bytes; the library's order changes from call to call.

        >>> ByteLevel.alphabet()[97:100]
        ['a', 'b', 'c']
        """
        return list(BYTE_TO_SYMBOL)

    def _spans(self, text: str) -> list[Span]:
        if not self.use_regex:
            return [(0, len(text))]
        return [match.span() for match in _pattern(text).finditer(text)]

    def _parts(self, part: NormalizedString) -> list[NormalizedString]:
        if self.add_prefix_space and not part.normalized.startswith(" "):
            part.prepend(" ")
        return [_in_symbols(one) for one in super()._parts(part)]

    def _texts(self, text: str, at_start: bool) -> list[str]:
        if self._add_prefix_space and not text.startswith(" "):
            text = " " + text
        words = _pattern(text).findall(text) if self._use_regex else [text]
        return list(map(_symbols.__getitem__, words))

    def _texts_of_parts(self, parts: list[str], at_start: bool) -> list[str]:
        if self.use_regex or self.add_prefix_space:
            return super()._texts_of_parts(parts, at_start)
        return list(map(_symbols.__getitem__, parts))
