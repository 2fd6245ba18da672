"""A text that is changed step by step, and the characters of the original that each of its characters comes from.

Adds: `NormalizedString`, with `transform`, by which every change keeps the alignment, and the library's methods;
`NormalizedStringRefMut`, which is lent to a user's function, and refuses every use after the function returned.
Leaves out: which changes to make, and in which order (`normalizers`).

Positions count characters; the library counts bytes inside, which gives the same alignment.
Source: tokenizers 0.23.3, tokenizers/src/tokenizer/normalizer.rs and bindings/python/src/utils/normalization.rs.

>>> text = NormalizedString("Ça va")
>>> text.nfd(); text.filter(lambda character: character != "\u0327"); text.lowercase()
>>> text
NormalizedString(original="Ça va", normalized="ca va")
>>> text[0].original
'Ç'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from operator import attrgetter, index
from typing import Any, Self, SupportsIndex, TypeAlias

from tokenlab.algorithms.pipeline.split_behavior import split_by_behavior
from tokenlab.algorithms.pipeline.unicode_versions import LOWERCASE, UPPERCASE, WHITESPACE, CharacterTable
from tokenlab.algorithms.text.alignment import Span
from tokenlab.libraries.tokenizers.components.arguments import check_text
from tokenlab.libraries.tokenizers.text.normalization_changes import Form, normalization_changes, normalize_unicode
from tokenlab.libraries.tokenizers.text.pattern import Pattern, Regex, check_pattern, find_matches

Range: TypeAlias = SupportsIndex | tuple[int, int] | slice


class TooManyReplacedError(ValueError):
    """The changes of `transform` replace more characters than there are; the library panics then."""


def read_only(name: str, doc: str) -> Any:
    """Return a property that is another attribute."""
    return property(attrgetter(name), doc=doc)


class NormalizedString:
    """An original text, its normalized form, and the alignment of the two, with the library's methods to change it."""

    __slots__ = ("_alignments", "_normalized", "_original", "original_shift")

    original: str = read_only("_original", "The text before all changes.")
    normalized: str = read_only("_normalized", "The text with the changes.")
    _original: str
    _normalized: str
    original_shift: int  # where the original starts in the text that this one was cut from
    _alignments: list[Span] | None  # None while each character is aligned with itself

    def __init__(self, sequence: str) -> None:
        """Start with a normalized text that equals the original.

        Raises:
            TypeError: `sequence` is not a str.
            UnicodeEncodeError: it has a lone surrogate.
        """
        self._original = self._normalized = check_text("sequence", sequence)
        self.original_shift = 0
        self._alignments = None

    @classmethod
    def unchecked(cls, original: str, normalized: str, alignments: list[Span] | None, shift: int) -> Self:
        """Return a text with these fields; `alignments` is None if the two texts are equal."""
        new = cls.__new__(cls)
        new._original, new._normalized, new._alignments, new.original_shift = original, normalized, alignments, shift
        return new

    @property
    def alignments(self) -> list[Span]:
        """The span of the original for each character of the normalized text."""
        if self._alignments is None:
            self._alignments = [(place, place + 1) for place in range(len(self.original))]
        return self._alignments

    @property
    def is_identity(self) -> bool:
        """Whether each character is known to be aligned with itself, so that offsets need no conversion."""
        return self._alignments is None

    # ---- positions and parts

    def offsets_original(self) -> Span:
        """Return the span of the original in the text that it is a part of."""
        return self.original_shift, self.original_shift + len(self.original)

    def convert_offsets(self, start: int, end: int, referential: str = "normalized") -> Span | None:
        """Convert a span of the normalized text to one of the original; with "original", the other way around.

        Return an empty span unchanged, and None for a span that is reversed or outside of the text.

        >>> text = NormalizedString.unchecked("ﬁsh", "fish", [(0, 1), (0, 1), (1, 2), (2, 3)], 0)
        >>> text.convert_offsets(1, 3), text.convert_offsets(0, 2, "original")
        ((0, 2), (0, 3))
        """
        if start >= end:
            return (start, end) if start == end else None
        if referential == "original":
            return self._from_original(start, end)
        if end > len(self.normalized):
            return None
        return (start, end) if self._alignments is None else (self._alignments[start][0], self._alignments[end - 1][1])

    def _from_original(self, start: int, end: int) -> Span | None:
        first = last = None
        for place, (begin, stop) in enumerate(self.alignments):
            if stop > end:
                break
            if first is None and start <= begin != stop:
                first = place
            last = place + 1
        if last is None:
            return None
        return (last if first is None else first), last

    def slice_normalized(self, start: int, end: int) -> Self | None:
        """Return a part of the normalized text with its part of the original, or None if the span is outside."""
        span = self.convert_offsets(start, end)
        if span is None:
            return None
        first, last = span
        alignments = None
        if self._alignments is not None:
            alignments = [(begin - first, stop - first) for begin, stop in self._alignments[start:end]]
        return self.unchecked(
            self.original[first:last], self.normalized[start:end], alignments, self.original_shift + first
        )

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

    def transform(self, dest: Iterable[tuple[str, int]], initial_offset: int = 0) -> None:
        """Replace the text by characters with changes, after removing `initial_offset` characters at its start.

        A change is 0 for a character that replaces one, 1 for an inserted character, and -n for a character that
        replaces one and the n characters after it.

        Raises:
            TooManyReplacedError: more characters are replaced than the text has.
        """
        span = self.convert_offsets(0, len(self.original), "original")
        if span is not None:
            self.transform_range(*span, dest, initial_offset)

    def transform_range(self, start: int, end: int, dest: Iterable[tuple[str, int]], initial_offset: int = 0) -> None:
        """Replace a range of the normalized text, as `transform` does.

        An inserted character is aligned with the one before it.
        """
        old = self.alignments
        position = min(start + initial_offset, end)
        characters: list[str] = []
        spans: list[Span] = []
        for character, change in dest:
            if change > 0:
                spans.append(old[position - 1] if position else (0, 0))
            elif position < len(old):
                spans.append(old[position])
                position = min(position + 1 - change, end)
            else:
                raise TooManyReplacedError(
                    f"the new text replaces more characters than the {end - start} that it should; "
                    f"{character!r} has the change {change}, but should be inserted (1)"
                )
            characters.append(character)
        self._alignments = old[:start] + spans + old[end:]
        self._normalized = self.normalized[:start] + "".join(characters) + self.normalized[end:]

    def replace_characters(self, rule: Callable[[str], str]) -> None:
        """Replace each character by zero or more characters; they are aligned with the character they replace."""
        self._replace_each([rule(character) for character in self.normalized])

    def _replace_each(self, parts: list[str]) -> None:
        """Replace each character by one of the parts, in order."""
        if not self.is_covered():
            self.transform(*_as_changes(parts))
            return
        self._normalized = "".join(parts)
        if any(len(part) != 1 for part in parts):
            self._alignments = [span for part, span in zip(parts, self.alignments, strict=True) for _ in part]

    def translate(self, table: CharacterTable) -> None:
        """Replace each character by the characters that a table has for it."""
        new = self.normalized.translate(table)
        if self.is_covered() and table.keeps_length(self.normalized):
            self._normalized = new
        else:
            self._replace_each(list(map(table.__getitem__, map(ord, self.normalized))))

    def is_covered(self) -> bool:
        """Whether `transform` replaces all of the normalized text.

        subtle: it replaces the part that is aligned with the original; characters at the start that are aligned with
        nothing are outside, and the library keeps them before the new text.
        """
        if self._alignments is None:
            return bool(self.original)
        return bool(self.original and self._alignments) and self._alignments[0][0] != self._alignments[0][1]

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


