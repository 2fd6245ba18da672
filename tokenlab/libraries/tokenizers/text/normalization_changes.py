"""Unicode normalization forms, character by character, each with the number of characters that it replaces.

Adds: `normalize_unicode`, the normalization forms of Unicode 9, the library's version; `normalization_changes`, which
decomposes, sorts and composes a text and keeps track of the source of every character.
Leaves out: the alignment (`tokenlab.libraries.tokenizers.NormalizedString.transform` applies the changes).

A change is 0 for a character that replaces one, 1 for an inserted character, and -n for a character that replaces one
and the n characters after it. Source: unicode-normalization-alignments 0.1.12, decompose.rs and recompose.rs.

>>> normalization_changes("NFD", "é")
[('e', 0), ('\u0301', 1)]
>>> normalization_changes("NFC", "e\u0301a")
[('é', -1), ('a', 0)]
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from tokenlab.algorithms.pipeline.unicode_versions import NOT_NORMALIZED

Form: TypeAlias = Literal["NFC", "NFD", "NFKC", "NFKD"]
Change: TypeAlias = tuple[str, int]

# ASCII characters never change; one of them composes at most with what is after it.
_NOT_ASCII: Final = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")


def normalize_unicode(form: Form, text: str) -> str:
    """Return the normalized text, without its changes.

    >>> normalize_unicode("NFKC", "ﬁn de sie\u0300cle")
    'fin de siècle'
    """
    if text.isascii():
        return text
    if not NOT_NORMALIZED.search(text):
        return unicodedata.normalize(form, text)
    # subtle: a character unknown to Unicode 9 is a starter and composes with nothing, so it separates two texts.
    parts: list[str] = []
    done = 0
    for unknown in NOT_NORMALIZED.finditer(text):
        parts += unicodedata.normalize(form, text[done : unknown.start()]), unknown[0]
        done = unknown.end()
    return "".join(parts) + unicodedata.normalize(form, text[done:])


def normalization_changes(form: Form, text: str) -> list[Change]:
    """Return the characters of the normalized text with their changes."""
    changes: list[Change] = []
    done = 0
    for part in _NOT_ASCII.finditer(text):
        changes += [(character, 0) for character in text[done : part.start()]]
        changes += _changes_of_part(form, part[0])
        done = part.end()
    return changes + [(character, 0) for character in text[done:]]


def _changes_of_part(form: Form, text: str) -> Iterable[Change]:
    if normalize_unicode(form, text) == text:
        return [(character, 0) for character in text]
    decomposed = _decomposed("NFKD" if "K" in form else "NFD", text)
    return _composed(decomposed) if form.endswith("C") else decomposed


def _decomposed(form: Form, text: str) -> Iterator[Change]:
    """Yield the decomposed characters; each run of combining marks is sorted by combining class."""
    run: list[tuple[int, str, int]] = []
    for character in text:
        for place, (part, order) in enumerate(_parts(form, character)):
            if order == 0:
                yield from _sorted(run)
                run = []
            run.append((order, part, min(place, 1)))
    yield from _sorted(run)


def _sorted(run: list[tuple[int, str, int]]) -> Iterator[Change]:
    # subtle: the sort is stable, and a starter has class 0, so it stays the first of its run.
    return ((part, change) for _, part, change in sorted(run, key=lambda item: item[0]))


@lru_cache(maxsize=4096)
def _parts(form: Form, character: str) -> tuple[tuple[str, int], ...]:
    """The decomposition of one character: each part with its combining class."""
    parts = character if NOT_NORMALIZED.match(character) else unicodedata.normalize(form, character)
    return tuple((part, combining_class(part)) for part in parts)


@lru_cache(maxsize=4096)
def combining_class(character: str) -> int:
    """Return the canonical combining class; 0 for a starter, which no mark is moved across."""
    return 0 if NOT_NORMALIZED.match(character) else unicodedata.combining(character)


def _composed(changes: Iterable[Change]) -> Iterator[Change]:
    """Compose each starter with the marks after it that are not blocked by a mark between them."""
    starter: Change | None = None
    marks: list[Change] = []  # marks after the starter that did not compose with it
    last = None  # the combining class of the last of them
    for character, change in changes:
        order = combining_class(character)
        if starter is None:
            if order:
                yield character, change
            else:
                starter = (character, change)
            continue
        composed = compose(starter[0], character) if last is None or last < order else None
        if composed:
            starter = (composed, starter[1] + change - 1)
        elif order:
            marks.append((character, change))
            last = order
        else:
            yield starter
            yield from marks
            starter, marks, last = (character, change), [], None
    if starter:
        yield starter
    yield from marks


@lru_cache(maxsize=4096)
def compose(first: str, second: str) -> str | None:
    """Return the one character that two characters compose to, or None.

    >>> compose("e", "\u0301"), compose("e", "x")
    ('é', None)
    """
    both = normalize_unicode("NFC", first + second)
    return both if len(both) == 1 else None
