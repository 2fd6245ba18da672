"""Misconceptions about added tokens and offsets, each as a program.

>>> ignore_lstrip("a [M]", "[M]"), byte_offsets(["i", "âŃ", "¢"]), normalized_positions([(0, 1), (0, 1)], 1, 2)
(['a ', '[M]'], [(0, 1), (1, 3), (3, 4)], (1, 2))
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TypeAlias

from tokenlab.misconceptions.misconception import Misconception

Span: TypeAlias = tuple[int, int]


def ignore_lstrip(text: str, content: str) -> list[str]:
    """Split the text at an added token, and leave the whitespace next to it in the text."""
    return [part for part in re.split(f"({re.escape(content)})", text) if part]


def byte_offsets(tokens: Sequence[str], start: int = 0) -> list[Span]:
    """Return a separate span for each byte-level token, as long as the number of its bytes."""
    return list(pairwise(accumulate(map(len, tokens), initial=start)))


def normalized_positions(alignments: Sequence[Span], start: int, end: int) -> Span:
    """Return a span of the normalized text as if it were one of the original text."""
    return start, end


def find_offsets(text: str) -> list[Span]:
    """Return the spans of the words of a text: search for each word from the start of the text."""
    starts = [(word, text.find(word)) for word in text.split()]
    return [(start, start + len(word)) for word, start in starts]


MISCONCEPTIONS = [
    Misconception(
        16,
        "the whitespace next to an added token always stays in the text",
        "An added token with lstrip=True takes all whitespace directly on its left. The text before it then has no "
        "whitespace at its end.",
        (ignore_lstrip,),
    ),
    Misconception(
        33,
        "no two tokens have the same span",
        "Offsets count characters. All tokens that are bytes of one character have the span of that character.",
        (byte_offsets,),
    ),
    Misconception(
        34,
        "offsets are positions in the normalized text",
        "Offsets refer to the original text. Look up the alignments of the first and of the last normalized character.",
        (normalized_positions,),
    ),
    Misconception(
        0,
        "searching for a token gives its offsets",
        "`find` returns the first occurrence, which may be inside another word. The split itself returns the offsets.",
        (find_offsets,),
    ),
]
