"""Beliefs about bytes, splitting and special tokens that are wrong, each as a program that somebody has written.

>>> char_vocab_not_bytes("é"), no_byte_shuffle(33), split_on_whitespace("don't  go")
([233], 33, ["don't", 'go'])
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import AnyStr

import regex

from tokenlab.algorithms.bpe_encode_agenda import encode_with_agenda
from tokenlab.misconceptions.bpe import Misconception

# 10. A byte-level vocabulary is one of characters.


def char_vocab_not_bytes(text: str) -> list[int]:
    """Give each character its code as id, which has no id left for those beyond 255.

    Raises:
        KeyError: a character beyond 255.
    """
    vocabulary = {chr(code): code for code in range(256)}
    return [vocabulary[character] for character in text]


# 11. The first 256 ids are the byte values.


def no_byte_shuffle(byte: int) -> int:
    """Take a byte's value as its id in GPT-2's vocabulary."""
    return byte


# 12. How the text is split beforehand is cosmetic.


def split_on_whitespace(text: str) -> list[str]:
    """Split at white space and drop it, as `str.split` does."""
    return text.split()


# 13. Merges alone decide.


def no_whole_word_lookup(piece: AnyStr, ranks: Mapping[AnyStr, int]) -> list[int]:
    """Merge without looking first whether the whole piece is a token, which no merges may reach.

    >>> no_whole_word_lookup(b"abc", {b"a": 0, b"b": 1, b"c": 2, b"abc": 3})
    [0, 1, 2]
    """
    return [ranks[token] for token in encode_with_agenda(piece, ranks)]


# 14. The text of a special token is the special token.


def always_special(text: str, special_tokens: Mapping[str, int]) -> list[str]:
    """Cut out whatever is spelled like a special token, whoever wrote it."""
    pattern = "|".join(map(regex.escape, sorted(special_tokens, key=len, reverse=True)))
    return [part for part in regex.split(f"({pattern})", text) if part]


def never_special(text: str, special_tokens: Mapping[str, int]) -> list[str]:
    """Treat what is spelled like a special token as text, also where the caller allowed it."""
    return [text]


# 15. Special tokens that share a start need no care.


def no_longest_special(text: str, special_tokens: Mapping[str, int]) -> list[str]:
    """Look for special tokens in the order in which they were given.

    >>> no_longest_special("<a><b>", {"<a>": 0, "<a><b>": 1})
    ['<a>', '<b>']
    """
    pattern = "|".join(map(regex.escape, special_tokens))
    return [part for part in regex.split(f"({pattern})", text) if part]


MISCONCEPTIONS = [
    Misconception(
        10,
        "a byte-level vocabulary is one of characters",
        "The alphabet is the 256 bytes of UTF-8; a character may be up to four of them, and several tokens.",
        (char_vocab_not_bytes,),
    ),
    Misconception(
        11,
        "the first 256 ids are the byte values",
        "GPT-2 gives the first ids to the bytes that keep their own glyph, in order, and then to the others.",
        (no_byte_shuffle,),
    ),
    Misconception(
        12,
        "splitting beforehand is cosmetic",
        "No merge crosses a cut, so the pattern decides which tokens can exist; and it loses nothing.",
        (split_on_whitespace,),
    ),
    Misconception(
        13,
        "merges alone decide",
        "A piece that is a token as a whole is that token; only then are merges tried.",
        (no_whole_word_lookup,),
    ),
    Misconception(
        14,
        "text that is spelled like a special token is one",
        "A special token is a permission: by default its text is an error, allowed it is one id, else it is text.",
        (always_special, never_special),
    ),
    Misconception(
        15,
        "special tokens that share a start need no care",
        "Of two special tokens that both match, the longest is meant.",
        (no_longest_special,),
    ),
]
