"""Normalizers, which change a text before it is split: the base class, the user's own, a sequence, and simple rules.

A simple rule is about single characters, Unicode's forms, the ends of the text, or the matches of a pattern.
Leaves out: `BertNormalizer`, and `Precompiled`, the rules of a sentencepiece model.

Source: tokenizers 0.23.3, bindings/python/src/normalizers.rs and tokenizers/src/normalizers/{utils,strip,unicode,
byte_level,prepend,replace}.rs; Unicode Standard Annex 15.

>>> [len(form().normalize_str("ﬁ é")) for form in (NFC, NFD, NFKC, NFKD)]
[3, 4, 4, 5]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final

from tokenlab.algorithms.pipeline.unicode_versions import LOWERCASE, WHITESPACE, CharacterTable, is_mark
from tokenlab.algorithms.text.byte_symbols import bytes_to_symbols
from tokenlab.libraries.tokenizers.components.arguments import Setting, check_bool, check_text
from tokenlab.libraries.tokenizers.components.component import Component, Custom
from tokenlab.libraries.tokenizers.components.sequence import ReplaceableItems
from tokenlab.libraries.tokenizers.text.normalization_changes import Form, normalize_unicode
from tokenlab.libraries.tokenizers.text.normalized_string import (
    NormalizedString,
    NormalizedStringRefMut,
    TooManyReplacedError,
    lent,
)
from tokenlab.libraries.tokenizers.text.pattern import Regex, check_pattern, pattern_setting


class Normalizer(Component):
    """A step that changes a text before it is split into pre-tokens.

    A subclass defines `apply`, which keeps the alignment, and usually `fast`, which only computes the text.
    """

    _advice = "one of the normalizers, such as NFC(), or Normalizer.custom(object)"
    # Whether an ASCII character becomes one ASCII character or none, and what replaces a character is aligned with it.
    _is_one_by_one: ClassVar[bool] = False

    @staticmethod
    def custom(obj: Any) -> Normalizer:
        """Return a normalizer that calls `obj.normalize(normalized)`, which changes a NormalizedString."""
        return CustomNormalizer(obj)

    def normalize(self, normalized: NormalizedString | NormalizedStringRefMut) -> None:
        """Change a NormalizedString in place; anything else raises a TypeError."""
        if isinstance(normalized, NormalizedStringRefMut):
            normalized = normalized.target()
        if not isinstance(normalized, NormalizedString):
            raise TypeError(
                f"normalized={normalized!r:.60} should be a NormalizedString, not {type(normalized).__name__}; "
                "normalize_str takes a str"
            )
        self.apply(normalized)

    def normalize_str(self, sequence: str) -> str:
        """Return the normalized text.

        Raises:
            TypeError: `sequence` is not a str.
            UnicodeEncodeError: it has a lone surrogate.
        """
        text = self.fast(check_text("sequence", sequence))
        if text is None:
            normalized = NormalizedString(sequence)
            self.apply(normalized)
            text = normalized.normalized
        return text

    def apply(self, normalized: NormalizedString) -> None:
        """Change a NormalizedString in place, without checking its type."""
        raise NotImplementedError(f"{type(self).__name__} has no method apply")

    def fast(self, text: str) -> str | None:
        """Return the normalized text, computed without alignment; None if only `apply` can compute it.

        None also if characters at the start of the result are aligned with nothing, because `transform` then ignores
        them in the next normalizer of a Sequence.
        """
        return None


class CharacterNormalizer(Normalizer):
    """A normalizer that replaces each character by itself, regardless of its neighbours."""

    table: ClassVar[CharacterTable]

    def __init__(self) -> None:
        """Take no options."""

    def apply(self, normalized: NormalizedString) -> None:
        """Replace each character."""
        normalized.translate(self.table)

    def fast(self, text: str) -> str | None:
        """Return the text in which each character is replaced."""
        return text.translate(self.table)


def remove_and_map(normalized: NormalizedString, rule: Callable[[str], str]) -> None:
    """Apply a rule that removes some characters and replaces others by one, in two steps, like the library.

    Two steps have another result than one only if `transform` does not replace the whole text.
    """
    normalized.replace_characters(lambda character: character if rule(character) else "")
    normalized.replace_characters(lambda character: rule(character) or character)


class CustomNormalizer(Custom, Normalizer):
    """A normalizer that calls the method `normalize` of an object."""

    _kind = "Normalizer"

    def apply(self, normalized: NormalizedString) -> None:
        """Lend the text to the object; a failure of its method becomes a ValueError with its error."""
        with lent(normalized) as reference:
            try:
                self._obj.normalize(reference)
            except TooManyReplacedError:
                raise
            except Exception as error:
                raise ValueError(f"{type(error).__name__}: {error}") from error


class Sequence(ReplaceableItems[Normalizer], Normalizer):
    """Several normalizers in a fixed order; an item can be read and replaced by its index.

    >>> Sequence([NFD(), Lowercase(), StripAccents()]).normalize_str("Éa")
    'ea'
    """

    _kind = Normalizer
    _field = "normalizers"

    def __init__(self, normalizers: list[Normalizer]) -> None:
        """Take a list; a Sequence in it is replaced by its normalizers."""
        self._items = self._flattened(normalizers)

    def apply(self, normalized: NormalizedString) -> None:
        """Apply the normalizers in order."""
        for normalizer in self._items:
            normalizer.apply(normalized)

    def fast(self, text: str) -> str | None:
        """Return the text after all normalizers; None if one of them returns None."""
        new: str | None = text
        for normalizer in self._items:
            if new is None:
                return None
            new = normalizer.fast(new)
        return new

    def __len__(self) -> int:
        return len(self._items)


_NMT_REMOVED: Final = frozenset([*range(0x01, 0x09), 0x0B, *range(0x0E, 0x20), 0x7F, 0x8F, 0x9F])
_NMT_SPACES: Final = frozenset(
    [0x09, 0x0A, 0x0C, 0x0D, 0x1680, *range(0x200B, 0x2010), 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD]
)


class Lowercase(CharacterNormalizer):
    """Lowercase each character, regardless of its neighbours.

    >>> Lowercase().normalize_str("ΟΔΟΣ")
    'οδοσ'
    """

    table = LOWERCASE
    _is_one_by_one = True

    def fast(self, text: str) -> str:
        """Return the lowercase text."""
        return text.lower() if text.isascii() else text.translate(self.table)


class StripAccents(CharacterNormalizer):
    """Remove all combining marks; letters must be decomposed before (NFD or NFKD).

    >>> StripAccents().normalize_str("e\\u0301é")
    'eé'
    """

    table = CharacterTable(lambda character: "" if is_mark(character) else character)
    _is_one_by_one = True

    def fast(self, text: str) -> str:
        """Return the text without combining marks."""
        return text if text.isascii() else text.translate(self.table)


def _nmt(character: str) -> str:
    code = ord(character)
    return "" if code in _NMT_REMOVED else " " if code in _NMT_SPACES else character


class Nmt(CharacterNormalizer):
    """Remove control characters, and replace the other characters that separate words by spaces.

    These are the rules of Google's translation system that sentencepiece adds to NFKC in `nmt_nfkc`.

    >>> Nmt().normalize_str("a\\x07\\u200bb\\n")
    'a b '
    """

    table = CharacterTable(_nmt)
    _is_one_by_one = True

    def apply(self, normalized: NormalizedString) -> None:
        """Remove and replace characters."""
        if normalized.is_covered():
            normalized.translate(self.table)
        else:
            remove_and_map(normalized, _nmt)


class ByteLevel(CharacterNormalizer):
    """Replace each character by the byte symbols of its UTF-8 bytes.

    >>> ByteLevel().normalize_str("día\\n")
    'dÃŃaĊ'
    """

    table = CharacterTable(lambda character: bytes_to_symbols(character.encode()))


class UnicodeForm(Normalizer):
    """A normalizer that brings the text into one of Unicode's normalization forms."""

    form: ClassVar[Form]
    _is_one_by_one = True

    def __init__(self) -> None:
        """Take no options."""

    def apply(self, normalized: NormalizedString) -> None:
        """Normalize the text and keep the alignment."""
        normalized.normalize_unicode(self.form)

    def fast(self, text: str) -> str:
        """Return the normalized text."""
        return normalize_unicode(self.form, text)


