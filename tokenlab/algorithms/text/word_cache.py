"""A cache of words: a text repeats most of its words, so each word is encoded once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class WordCache(dict[str, T]):
    """The results for the words seen so far; bounded, and without long words, which rarely recur.

    Args:
        make: the function whose results are kept.
        max_words: the number of words kept; 0 keeps none, None is the usual number.

    >>> lengths = WordCache(len)
    >>> lengths["hug"], lengths
    (3, {'hug': 3})
    """

    MAX_WORDS = 100_000
    MAX_WORD_LENGTH = 100  # characters

    def __init__(self, make: Callable[[str], T], max_words: int | None = None) -> None:
        super().__init__()
        self.make = make
        if max_words is not None:
            self.MAX_WORDS = max_words

    def __missing__(self, word: str) -> T:
        return self._keep(word, self.make(word))

    def many(self, words: list[str], make: Callable[[list[str]], list[T]]) -> list[T]:
        """Return the results of several words; those of all new words are made by one call of the given function.

        >>> WordCache(len).many(["hug", "pugs", "hug"], lambda new: [len(word) for word in new])
        [3, 4, 3]
        """
        new = list(dict.fromkeys([word for word in words if word not in self]))
        if not new:
            return list(map(self.__getitem__, words))
        made = dict(zip(new, make(new), strict=True))
        results = [made[word] if word in made else self[word] for word in words]
        for word, result in made.items():
            self._keep(word, result)
        return results

    def _keep(self, word: str, result: T) -> T:
        if len(word) <= self.MAX_WORD_LENGTH and self.MAX_WORDS:
            if len(self) >= self.MAX_WORDS:
                self.clear()
            self[word] = result
        return result
