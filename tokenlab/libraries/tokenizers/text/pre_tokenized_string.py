"""A text that is divided into splits, each of which is normalized and tokenized on its own; and its tokens.

Adds: `PreTokenizedString` and its parts, `Split`; `Token`; `token_columns`, the tokens of all splits with their places
in the original text.
Leaves out: where to divide (`pre_tokenizers`), and the alignment of one split (`NormalizedString`).

Differences from the library: a function that raises an exception leaves the splits as they were; in the library all of
them are lost. A bare Exception of the library is a ValueError here.
Source: tokenizers 0.23.3, tokenizers/src/tokenizer/pre_tokenizer.rs, bindings/python/src/utils/pretokenization.rs and
bindings/python/src/token.rs.

>>> text = PreTokenizedString("Déjà Vu")
>>> text.split(lambda number, part: part.split(" ", "removed"))
>>> text.normalize(lambda part: part.lowercase())
>>> text.get_splits(offset_type="byte")
[('déjà', (0, 6), None), ('vu', (7, 9), None)]
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from tokenlab.algorithms.text.alignment import Span
from tokenlab.libraries.tokenizers.components.arguments import check_text, check_unsigned, check_unsigned_32
from tokenlab.libraries.tokenizers.encoding_columns import Details
from tokenlab.libraries.tokenizers.text.normalized_string import (
    NormalizedString,
    NormalizedStringRefMut,
    lent,
    read_only,
)
from tokenlab.printing.errors import lookup

if TYPE_CHECKING:
    from tokenlab.libraries.tokenizers.encoding import Encoding


class Token:
    """An id, a value, and offsets in UTF-8 bytes of the tokenized text; the three cannot be assigned."""

    __slots__ = ("_id", "_offsets", "_value")
    id: int = read_only("_id", "The id in the vocabulary.")
    value: str = read_only("_value", "The text of the token in the vocabulary.")
    offsets: Span = read_only("_offsets", "Start and end, in bytes of the tokenized text.")

    def __init__(self, id: int, value: str, offsets: Span) -> None:
        """Check and keep the three fields.

        Raises:
            TypeError: `id` is not an integer, `value` not a str, or `offsets` not a tuple.
            ValueError: `offsets` has not two items.
            OverflowError: a number is negative, or an id is not less than 2**32.
        """
        self._id = check_unsigned_32("id", id)
        self._value = check_text("value", value)
        if not isinstance(offsets, tuple):
            raise TypeError(f"offsets={offsets!r:.60} should be a tuple (start, end), not {type(offsets).__name__}")
        if len(offsets) != 2:
            raise ValueError(f"offsets={offsets!r:.60} has {len(offsets)} items; give a start and an end")
        self._offsets = (check_unsigned("the start", offsets[0]), check_unsigned("the end", offsets[1]))

    @classmethod
    def unchecked(cls, id: int, value: str, offsets: Span) -> Token:
        """Return a token without checks, for the models of this package."""
        token = cls.__new__(cls)
        token._id, token._value, token._offsets = id, value, offsets
        return token

    def as_tuple(self) -> tuple[int, str, Span]:
        """Return the id, the value and the offsets."""
        return self._id, self._value, self._offsets

    def __repr__(self) -> str:
        return f"Token(id={self._id}, value={self._value!r}, offsets={self._offsets})"


@dataclass(slots=True, eq=False)
class Split:
    """A part of a PreTokenizedString, and its tokens once it has been tokenized."""

    normalized: NormalizedString
    tokens: list[Token] | None = None


class PreTokenizedString:
    """An original text and its splits, in order. Splits that have tokens are not changed any more."""

    __slots__ = ("original", "splits")

    def __init__(self, s: str | NormalizedString) -> None:
        """Start with the whole text as the only split.

        Raises:
            TypeError: `s` is not a str.
            UnicodeEncodeError: it has a lone surrogate.
        """
        part = s if isinstance(s, NormalizedString) else NormalizedString(check_text("s", s))
        self.original = part.original
        self.splits = [Split(part)]

    # ---- changes

    def divide(self, func: Callable[[int, NormalizedString], Iterable[NormalizedString | Split]]) -> None:
        """Replace each split without tokens by the parts that the function returns, without checks; drop empty parts.

        The function is given the number of the split and its text. For the components of this package.
        """
        splits: list[Split] = []
        for number, split in enumerate(self.splits):
            if split.tokens is not None:
                splits.append(split)
                continue
            for part in func(number, split.normalized):
                new = part if isinstance(part, Split) else Split(part)
                if new.normalized.normalized:
                    splits.append(new)
        self.splits = splits

    def split(self, func: Callable[[int, NormalizedString], Sequence[NormalizedString | Split]]) -> None:
        """Replace each split without tokens by a sequence of parts; empty parts are left out.

        Args:
            func: returns the parts, given the number of the split and its text. They should be made with `split` or
                `slice` of this text, so that their offsets are right.

        Raises:
            TypeError: `func` is not callable.
            ValueError: `func` raises an exception, or does not return a list of NormalizedString.

        >>> text = PreTokenizedString("ab")
        >>> text.split(lambda number, part: [part[:1], part[1:]])
        >>> text.get_splits()
        [('a', (0, 1), None), ('b', (1, 2), None)]
        """
        _check_callable("split", func, "func(number, normalized_string) -> list[NormalizedString]")

        def divided(number: int, part: NormalizedString) -> Sequence[NormalizedString | Split]:
            parts = call_function(func, number, part)
            if not isinstance(parts, Sequence) or isinstance(parts, str):
                raise _wrong_result(parts, "a list of NormalizedString")
            for one in parts:
                if not isinstance(one, NormalizedString | Split):
                    raise _wrong_result(one, "NormalizedString, in a list")
            return parts

        self.divide(divided)

    def normalize(self, func: Callable[[NormalizedStringRefMut], Any]) -> None:
        """Call the function for the text of each split without tokens; it changes the text in place.

        Raises:
            TypeError: `func` is not callable.
            ValueError: `func` raises an exception.
        """
        _check_callable("normalize", func, "func(normalized_string), which changes it")
        for split in self.splits:
            if split.tokens is None:
                with lent(split.normalized) as reference:
                    call_function(func, reference)

    def tokenize(self, func: Callable[[str], list[Token]]) -> None:
        """Tokenize each split without tokens.

        Args:
            func: returns the tokens of a text, with offsets in UTF-8 bytes.

        Raises:
            TypeError: `func` is not callable.
            ValueError: `func` raises an exception, or does not return a list of Token.

        >>> text = PreTokenizedString("é!")
        >>> text.tokenize(lambda part: [Token(5, "é", (0, 2)), Token(6, "!", (2, 3))])
        >>> text.to_encoding().offsets
        [(0, 1), (1, 2)]
        """
        _check_callable("tokenize", func, "func(text) -> list[Token]")
        for split in self.splits:
            if split.tokens is None:
                tokens = call_function(func, split.normalized.normalized)
                if not isinstance(tokens, list):
                    raise _wrong_result(tokens, "a list of Token")
                for token in tokens:
                    if not isinstance(token, Token):
                        raise _wrong_result(token, "Token, in a list")
                split.tokens = list(tokens)

    # ---- results

    def to_encoding(self, type_id: int = 0, word_idx: int | None = None) -> Encoding:
        """Return the tokens of all splits as an Encoding.

        Args:
            type_id: the type id of every token.
            word_idx: the word index of every token; by default, the number of its split.

        Raises:
            ValueError: a split has no tokens yet.
            OverflowError: a number is negative or not less than 2**32.
        """
        from tokenlab.libraries.tokenizers.encoding import Encoding

        check_unsigned_32("type_id", type_id)
        if word_idx is not None:
            check_unsigned_32("word_idx", word_idx)
        details = token_columns(self.splits, word_idx, self.original)
        ids = [token.id for split in self.splits for token in split.tokens or ()]
        return Encoding.lazy(ids, lambda: details, type_id)

    def get_splits(
        self, offset_referential: str = "original", offset_type: str = "char"
    ) -> list[tuple[str, Span, list[Token] | None]]:
        """Return the text, the offsets and the tokens (None before `tokenize`) of every split.

        Args:
            offset_referential: "original", or "normalized" for places in the normalized splits, joined.
            offset_type: "char" or "byte". As in the library, "char" converts bytes by the original, even if they are
                places in the normalized text.

        Raises:
            TypeError: an argument is not a str.
            ValueError: it has another value.
        """
        _check_choice("offset_referential", offset_referential, ("original", "normalized"))
        _check_choice("offset_type", offset_type, ("byte", "char"))
        texts = [split.normalized.normalized for split in self.splits]
        places = BytePlaces(self.original)
        if offset_referential == "original":
            offsets = [places.in_bytes(split.normalized.offsets_original()) for split in self.splits]
        else:
            ends = list(accumulate(len(text.encode()) for text in texts))
            offsets = list(zip([0, *ends], ends, strict=False))
        if offset_type == "char":
            offsets = [places.in_characters(span) for span in offsets]
        return [(text, span, split.tokens) for text, span, split in zip(texts, offsets, self.splits, strict=True)]


# ---- places of tokens in the original


def token_columns(splits: Iterable[Split], word_idx: int | None = None, original: str | None = None) -> Details:
    """Return the text, the offsets in the original (in characters), and the word index of every token of some splits.

    Args:
        splits: splits that have tokens, with offsets in bytes of the normalized split.
        word_idx: the word index of every token; by default, the number of its split.
        original: the whole text. Only offsets that are empty or outside of their split need it; the models of the
            library return no such tokens.

    Raises:
        ValueError: a split has no tokens yet.
    """
    tokens: list[str] = []
    offsets: list[Span] = []
    words: list[int | None] = []
    for number, split in enumerate(splits):
        found = split.tokens
        if found is None:
            raise ValueError(f"the split {split.normalized.normalized!r:.60} has no tokens; call `tokenize` first")
        tokens += [token.value for token in found]
        offsets += _original_offsets(split.normalized, found, original)
        words += [number if word_idx is None else word_idx] * len(found)
    return tokens, offsets, words


def _original_offsets(part: NormalizedString, tokens: list[Token], original: str | None) -> list[Span]:
    """Return the span of the original, in characters, that each token of a split came from."""
    text, shift = part.normalized, part.original_shift
    characters = range(len(text)) if text.isascii() else characters_of_bytes(text)
    alignments = None if part.is_identity else part.alignments
    spans: list[Span] = []
    for token in tokens:
        start, end = token.offsets
        if not start < end <= len(characters):
            spans.append(token.offsets if original is None else _unaligned(start, end, shift, original))
            continue
        first, last = characters[start], characters[end - 1]
        if alignments is None:
            spans.append((shift + first, shift + last + 1))
        else:
            spans.append((shift + alignments[first][0], shift + alignments[last][1]))
    return spans


def _unaligned(start: int, end: int, shift: int, original: str) -> Span:
    """Return what the library makes of offsets that are empty, which it moves, or outside of their split."""
    places = BytePlaces(original)
    moved = places.starts[shift] if start == end else 0
    return places.in_characters((start + moved, end + moved))


@lru_cache(maxsize=1 << 16)
def characters_of_bytes(text: str) -> tuple[int, ...]:
    """Return the place of the character that each UTF-8 byte of a text belongs to.

    >>> characters_of_bytes("aé")
    (0, 1, 1)
    """
    return tuple(place for place, character in enumerate(text) for _ in character.encode())


class BytePlaces:
    """The places of a text's characters in UTF-8 bytes, and back.

    >>> places = BytePlaces("aé!")
    >>> places.in_bytes((1, 2)), places.in_characters((1, 3))
    ((1, 3), (1, 2))
    """

    def __init__(self, text: str) -> None:
        size = len(text)
        self.starts: Sequence[int] = range(size + 1)  # of each character, and the end
        if not text.isascii():
            self.starts = [0, *accumulate(len(character.encode()) for character in text)]

    def in_bytes(self, span: Span) -> Span:
        """Return a span of characters as a span of bytes."""
        return self.starts[span[0]], self.starts[span[1]]

    def in_characters(self, span: Span) -> Span:
        """Return the span of the characters to which the bytes at the start and at the end belong, as the library does.

        subtle: a span that starts at the end of the text, or after it, stays in bytes. One that ends after it ends one
        character after its start.
        """
        start, end = span
        size = self.starts[-1]
        if start >= size:
            return span
        first = self._character(start)
        if end < size:
            return first, self._character(end)
        return first, (self._character(end - 1) if end == size else first + 1) + 1

    def _character(self, byte: int) -> int:
        return bisect_right(self.starts, byte) - 1


# ---- functions given by the user


def _check_callable(method: str, func: Any, form: str) -> None:
    if not callable(func):
        raise TypeError(f"func={func!r:.60} is a {type(func).__name__}; {method} needs a function: {form}")


def call_function(func: Callable[..., Any], *args: Any) -> Any:
    """Call a user's function; an exception becomes a ValueError that names it, as the library's own text does.

    >>> call_function(lambda: [][0])
    Traceback (most recent call last):
    ...
    ValueError: IndexError: list index out of range
    """
    try:
        return func(*args)
    except Exception as error:
        raise ValueError(f"{type(error).__name__}: {error}") from error


def _wrong_result(result: Any, expected: str) -> ValueError:
    return ValueError(
        f"TypeError: the function returned {result!r:.60}, a {type(result).__name__}; expected {expected}"
    )


def _check_choice(name: str, given: Any, choices: tuple[str, ...]) -> None:
    lookup(name, check_text(name, given), dict.fromkeys(choices))