class NFC(UnicodeForm):
    """Compose letters and accents: e + ◌́ becomes é."""

    form = "NFC"


class NFD(UnicodeForm):
    """Decompose letters and accents: é becomes e + ◌́."""

    form = "NFD"


class NFKC(UnicodeForm):
    """Replace compatibility characters (ﬁ becomes f + i), then compose letters and accents."""

    form = "NFKC"


class NFKD(UnicodeForm):
    """Replace compatibility characters (ﬁ becomes f + i), and decompose letters and accents."""

    form = "NFKD"


class Strip(Normalizer):
    """Remove whitespace at the start, at the end, or both.

    >>> Strip(right=False).normalize_str("\\u3000a ")
    'a '
    """

    left = Setting(check_bool, "Whether whitespace at the start is removed.", field="strip_left")
    right = Setting(check_bool, "Whether whitespace at the end is removed.", field="strip_right")

    def __init__(self, left: bool = True, right: bool = True) -> None:
        self.left = left
        self.right = right

    def apply(self, normalized: NormalizedString) -> None:
        """Remove whitespace and keep the alignment."""
        if self.left and self.right:
            normalized.strip()
        elif self.left:
            normalized.lstrip()
        elif self.right:
            normalized.rstrip()

    def fast(self, text: str) -> str:
        """Return the stripped text."""
        if self.left:
            text = text.lstrip(WHITESPACE)
        return text.rstrip(WHITESPACE) if self.right else text


