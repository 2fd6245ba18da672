"""Unicode's four normalization forms, as replacements: characters decomposed, composed, or mapped.

Adds: `nfc`, `nfd`, `nfkc`, `nfkd`, which yield replacements instead of a new text. One replacement covers one segment:
a character and the combining marks that may compose with it.
Leaves out: sentencepiece's `nmt_nfkc`, which is NFKC with additional rules, and is a `CharMap`.

The resulting text is that of `unicodedata`, with the Unicode version of the running Python.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Literal, TypeAlias

from tokenlab.algorithms.text.alignment import Replacement

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
