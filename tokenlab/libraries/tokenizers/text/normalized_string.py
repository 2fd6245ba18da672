"""A text that is changed step by step, and the characters of the original that each of its characters comes from.

Adds: `NormalizedString`. Each of its methods changes the text and keeps the alignment.
Leaves out: the alignment (`aligned_string`); which changes to make, and in which order (`normalizers`).

Source: tokenizers 0.23.3, tokenizers/src/tokenizer/normalizer.rs.

>>> text = NormalizedString("Ça va")
>>> text.nfd(); text.filter(lambda character: character != "\u0327"); text.lowercase()
>>> text
NormalizedString(original="Ça va", normalized="ca va")
>>> text[0].original
'Ç'
"""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from typing import Any, SupportsIndex, TypeAlias

from tokenlab.algorithms.pipeline.split_behavior import split_by_behavior
from tokenlab.algorithms.pipeline.unicode_versions import LOWERCASE, UPPERCASE, WHITESPACE
from tokenlab.libraries.tokenizers.components.arguments import check_text
from tokenlab.libraries.tokenizers.spans import Span
from tokenlab.libraries.tokenizers.text.aligned_string import AlignedString
from tokenlab.libraries.tokenizers.text.normalization_changes import Form, normalization_changes, normalize_unicode
from tokenlab.libraries.tokenizers.text.pattern import Pattern, Regex, check_pattern, find_matches

Range: TypeAlias = SupportsIndex | tuple[int, int] | slice


