"""The word model and the character model, and the types of segmentations that all models share."""

from __future__ import annotations

import re
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
