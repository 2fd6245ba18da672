"""Misconceptions about bytes, pre-tokenization and special tokens, each as a wrong program.

>>> char_vocab_not_bytes("é"), no_byte_shuffle(33), split_on_whitespace("don't  go")
([233], 33, ["don't", 'go'])
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import AnyStr

import regex

from tokenlab.algorithms.bpe.encode_priority_queue import encode_with_priority_queue
from tokenlab.misconceptions.misconception import Misconception


def char_vocab_not_bytes(text: str) -> list[int]:
    """Use the code point of each character as its id; code points above 255 have no id.

    Raises:
        KeyError: a code point is above 255.
    """
    vocabulary = {chr(code): code for code in range(256)}
    return [vocabulary[character] for character in text]


def no_byte_shuffle(byte: int) -> int:
    """Return the value of a byte as its id in GPT-2's vocabulary."""
    return byte


def split_on_whitespace(text: str) -> list[str]:
    """Split at whitespace and drop it, as `str.split` does."""
    return text.split()


def no_whole_word_lookup(piece: AnyStr, ranks: Mapping[AnyStr, int]) -> list[int]:
    """Merge without first looking up the whole piece, which merges may be unable to reach.

    >>> no_whole_word_lookup(b"abc", {b"a": 0, b"b": 1, b"c": 2, b"abc": 3})
    [0, 1, 2]
    """
    return [ranks[token] for token in encode_with_priority_queue(piece, ranks)]


def always_special(text: str, special_tokens: Mapping[str, int]) -> list[str]:
    """Treat all text that is spelled like a special token as special, even if a user wrote it."""
    pattern = "|".join(map(regex.escape, sorted(special_tokens, key=len, reverse=True)))
    return [part for part in regex.split(f"({pattern})", text) if part]


def never_special(text: str, special_tokens: Mapping[str, int]) -> list[str]:
    """Treat all text as ordinary, even if the caller allowed the special token."""
    return [text]


def no_longest_special(text: str, special_tokens: Mapping[str, int]) -> list[str]:
    """Match special tokens in the order in which they were given.

    >>> no_longest_special("<a><b>", {"<a>": 0, "<a><b>": 1})
    ['<a>', '<b>']
    """
    pattern = "|".join(map(regex.escape, special_tokens))
    return [part for part in regex.split(f"({pattern})", text) if part]


MISCONCEPTIONS = [
    Misconception(
        10,
        "a byte-level vocabulary consists of characters",
        "The vocabulary starts from the 256 bytes. A character has 1 to 4 bytes in UTF-8 and can be several tokens.",
        (char_vocab_not_bytes,),
    ),
    Misconception(
        11,
        "the first 256 ids are the byte values",
        "GPT-2 numbers the bytes that keep their own character first, in order. Then it numbers the other bytes.",
        (no_byte_shuffle,),
    ),
    Misconception(
        12,
        "pre-tokenization is cosmetic",
        "No merge crosses a boundary between pre-tokens. The pre-tokens, joined, are the text: no character is lost.",
        (split_on_whitespace,),
    ),
    Misconception(
        13,
        "merges alone decide",
        "A pre-token that is a token as a whole becomes that token. Only other pre-tokens are merged.",
        (no_whole_word_lookup,),
    ),
    Misconception(
        14,
        "text that is spelled like a special token is one",
        "The caller decides: the text is an error by default, the special token if allowed, or ordinary text.",
        (always_special, never_special),
    ),
    Misconception(
        15,
        "special tokens with a common prefix need no care",
        "If two special tokens match at the same position, this kit uses the longer one.",
        (no_longest_special,),
    ),
]
