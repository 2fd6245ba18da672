"""Chunks of a normalized text: no piece reaches from one chunk into the next, so each is segmented separately.

Adds: splits inside words. Trainers do not mix letters and punctuation in a piece, so `▁print(n)` has the chunks
`▁print`, `(`, `n` and `)`. Texts share chunks more often than words, and a cache of chunks finds more of them.
Leaves out: models with ▁ inside a piece, which may reach from any word into the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import TypeAlias

from tokenlab.libraries.sentencepiece.model_proto import SPACE_SYMBOL

# The pieces of a chunk; their ids; the size of its scores; and a limit: if the sizes of all chunks of a text add up to
# less, the chunk has the same pieces there. A plain tuple of tuples, because the garbage collector does not look at it
# again and again.
SegmentedChunk: TypeAlias = tuple[tuple[str, ...], tuple[int, ...], float, float]


def chunk_pattern(pieces: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern whose matches are the chunks of a text: a ▁ if there is one, and characters of one class.

    Args:
        pieces: with ▁ at the start only.

    >>> chunk_pattern(["▁", "▁a", "ab", "(", "1", "12"]).findall("▁ab(12)▁▁1")
    ['▁ab', '(', '12', ')', '▁', '▁1']
    """
    classes = map(sorted, sorted(adjacent_characters(pieces), key=len, reverse=True))
    # `++` and `?+` never give back a character, which saves the places to go back to.
    runs = [f"[{re.escape(''.join(characters))}]++" for characters in classes]
    return re.compile(f"{SPACE_SYMBOL}?+(?:{'|'.join([*runs, f'[^{SPACE_SYMBOL}]'])})|{SPACE_SYMBOL}")


def adjacent_characters(pieces: Iterable[str]) -> list[set[str]]:
    """Return the smallest classes of characters such that two that are adjacent in a piece, after its ▁, are in one.

    >>> sorted(map(sorted, adjacent_characters(["ab", "12", "▁bc", "?", "##"])))
    [['#'], ['1', '2'], ['a', 'b', 'c']]
    """
    pairs = {pair for piece in pieces for pair in pairwise(piece.removeprefix(SPACE_SYMBOL))}
    class_of = {character: {character} for pair in pairs for character in pair}
    for left, right in pairs:
        if class_of[left] is not class_of[right]:
            smaller, larger = sorted((class_of[left], class_of[right]), key=len)
            larger |= smaller
            class_of.update(dict.fromkeys(smaller, larger))
    return [*{id(characters): characters for characters in class_of.values()}.values()]
