"""Unicode's four normal forms, as changes: which characters were taken apart, put together, or replaced.

Adds: `nfc`, `nfd`, `nfkc`, `nfkd`, each with the changes in place of a new text only. What is written anew is one
segment: a character and the accents that may join it.
Leaves out: sentencepiece's `nmt_nfkc`, which is NFKC with rules of its own, and comes as a `CharMap`.

The text is the one that `unicodedata` gives, and Python's version of Unicode decides.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Literal, TypeAlias

from tokenlab.algorithms.align import Change

Form: TypeAlias = Literal["NFC", "NFD", "NFKC", "NFKD"]


def nfc(text: str) -> Iterator[Change]:
    """Put letters and their accents together.

    >>> print(*nfc("cafe\\u0301"))
    e ◌́ became é, at 3
    """
    return _changes("NFC", text)


def nfd(text: str) -> Iterator[Change]:
    """Take accents apart from their letters.

    >>> print(*nfd("café"))
    é became e ◌́, at 3
    """
    return _changes("NFD", text)


def nfkc(text: str) -> Iterator[Change]:
    """Replace what Unicode calls compatible, then put accents and letters together.

    >>> print(*nfkc("①½…"), sep="; ")
    ① became 1, at 0; ½ became 1 ⁄ 2, at 1; … became . . ., at 2
    """
    return _changes("NFKC", text)


def nfkd(text: str) -> Iterator[Change]:
    """Replace what Unicode calls compatible, with accents apart from letters.

    >>> print(*nfkd("ﬁé"), sep="; ")
    ﬁ became f i, at 0; é became e ◌́, at 1
    """
    return _changes("NFKD", text)


def _changes(form: Form, text: str) -> Iterator[Change]:
    if unicodedata.is_normalized(form, text):
        return
    for start, segment in segments(text, form):
        normal = unicodedata.normalize(form, segment)
        if normal != segment:
            yield Change(start, segment, normal)


def segments(text: str, form: Form) -> Iterator[tuple[int, str]]:
    """The parts of a text that can be normalized each by itself, with the place where each begins.

    >>> [len(part) for _, part in segments("e\\u0301a", "NFC")]
    [2, 1]
    """
    start = 0
    for place in range(1, len(text) + 1):
        if place == len(text) or starts_segment(text[place], form):
            if start < place:
                yield start, text[start:place]
            start = place


@lru_cache(maxsize=4096)
def starts_segment(character: str, form: Form) -> bool:
    """Whether nothing before this character can join it, or change places with it.

    >>> starts_segment("e", "NFC"), starts_segment("\\u0301", "NFC")
    (True, False)
    """
    # subtle: U+FF9E is no accent, but NFKC makes one of it; and the Korean vowels are none, but join what is before.
    first = unicodedata.normalize("NFKD" if "K" in form else "NFD", character)[0]
    return not unicodedata.combining(first) and not (form.endswith("C") and first in _joining())


@cache
def _joining() -> frozenset[str]:
    """The characters that may become one with the character before them."""
    every = map(chr, range(sys.maxunicode + 1))
    pairs = [parts for parts in (unicodedata.normalize("NFD", one) for one in every) if len(parts) > 1]
    return frozenset(character for parts in pairs for character in parts[1:])
