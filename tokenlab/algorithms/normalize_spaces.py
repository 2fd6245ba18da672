"""What sentencepiece does to blanks: extra ones go, one is put in front, and each becomes `▁`.

Adds: rules, each a function from a text to its changes. A blank is U+0020 alone: what other white space becomes is for
the rules before these to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tokenlab.algorithms.align import Change

META_SPACE = "▁"  # U+2581, which stands for a blank in a piece

_EXTRA = re.compile(r"\A +| +\Z|(?<= ) +")


def remove_extra_spaces(text: str) -> Iterator[Change]:
    """Remove the blanks at both ends, and all but the first where several stand together.

    Source: sentencepiece, normalizer.cc, Normalizer::Normalize, remove_extra_whitespaces.

    >>> print(*remove_extra_spaces(" a   b"), sep="; ")
    ␣ became nothing, at 0; ␣ ␣ became nothing, at 3
    """
    for match in _EXTRA.finditer(text):
        yield Change(match.start(), match.group(), "")


def add_dummy_prefix(text: str) -> Iterator[Change]:
    """Put a blank before the text, so that its first word looks like a word in the middle; an empty text has none.

    Source: sentencepiece, normalizer.cc, Normalizer::Normalize, add_dummy_prefix.

    >>> print(*add_dummy_prefix("a"))
    nothing became ␣, at 0
    """
    if text:
        yield Change(0, "", " ")


def escape_spaces(text: str) -> Iterator[Change]:
    """Write `▁` for every blank.

    >>> print(*escape_spaces("a b"))
    ␣ became ▁, at 1
    """
    for start, character in enumerate(text):
        if character == " ":
            yield Change(start, " ", META_SPACE)


def trim_meta_space(text: str) -> Iterator[Change]:
    """Remove every `▁` at the end, also one that was typed: by now it cannot be told from a blank.

    Source: sentencepiece, normalizer.cc, Normalizer::Normalize, the end of remove_extra_whitespaces.

    >>> print(*trim_meta_space("▁a▁"))
    ▁ became nothing, at 2
    """
    kept = text.rstrip(META_SPACE)
    if kept != text:
        yield Change(len(kept), text[len(kept) :], "")


def add_dummy_suffix(text: str) -> Iterator[Change]:
    """Put `▁` behind the text, in a model where it ends a word and does not begin one.

    Source: sentencepiece, normalizer.cc, Normalizer::Normalize, treat_whitespace_as_suffix.

    >>> print(*add_dummy_suffix("a"))
    nothing became ▁, at 1
    """
    if text:
        yield Change(len(text), "", META_SPACE)
