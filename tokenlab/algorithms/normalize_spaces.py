"""What sentencepiece does to blanks: extra ones go, one is put in front, and each becomes `▁`.

Adds: three rules, each a function from a text to its changes. All three mean U+0020 alone: what other white space
becomes is for the rules before them to say.
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
