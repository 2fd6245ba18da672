"""Character-by-character rules: lowercasing, accents, and BERT's cleaning.

Adds: seven rules, each a function from a text to its replacements.
Leaves out: splitting into words and punctuation (`pretokenize.split_bert`), and spaces (`normalize_whitespace`).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache

from tokenlab.algorithms.text.alignment import Replacement

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
