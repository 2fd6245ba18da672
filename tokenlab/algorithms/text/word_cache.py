"""A cache of words: a text repeats most of its words, so each word is encoded once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class WordCache(dict[str, T]):
    """The results for the words seen so far; bounded, and without long words, which rarely recur.

    >>> lengths = WordCache(len)
    >>> lengths["hug"], lengths
    (3, {'hug': 3})
    """

    MAX_WORDS = 100_000
    MAX_WORD_LENGTH = 100  # characters

    def __init__(self, make: Callable[[str], T]) -> None:
        super().__init__()
        self.make = make

    def __missing__(self, word: str) -> T:
        made = self.make(word)
        if len(word) <= self.MAX_WORD_LENGTH:
            if len(self) >= self.MAX_WORDS:
                self.clear()
            self[word] = made
        return made
