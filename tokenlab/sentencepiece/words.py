"""The two models without subwords: a piece is a word, or a character."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple, TypeAlias, TypeVar

from tokenlab.sentencepiece.model import SPACE, UNUSED, Model


class Cut(NamedTuple):
    """A text in pieces, and the id of each; what is in no vocabulary has the id of the unknown piece."""

    pieces: list[str]
    ids: list[int]


T = TypeVar("T")
Words: TypeAlias = re.Pattern[str]

WORDS = re.compile(f"{SPACE}[^{SPACE}]*|[^{SPACE}]+")
_SPLITS: dict[tuple[bool, bool], Words] = {
    (False, False): WORDS,
    (False, True): re.compile(f"{SPACE}+[^{SPACE}]*|[^{SPACE}]+"),
    (True, False): re.compile(f"[^{SPACE}]*{SPACE}|[^{SPACE}]+"),
    (True, True): re.compile(f"[^{SPACE}]*{SPACE}+|[^{SPACE}]+"),
}


def split_words(text: str, suffix: bool = False, blanks_together: bool = False) -> list[str]:
    """The words of a normalized text.

    Args:
        text: with `▁` for a blank.
        suffix: whether `▁` ends a word; it starts one otherwise.
        blanks_together: whether several `▁` belong to one word.

    Source: google/sentencepiece, src/model_interface.cc, SplitIntoWords.

    >>> split_words("▁a▁▁b"), split_words("▁a▁▁b", blanks_together=True), split_words("a▁b▁", suffix=True)
    (['▁a', '▁', '▁b'], ['▁a', '▁▁b'], ['a▁', 'b▁'])
    """
    return _SPLITS[suffix, blanks_together].findall(text)


class Remembered(dict[str, T]):
    """What was made of each word that was met; bounded, and without the long ones, which hardly come again."""

    MOST = 100_000
    LONGEST = 100  # characters

    def __init__(self, make: Callable[[str], T]) -> None:
        super().__init__()
        self.make = make

    def __missing__(self, word: str) -> T:
        made = self.make(word)
        if len(word) <= self.LONGEST:
            if len(self) >= self.MOST:
                self.clear()
            self[word] = made
        return made


class WordModel:
    """A word is a piece, or unknown."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def cut(self, normalized: str) -> Cut:
        """The words."""
        return looked_up(split_words(normalized), self.model)


class CharModel:
    """A character is a piece, or unknown; a user-defined symbol is one as well."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.find = re.compile(f"(?:{model.symbols.pattern})|." if model.symbols else ".", re.DOTALL).findall

    def cut(self, normalized: str) -> Cut:
        """The characters."""
        return looked_up(self.find(normalized), self.model)


def looked_up(pieces: list[str], model: Model) -> Cut:
    """The ids of pieces; an unused piece is unknown."""
    ids = [model.ids.get(piece, model.unknown) for piece in pieces]
    return Cut(pieces, [model.unknown if id >= 0 and model.kinds[id] == UNUSED else id for id in ids])
