"""GPT-2's pre-tokenizer: words with the space before them, written with one symbol per byte.

Adds: `ByteLevel`.
Leaves out: the way back (`decoders.ByteLevel`), and offsets without spaces (`processors.ByteLevel`).

A character of several bytes becomes several symbols, which are all aligned with that character.
Source: tokenizers 0.23.3, tokenizers/src/pre_tokenizers/byte_level.rs; openai/gpt-2, src/encoder.py.

>>> ByteLevel(add_prefix_space=False).pre_tokenize_str("She's née Lee")
[('She', (0, 3)), ("'s", (3, 5)), ('ĠnÃ©e', (5, 9)), ('ĠLee', (9, 13))]
"""

from __future__ import annotations

from typing import Any

from tokenlab.algorithms.pipeline.character_classes import compile_words
from tokenlab.algorithms.text.byte_symbols import BYTE_TO_SYMBOL, bytes_to_symbols
from tokenlab.algorithms.text.word_cache import WordCache
from tokenlab.libraries.tokenizers.components.arguments import Setting, check_bool
from tokenlab.libraries.tokenizers.pre_tokenizers.pre_tokenizer import PreTokenizer
from tokenlab.libraries.tokenizers.spans import Span
from tokenlab.libraries.tokenizers.text.normalized_string import NormalizedString
from tokenlab.libraries.tokenizers.text.pre_tokenized_string import characters_of_bytes

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
    """Split as GPT-2 does, and replace each UTF-8 byte by its symbol."""

    add_prefix_space = Setting(
        check_bool, "Whether a space is inserted before a split that starts with another character."
    )
    trim_offsets = Setting(check_bool, "Whether offsets leave out spaces, in `processors.ByteLevel`.")
    use_regex = Setting(check_bool, "Whether the text is split with GPT-2's regular expression.", default=True)
    _only_splits = False
    _add_prefix_space: bool
    _use_regex: bool

    def __init__(
        self, add_prefix_space: bool = True, trim_offsets: bool = True, use_regex: bool = True, **_kwargs: Any
    ) -> None:
        """Take the settings; other keyword arguments are ignored, as in the library.

        Args:
            add_prefix_space: insert a space before a split that does not start with one, so that the first word gets
                the same tokens as the others.
            trim_offsets: not used here; `processors.ByteLevel` leaves spaces out of the offsets.
            use_regex: split with GPT-2's regular expression.

        Raises:
            TypeError: an argument is not a bool.
        """
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
