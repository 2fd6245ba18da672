"""Rules that look at one character after the other: lower case, accents, and BERT's cleaning.

Adds: six rules, each a function from a text to its changes.
Leaves out: cutting into words and signs, which is `split_bert`, and everything about blanks, `normalize_spaces`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator

from tokenlab.algorithms.align import Change

REPLACEMENT = "\ufffd"  # what decoders write for bytes that are no UTF-8

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


def lowercase(text: str) -> Iterator[Change]:
    """Make every letter small, each by itself, as tokenizers does.

    >>> print(*lowercase("ΟΣ"), sep="; ")
    Ο became ο, at 0; Σ became σ, at 1
    """
    return _each(text, str.lower)


def lowercase_words(text: str) -> Iterator[Change]:
    """Make every letter small with an eye on its neighbours, as `str.lower` does: a sigma that ends a word is another.

    >>> print(*lowercase_words("ΟΣ"), sep="; ")
    Ο became ο, at 0; Σ became ς, at 1
    """
    small, place = text.lower(), 0
    for start, character in enumerate(text):
        # subtle: İ becomes two characters, so the places in both texts may part; no neighbour changes how many.
        end = place + len(character.lower())
        if small[place:end] != character:
            yield Change(start, character, small[place:end])
        place = end


def strip_accents(text: str) -> Iterator[Change]:
    """Remove the accents that stand apart, and nothing else: BERT's rule, after NFD.

    >>> print(*strip_accents("e\\u0301"))
    ◌́ became nothing, at 1
    """
    return _each(text, lambda character: "" if unicodedata.category(character) == "Mn" else character)


def strip_marks(text: str) -> Iterator[Change]:
    """Remove all marks, also those that take room or surround a letter: StripAccents of tokenizers, after NFD.

    >>> print(*strip_marks("का"))
    ◌ा became nothing, at 1
    """
    return _each(text, lambda character: "" if unicodedata.category(character).startswith("M") else character)


def clean(text: str) -> Iterator[Change]:
    r"""Remove NUL, U+FFFD and controls, and make a blank of every white space: BERT's cleaning.

    Source: google-research/bert, tokenization.py, BasicTokenizer._clean_text.

    >>> print(*clean("a\u200b\tb"), sep="; ")
    \u200b became nothing, at 1; ⇥ became ␣, at 2
    """
    return _each(text, _cleaned)


def space_cjk(text: str) -> Iterator[Change]:
    """Put blanks around every Chinese character, so that each becomes a word: BERT's rule.

    >>> print(*space_cjk("日a"))
    日 became ␣ 日 ␣, at 0
    """
    return _each(text, lambda character: f" {character} " if is_cjk(character) else character)


def is_cjk(character: str) -> bool:
    """Whether a character stands in one of Unicode's blocks of Chinese characters; kana and hangul do not.

    >>> is_cjk("日"), is_cjk("ひ"), is_cjk("한")
    (True, False, False)
    """
    code = ord(character)
    return code >= 0x3400 and any(first <= code <= last for first, last in CJK_BLOCKS)


def _cleaned(character: str) -> str:
    if character in " \t\n\r":
        return " "
    category = unicodedata.category(character)
    if character == REPLACEMENT or category in ("Cc", "Cf"):
        return ""
    return " " if category == "Zs" else character


def _each(text: str, rule: Callable[[str], str]) -> Iterator[Change]:
    for start, character in enumerate(text):
        new = rule(character)
        if new != character:
            yield Change(start, character, new)
