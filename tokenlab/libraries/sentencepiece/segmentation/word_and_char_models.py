"""The word model and the character model; the types of segmentations that all models share; and chunks.

No piece reaches from one chunk of a normalized text into the next, so each is segmented separately. Trainers do not mix
letters and punctuation in a piece, so `▁print(n)` has the chunks `▁print`, `(`, `n` and `)`. Texts share chunks more
often than words, and a cache of chunks finds more of them.
Leaves out: chunks for models with ▁ inside a piece, which may reach from any word into the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from tokenlab.libraries.sentencepiece.model_proto import SPACE_SYMBOL, UNUSED, Model


class Segmentation(NamedTuple):
    """The pieces of a text and their ids; a string that is not in the vocabulary has the id of the unknown piece."""

    pieces: list[str]
    ids: list[int]


Words: TypeAlias = re.Pattern[str]

WORDS = re.compile(f"{SPACE_SYMBOL}[^{SPACE_SYMBOL}]*|[^{SPACE_SYMBOL}]+")
_SPLITS: dict[tuple[bool, bool], Words] = {
    (False, False): WORDS,
    (False, True): re.compile(f"{SPACE_SYMBOL}+[^{SPACE_SYMBOL}]*|[^{SPACE_SYMBOL}]+"),
    (True, False): re.compile(f"[^{SPACE_SYMBOL}]*{SPACE_SYMBOL}|[^{SPACE_SYMBOL}]+"),
    (True, True): re.compile(f"[^{SPACE_SYMBOL}]*{SPACE_SYMBOL}+|[^{SPACE_SYMBOL}]+"),
}


def split_words(text: str, suffix: bool = False, merge_spaces: bool = False) -> list[str]:
    """Split a normalized text into words.

    Args:
        text: a text with `▁` for a space.
        suffix: whether `▁` ends a word; otherwise it starts one.
        merge_spaces: whether several `▁` belong to one word.

    Source: google/sentencepiece, src/model_interface.cc, SplitIntoWords.

    >>> split_words("▁a▁▁b"), split_words("▁a▁▁b", merge_spaces=True), split_words("a▁b▁", suffix=True)
    (['▁a', '▁', '▁b'], ['▁a', '▁▁b'], ['a▁', 'b▁'])
    """
    return _SPLITS[suffix, merge_spaces].findall(text)


class WordModel:
    """A model in which every word is a piece, or unknown."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def encode(self, normalized: str) -> Segmentation:
        """Return the words."""
        return lookup_ids(split_words(normalized), self.model)


class CharModel:
    """A model in which every character or user-defined symbol is a piece, or unknown."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.find = re.compile(
            f"(?:{model.user_defined_pattern.pattern})|." if model.user_defined_pattern else ".", re.DOTALL
        ).findall

    def encode(self, normalized: str) -> Segmentation:
        """Return the characters and user-defined symbols."""
        return lookup_ids(self.find(normalized), self.model)


def lookup_ids(pieces: list[str], model: Model) -> Segmentation:
    """Add the ids of pieces; an unused piece is unknown."""
    ids = [model.ids.get(piece, model.unknown) for piece in pieces]
    return Segmentation(pieces, [model.unknown if id >= 0 and model.kinds[id] == UNUSED else id for id in ids])


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