def _as_changes(parts: list[str]) -> tuple[list[tuple[str, int]], int]:
    """Return the changes of a replacement of each character, and the number of characters removed at the start."""
    changes: list[tuple[str, int]] = []
    removed = 0
    for part in parts:
        if part:
            changes += [(part[0], 0), *((character, 1) for character in islice(part, 1, None))]
        elif changes:
            changes[-1] = (changes[-1][0], changes[-1][1] - 1)
        else:
            removed += 1
    return changes, removed


def _check_callable(name: str, func: Any, result: str) -> None:
    if not callable(func):
        raise TypeError(f"{name}={func!r:.60} should be a function from a character to {result}")


def _call(method: str, func: Callable[[str], Any], character: str) -> Any:
    try:
        return func(character)
    except Exception as error:
        raise ValueError(f"the function given to {method} failed for {character!r}: {error!r}") from error


LENT = (
    *("append", "clear", "filter", "for_each", "lowercase", "lstrip", "map", "nfc", "nfd", "nfkc", "nfkd"),
    *("normalized", "original", "prepend", "replace", "rstrip", "slice", "split", "strip", "uppercase"),
)


class NormalizedStringRefMut:
    """The methods and attributes of a NormalizedString, until it is taken back."""

    __slots__ = ("_lent",)

    def __init__(self, lent: NormalizedString) -> None:
        """Lend this NormalizedString."""
        self._lent: NormalizedString | None = lent

    def target(self) -> NormalizedString:
        """Return the NormalizedString, or raise a ValueError if it was taken back."""
        if self._lent is None:
            raise ValueError(
                "Cannot use a NormalizedStringRefMut outside `normalize`: keep str(text) or a slice instead"
            )
        return self._lent

    def take_back(self) -> None:
        """Refuse every use from now on."""
        self._lent = None

    def __getattr__(self, name: str) -> Any:
        if name not in LENT:
            raise AttributeError(f"NormalizedStringRefMut has no attribute {name!r}; there are: {' '.join(LENT)}")
        return getattr(self.target(), name)


@contextmanager
def lent(normalized: NormalizedString) -> Iterator[NormalizedStringRefMut]:
    """Lend a NormalizedString for the duration of a with-block."""
    reference = NormalizedStringRefMut(normalized)
    try:
        yield reference
    finally:
        reference.take_back()