class Prepend(Normalizer):
    """Insert a text at the start, unless the text is empty.

    >>> Prepend().normalize_str("to be")
    '▁to be'
    """

    prepend = Setting(check_text, "The text that is inserted.")

    def __init__(self, prepend: str = "▁") -> None:
        self.prepend = prepend

    def apply(self, normalized: NormalizedString) -> None:
        """Insert the text, aligned with the first character."""
        normalized.prepend(self.prepend)

    def fast(self, text: str) -> str | None:
        """Return the text with the other text before it."""
        # subtle: after inserting nothing, the first character is aligned with nothing (see `Normalizer.fast`).
        return (self.prepend + text if text else text) if self.prepend else None


class Replace(Normalizer):
    """Replace every match of a str or a Regex; the new text is inserted as it is, without references to groups.

    >>> Replace(Regex(" {2,}"), " ").normalize_str("to   be")
    'to be'
    """

    _pattern = pattern_setting()
    content = Setting(check_text, "The text in place of each match.")

    def __init__(self, pattern: str | Regex, content: str) -> None:
        self._pattern = pattern
        self.content = content

    @property
    def pattern(self) -> None:
        """Refuse to be read, with a ValueError, as in the library."""
        raise ValueError("Cannot get pattern; repr(replace) shows it")

    @pattern.setter
    def pattern(self, _pattern: str | Regex) -> None:
        check_pattern(_pattern)
        raise ValueError("Cannot set pattern; make a new Replace(pattern, content)")

    def apply(self, normalized: NormalizedString) -> None:
        """Replace the matches and keep the alignment."""
        # subtle: an empty str matches at every position, as an empty regular expression does.
        normalized.replace_matches(self._pattern or Regex(""), self.content)

    def fast(self, text: str) -> str | None:
        """Return the text after all replacements."""
        pattern = self._pattern or Regex("")
        if isinstance(pattern, str):
            return text.replace(pattern, self.content)
        parts: list[str] = []
        done = 0
        for start, end in pattern.spans(text) if text else ():
            if end == 0 and self.content:
                return None  # what is inserted at the start is aligned with nothing
            parts += text[done:start], self.content
            done = end
        return "".join(parts) + text[done:]
