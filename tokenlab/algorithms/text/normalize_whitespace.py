"""sentencepiece's treatment of spaces: remove extra ones, add one in front, and write each as `▁`.

Adds: rules, each a function from a text to its replacements. A space is only U+0020: earlier rules decide what becomes
of other whitespace.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tokenlab.algorithms.text.alignment import Replacement

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