class NormalizedString(AlignedString):
    """A text with the library's methods to change it, and the alignment with its original."""

    __slots__ = ()

    def __init__(self, sequence: str) -> None:
        """Start with a normalized text that equals the original.

        Raises:
            TypeError: `sequence` is not a str.
            UnicodeEncodeError: it has a lone surrogate.
        """
        self._original = self._normalized = check_text("sequence", sequence)
        self.original_shift = 0
        self._alignments = None

    # ---- parts

    def slice(self, range: Range) -> NormalizedString | None:
        """Return a part of the normalized text, given by an index, a tuple (start, end) or a slice.

        The result is None outside of the text. Negative numbers count UTF-8 bytes from the end, as in the library;
        a slice's step is ignored, and a reversed range extends to the end.

        Raises:
            TypeError: the range has another type.
            ValueError: a negative index is too small.
        """
        start, count = self._resolve(range)
        length = len(self.normalized)
        if count == 0:
            return self.slice_normalized(start, start) if start < max(length, 1) else None
        return self.slice_normalized(start, min(start + count, length)) if start < length else None

    __getitem__ = slice

    def _resolve(self, given: Range) -> tuple[int, int]:
        """Return the start and the number of characters of a range."""
        size = len(self.normalized.encode())
        match given:
            case slice():
                start, stop, _ = given.indices(size)
                # subtle: unsigned 64-bit numbers, so a negative start is beyond the end, and a reversed range is long.
                return start % 2**64, (stop - start) % 2**64
            case (int(), int()) if isinstance(given, tuple) and 0 <= given[0] < 2**64 and 0 <= given[1] < 2**64:
                return given[0], (given[1] - given[0]) % 2**64
            case SupportsIndex() if -(2**63) <= index(given) < 2**63:
                place = index(given)
                if place < -size:
                    raise ValueError(f"range={place} is before the start of a text of {size} bytes")
                return (place if place >= 0 else size + place), 1
        raise TypeError(f"range={given!r:.60} should be an integer, a tuple (start, end) of two, or a slice")

    def split(self, pattern: str | Regex, behavior: str) -> list[NormalizedString]:
        """Return the parts of the text; `behavior` says what happens to the matches of the pattern.

        Raises:
            TypeError: the pattern is neither a str nor a Regex, or `behavior` is not a str.
            ValueError: there is no behavior of this name.

        >>> [str(part) for part in NormalizedString("a-b").split("-", "merged_with_next")]
        ['a', '-b']
        """
        return self.split_at(check_pattern(pattern), check_text("behavior", behavior))

    def split_at(self, pattern: Pattern, behavior: str) -> list[NormalizedString]:
        """Return the parts of the text, split at a str, a Regex, or the characters for which a function is True."""
        parts = split_by_behavior(find_matches(pattern, self.normalized), behavior)
        slices = (self.slice_normalized(start, end) for (start, end), removed in parts if not removed)
        return [part for part in slices if part is not None]

    # ---- changes

    def replace(self, pattern: str | Regex, content: str) -> None:
        """Replace every match of a pattern; the new characters are aligned with the last character of the match.

        Raises:
            TypeError: the pattern is neither a str nor a Regex, or `content` is not a str.
        """
        self.replace_matches(check_pattern(pattern), check_text("content", content))

    def replace_matches(self, pattern: Pattern, content: str) -> None:
        """Replace every match of a str, a Regex, or a function for characters."""
        parts = find_matches(pattern, self.normalized)
        spans = [span for span, is_match in parts if is_match]
        if not spans:
            return
        text = self.normalized
        self._normalized = "".join([content if is_match else text[start:end] for (start, end), is_match in parts])
        if len(content) == 1 and all(end - start == 1 for start, end in spans):
            return
        old = self.alignments
        new: list[Span] = []
        for (start, end), is_match in parts:
            if is_match:
                new += [old[end - 1] if end else (0, 0)] * len(content)
            else:
                new += old[start:end]
        self._alignments = new

    def prepend(self, s: str) -> None:
        """Insert a text at the start, aligned with the first character; an empty text stays empty."""
        check_text("s", s)
        if self.normalized:
            inserted = [(character, min(place, 1)) for place, character in enumerate(s)]
            self.transform_range(0, 1, [*inserted, (self.normalized[0], 1)])

    def append(self, s: str) -> None:
        """Insert a text at the end, aligned with the last character."""
        inserted = [(character, 1) for character in check_text("s", s)]
        end = len(self.normalized)
        if end:
            self.transform_range(end - 1, end, [(self.normalized[-1], 0), *inserted])
        else:
            self.transform_range(0, 0, inserted)

    def clear(self) -> None:
        """Remove all characters."""
        self.transform((), len(self.normalized))

    def filter(self, func: Callable[[str], bool]) -> None:
        """Keep the characters for which the function returns True.

        Raises:
            TypeError: `func` is not callable.
            ValueError: it does not return a bool.
        """
        _check_callable("func", func, "bool")

        def kept(character: str) -> str:
            keep = _call("filter", func, character)
            if not isinstance(keep, bool):
                raise ValueError(f"func returns {keep!r:.60} for {character!r}; filter needs True or False")
            return character if keep else ""

        self.replace_characters(kept)

    def map(self, func: Callable[[str], str]) -> None:
        """Replace each character by the first character of the function's result.

        Raises:
            TypeError: `func` is not callable.
            ValueError: it does not return a str, or an empty one.
        """
        _check_callable("func", func, "char")

        def mapped(character: str) -> str:
            new = _call("map", func, character)
            if not isinstance(new, str) or not new:
                raise ValueError(f"func returns {new!r:.60} for {character!r}; map needs a str of one character")
            return check_text("the result of func", new)[0]

        self.replace_characters(mapped)

    def for_each(self, func: Callable[[str], Any]) -> None:
        """Call the function for each character.

        Raises:
            TypeError: `func` is not callable.
        """
        _check_callable("func", func, "None")
        for character in self.normalized:
            _call("for_each", func, character)

    def lowercase(self) -> None:
        """Lowercase each character, without regard to its neighbours."""
        self.translate(LOWERCASE)

    def uppercase(self) -> None:
        """Uppercase each character, without regard to its neighbours."""
        self.translate(UPPERCASE)

    def strip(self) -> None:
        """Remove whitespace at both ends."""
        self._strip(left=True, right=True)

    def lstrip(self) -> None:
        """Remove whitespace at the start."""
        self._strip(left=True, right=False)

    def rstrip(self) -> None:
        """Remove whitespace at the end."""
        self._strip(left=False, right=True)

    def _strip(self, left: bool, right: bool) -> None:
        text = self.normalized
        before = len(text) - len(text.lstrip(WHITESPACE)) if left else 0
        after = len(text) - len(text.rstrip(WHITESPACE)) if right else 0
        if before or after:
            kept = [(character, 0) for character in text[before : max(before, len(text) - after)]]
            self.transform(kept, before)

    def nfc(self) -> None:
        """Compose letters and accents."""
        self.normalize_unicode("NFC")

    def nfd(self) -> None:
        """Decompose letters and accents."""
        self.normalize_unicode("NFD")

    def nfkc(self) -> None:
        """Replace compatibility characters, and compose letters and accents."""
        self.normalize_unicode("NFKC")

    def nfkd(self) -> None:
        """Replace compatibility characters, and decompose letters and accents."""
        self.normalize_unicode("NFKD")

    def normalize_unicode(self, form: Form) -> None:
        """Bring the text into one of Unicode's normalization forms."""
        text = self.normalized
        if not self.is_covered() or normalize_unicode(form, text) != text:
            self.transform(normalization_changes(form, text))

    def __repr__(self) -> str:
        return f'NormalizedString(original="{self.original}", normalized="{self.normalized}")'

    def __str__(self) -> str:
        return self.normalized


def _check_callable(name: str, func: Any, result: str) -> None:
    if not callable(func):
        raise TypeError(f"{name}={func!r:.60} should be a function from a character to {result}")


def _call(method: str, func: Callable[[str], Any], character: str) -> Any:
    try:
        return func(character)
    except Exception as error:
        raise ValueError(f"the function given to {method} failed for {character!r}: {error!r}") from error
