"""The rules of normalization: Unicode's four forms, characters one by one, a table, and sentencepiece's spaces.

Adds: the rules, each a function from a text to its replacements. For the normalization forms, one replacement covers
one segment: a character and the combining marks that may compose with it; the text is that of `unicodedata`, with the
Unicode version of the running Python. Seven rules are for single characters: lowercasing, accents, and BERT's cleaning.
`CharMap` is the rule of sentencepiece's normalizer: at each position from left to right, the longest matching key of a
table is replaced, and the output of a replacement is not replaced again. sentencepiece then removes extra spaces, adds
one in front, and writes each as `▁`; a space is only U+0020, since earlier rules decide what becomes of other
whitespace.
Leaves out: splitting into words and punctuation (`pretokenize.split_bert`); the source of a table, such as `nmt_nfkc`,
which is NFKC with additional rules (`tokenlab.libraries.sentencepiece` reads it from a model file).

>>> str(next(CharMap({"ﬁ": "fi"})("ﬁsh")))
'ﬁ became f i, at 0'
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property, lru_cache
from typing import Literal, TypeAlias

from tokenlab.algorithms.text.alignment import AlignedText, Replacement, apply_replacements

Form: TypeAlias = Literal["NFC", "NFD", "NFKC", "NFKD"]


def nfc(text: str) -> Iterator[Replacement]:
    """Compose letters with their accents (canonical composition).

    >>> print(*nfc("cafe\\u0301"))
    e ◌́ became é, at 3
    """
    return _changes("NFC", text)


def nfd(text: str) -> Iterator[Replacement]:
    """Decompose letters and accents (canonical decomposition).

    >>> print(*nfd("café"))
    é became e ◌́, at 3
    """
    return _changes("NFD", text)


def nfkc(text: str) -> Iterator[Replacement]:
    """Replace compatibility characters, then compose letters with accents.

    >>> print(*nfkc("①½…"), sep="; ")
    ① became 1, at 0; ½ became 1 ⁄ 2, at 1; … became . . ., at 2
    """
    return _changes("NFKC", text)


def nfkd(text: str) -> Iterator[Replacement]:
    """Replace compatibility characters, and decompose letters and accents.

    >>> print(*nfkd("ﬁé"), sep="; ")
    ﬁ became f i, at 0; é became e ◌́, at 1
    """
    return _changes("NFKD", text)


def _changes(form: Form, text: str) -> Iterator[Replacement]:
    if unicodedata.is_normalized(form, text):
        return
    for start, segment in normalization_segments(text, form):
        normal = unicodedata.normalize(form, segment)
        if normal != segment:
            yield Replacement(start, segment, normal)


def normalization_segments(text: str, form: Form) -> Iterator[tuple[int, str]]:
    """Yield the segments of a text that can be normalized independently, each with its start.

    >>> [len(part) for _, part in normalization_segments("e\\u0301a", "NFC")]
    [2, 1]
    """
    start = 0
    for end in range(1, len(text) + 1):
        if end == len(text) or is_normalization_boundary(text[end], form):
            if start < end:
                yield start, text[start:end]
            start = end


@lru_cache(maxsize=4096)
def is_normalization_boundary(character: str, form: Form) -> bool:
    """Whether this character neither composes nor is reordered with a character before it.

    >>> is_normalization_boundary("e", "NFC"), is_normalization_boundary("\\u0301", "NFC")
    (True, False)
    """
    # subtle: U+FF9E is no combining mark, but NFKC maps it to one; Korean vowels are none, but compose with the left.
    first = unicodedata.normalize("NFKD" if "K" in form else "NFD", character)[0]
    return not unicodedata.combining(first) and not (form.endswith("C") and first in _composing())


@cache
def _composing() -> frozenset[str]:
    """Return the characters that may compose with the character before them."""
    every = map(chr, range(sys.maxunicode + 1))
    pairs = [parts for parts in (unicodedata.normalize("NFD", one) for one in every) if len(parts) > 1]
    return frozenset(character for parts in pairs for character in parts[1:])


REPLACEMENT = "\ufffd"  # decoders write it for bytes that are not UTF-8
ASCII_WHITESPACE = frozenset(" \t\n\r")  # three are control characters, but BERT treats all four as whitespace

# google-research/bert, tokenization.py, BasicTokenizer._is_chinese_char.
CJK_BLOCKS = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)


def lowercase(text: str) -> Iterator[Replacement]:
    """Lowercase every character separately, as tokenizers does.

    >>> print(*lowercase("ΟΣ"), sep="; ")
    Ο became ο, at 0; Σ became σ, at 1
    """
    return per_character(text, str.lower)


def lowercase_words(text: str) -> Iterator[Replacement]:
    """Lowercase in context, as `str.lower` does: a sigma at the end of a word becomes ς.

    >>> print(*lowercase_words("ΟΣ"), sep="; ")
    Ο became ο, at 0; Σ became ς, at 1
    """
    lower, position = text.lower(), 0
    for start, character in enumerate(text):
        # subtle: İ becomes two characters, so positions in the two texts may differ; context never changes the length.
        end = position + len(character.lower())
        if lower[position:end] != character:
            yield Replacement(start, character, lower[position:end])
        position = end


def strip_accents(text: str) -> Iterator[Replacement]:
    """Remove nonspacing marks (category Mn), as BERT does after NFD.

    >>> print(*strip_accents("e\\u0301"))
    ◌́ was removed, at 1
    """
    return per_character(text, lambda character: "" if unicodedata.category(character) == "Mn" else character)


def strip_marks(text: str) -> Iterator[Replacement]:
    """Remove all marks, including spacing and enclosing ones, as StripAccents of tokenizers does after NFD.

    >>> print(*strip_marks("का"))
    ◌ा was removed, at 1
    """
    return per_character(text, lambda character: "" if unicodedata.category(character).startswith("M") else character)


def clean(text: str) -> Iterator[Replacement]:
    r"""Remove NUL, U+FFFD and control characters, and replace every whitespace character by a space, as BERT does.

    Source: google-research/bert, tokenization.py, BasicTokenizer._clean_text.

    >>> print(*clean("a\u200b\tb"), sep="; ")
    \u200b was removed, at 1; ⇥ became ␣, at 2
    """
    return per_character(text, _cleaned)


def clean_others(text: str) -> Iterator[Replacement]:
    r"""Clean, and also remove private-use, unassigned and surrogate code points, as transformers does.

    Source: transformers 4.26.1, models/bert/tokenization_bert.py, BasicTokenizer._clean_text.

    >>> print(*clean_others("a\ue000\tb"), sep="; ")
    \ue000 was removed, at 1; ⇥ became ␣, at 2
    """
    return per_character(text, cleaned_others)


def space_cjk(text: str) -> Iterator[Replacement]:
    """Put spaces around every Chinese character, so that each becomes a word, as BERT does.

    >>> print(*space_cjk("日a"))
    日 became ␣ 日 ␣, at 0
    """
    return per_character(text, spaced_cjk)


def is_cjk(character: str) -> bool:
    """Whether a character is in one of Unicode's blocks of Chinese characters; kana and hangul are not.

    >>> is_cjk("日"), is_cjk("ひ"), is_cjk("한")
    (True, False, False)
    """
    code = ord(character)
    return code >= 0x3400 and any(first <= code <= last for first, last in CJK_BLOCKS)


def is_whitespace(character: str) -> bool:
    """Whether BERT treats a character as whitespace: a tab, a line end, or one of Unicode's spaces (category Zs).

    Source: google-research/bert, tokenization.py, _is_whitespace.

    >>> is_whitespace("\\t"), is_whitespace("\\u00a0"), is_whitespace("\\u200b")
    (True, True, False)
    """
    return character in ASCII_WHITESPACE or unicodedata.category(character) == "Zs"


def is_control(character: str) -> bool:
    """Whether BERT removes a character as a control: Unicode's categories Cc and Cf, except tabs and line ends.

    Source: google-research/bert, tokenization.py, _is_control.

    >>> is_control("\\x07"), is_control("\\u200b"), is_control("\\t")
    (True, True, False)
    """
    return character not in ASCII_WHITESPACE and unicodedata.category(character) in ("Cc", "Cf")


def is_other(character: str) -> bool:
    """Whether transformers removes a character as a control: Unicode's category C, except tabs and line ends.

    Source: transformers 4.26.1, tokenization_utils.py, _is_control.

    >>> is_other("\\x07"), is_other("\\ue000"), is_other("\\t")
    (True, True, False)
    """
    return character not in ASCII_WHITESPACE and unicodedata.category(character).startswith("C")


def cleaned_others(character: str) -> str:
    """Return what `clean_others` puts in the place of a character.

    >>> cleaned_others("\\t"), cleaned_others("\\0"), cleaned_others("a")
    (' ', '', 'a')
    """
    if character == REPLACEMENT or is_other(character):
        return ""
    return " " if is_whitespace(character) else character


def spaced_cjk(character: str) -> str:
    """Return a Chinese character between two spaces, and any other character itself."""
    return f" {character} " if is_cjk(character) else character


@lru_cache(maxsize=4096)
def _cleaned(character: str) -> str:
    if character == REPLACEMENT or is_control(character):
        return ""
    return " " if is_whitespace(character) else character


def per_character(text: str, rule: Callable[[str], str]) -> Iterator[Replacement]:
    """Yield a replacement for each character that the rule changes."""
    for start, character in enumerate(text):
        new = rule(character)
        if new != character:
            yield Replacement(start, character, new)


META_SPACE = "▁"  # U+2581, which represents a space in a piece
_EXTRA = re.compile(r"\A +| +\Z|(?<= ) +")


def remove_extra_spaces(text: str) -> Iterator[Replacement]:
    """Remove leading and trailing spaces, and all but the first space of every run.

    Source: sentencepiece, normalizer.cc, Normalizer::Normalize, remove_extra_whitespaces.

    >>> print(*remove_extra_spaces(" a   b"), sep="; ")
    ␣ was removed, at 0; ␣ ␣ was removed, at 3
    """
    for match in _EXTRA.finditer(text):
        yield Replacement(match.start(), match.group(), "")


def add_dummy_prefix(text: str) -> Iterator[Replacement]:
    """Put a space before a non-empty text, so that its first word looks like a word in the middle.

    Source: sentencepiece, normalizer.cc, Normalizer::Normalize, add_dummy_prefix.

    >>> print(*add_dummy_prefix("a"))
    ␣ was inserted, at 0
    """
    if text:
        yield Replacement(0, "", " ")


def escape_spaces(text: str) -> Iterator[Replacement]:
    """Replace every space by `▁`.

    >>> print(*escape_spaces("a b"))
    ␣ became ▁, at 1
    """
    for start, character in enumerate(text):
        if character == " ":
            yield Replacement(start, " ", META_SPACE)


def trim_meta_space(text: str) -> Iterator[Replacement]:
    """Remove every trailing `▁`, including one of the original text, which is no longer distinguishable from a space.

    Source: sentencepiece, normalizer.cc, Normalizer::Normalize, the end of remove_extra_whitespaces.

    >>> print(*trim_meta_space("▁a▁"))
    ▁ was removed, at 2
    """
    kept = text.rstrip(META_SPACE)
    if kept != text:
        yield Replacement(len(kept), text[len(kept) :], "")


def add_dummy_suffix(text: str) -> Iterator[Replacement]:
    """Put `▁` after a non-empty text, for a model in which it ends a word instead of starting one.

    Source: sentencepiece, normalizer.cc, Normalizer::Normalize, treat_whitespace_as_suffix.

    >>> print(*add_dummy_suffix("a"))
    ▁ was inserted, at 1
    """
    if text:
        yield Replacement(len(text), "", META_SPACE)


# Six of the 225,276 entries of nmt_nfkc, sentencepiece's default table.
EXCERPT = {"ﬁ": "fi", "…": "...", "①": "1", "e\u0301": "é", "\u3000": " ", "\u200b": " "}


class CharMap(Mapping[str, str]):
    """A table from strings to strings, and the rule that applies it to a text.

    >>> replace = CharMap({"a": "1", "ab": "2", "b": ""})
    >>> replace.replaced("aabb")
    '12'
    """

    def __init__(self, replacements: Mapping[str, str], name: str = "char map") -> None:
        """Check and copy the table; `name` is shown in recordings.

        Raises:
            TypeError: a key or a value is not a str.
            ValueError: a key is empty.
        """
        for key, value in replacements.items():
            if not (isinstance(key, str) and isinstance(value, str)):
                raise TypeError(f"replacements maps {key!r} to {value!r}; both should be str")
            if not key:
                raise ValueError("replacements has an empty key, which would match everywhere; leave it out")
        self._replacements = dict(replacements)
        self.__name__ = name

    def __call__(self, text: str) -> Iterator[Replacement]:
        """Yield the replacements, from left to right; a key that is mapped to itself matches but yields nothing."""
        for start, key in self.keys_in(text):
            if key != self._replacements[key]:
                yield Replacement(start, key, self._replacements[key])

    def keys_in(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield the matching keys, each with its position.

        >>> list(CharMap({"a": "1", "ab": "2"}).keys_in("xaba"))
        [(1, 'ab'), (3, 'a')]
        """
        position = 0
        while position < len(text):
            for length in self._lengths.get(text[position], ()):
                key = text[position : position + length]
                if key in self._replacements:
                    yield position, key
                    position += len(key)
                    break
            else:
                position += 1

    def replaced(self, text: str) -> str:
        """Return the text after all replacements."""
        return apply_replacements(text, self(text))

    def aligned(self, text: str) -> AlignedText:
        """Return the text after all replacements, aligned with the original.

        >>> CharMap({"…": "..."}).aligned("a…").spans
        ((0, 1), (1, 2), (1, 2), (1, 2))
        """
        return AlignedText.identity(text).apply(self(text))

    @cached_property
    def _lengths(self) -> dict[str, tuple[int, ...]]:
        """The lengths of the keys that start with each character, longest first."""
        lengths: dict[str, set[int]] = {}
        for key in self._replacements:
            lengths.setdefault(key[0], set()).add(len(key))
        return {first: tuple(sorted(found, reverse=True)) for first, found in lengths.items()}

    def __getitem__(self, key: str) -> str:
        return self._replacements[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._replacements)

    def __len__(self) -> int:
        return len(self._replacements)

    def __repr__(self) -> str:
        return f"<CharMap {self.__name__}: {len(self)} keys>"
