"""Replacing characters by a table: the longest key that stands at a place wins, from left to right.

Adds: `CharMap`, the rule of sentencepiece's normalizer. What a replacement gives is not looked at again.
Leaves out: where the table comes from (`tokenlab.sentencepiece` reads it out of a model file), and white space.

>>> str(next(CharMap({"ﬁ": "fi"})("ﬁsh")))
'ﬁ became f i, at 0'
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from tokenlab.algorithms.align import Aligned, Change, rewrite

# Six of the 225,276 entries of nmt_nfkc, the table that sentencepiece uses unless told otherwise.
EXCERPT = {"ﬁ": "fi", "…": "...", "①": "1", "e\u0301": "é", "\u3000": " ", "\u200b": " "}


class CharMap(Mapping[str, str]):
    """A table from strings to strings, and the rule that applies it to a text.

    >>> replace = CharMap({"a": "1", "ab": "2", "b": ""})
    >>> replace.replaced("aabb")
    '12'
    """

    def __init__(self, replacements: Mapping[str, str], name: str = "char map") -> None:
        """Take the table, and a name for those who watch.

        Raises:
            TypeError: a key or a value is not a str.
            ValueError: a key is empty.
        """
        for key, value in replacements.items():
            if not (isinstance(key, str) and isinstance(value, str)):
                raise TypeError(f"replacements maps {key!r} to {value!r}; both should be str")
            if not key:
                raise ValueError("replacements has an empty key, which would stand everywhere; leave it out")
        self._replacements = dict(replacements)
        self.__name__ = name

    def __call__(self, text: str) -> Iterator[Change]:
        """The changes, from left to right; a key that is replaced by itself takes its place and is no change."""
        for start, key in self.keys_in(text):
            if key != self._replacements[key]:
                yield Change(start, key, self._replacements[key])

    def keys_in(self, text: str) -> Iterator[tuple[int, str]]:
        """The keys that the rule finds, each with its place.

        >>> list(CharMap({"a": "1", "ab": "2"}).keys_in("xaba"))
        [(1, 'ab'), (3, 'a')]
        """
        place = 0
        while place < len(text):
            for length in self._lengths.get(text[place], ()):
                key = text[place : place + length]
                if key in self._replacements:
                    yield place, key
                    place += len(key)
                    break
            else:
                place += 1

    def replaced(self, text: str) -> str:
        """The text after all replacements."""
        return rewrite(text, self(text))

    def aligned(self, text: str) -> Aligned:
        """The text after all replacements, with the span of the original behind each character.

        >>> CharMap({"…": "..."}).aligned("a…").spans
        ((0, 1), (1, 2), (1, 2), (1, 2))
        """
        return Aligned.start(text).changed(self(text))

    @cached_property
    def _lengths(self) -> dict[str, tuple[int, ...]]:
        """How long the keys are that start with a character, longest first."""
        lengths: dict[str, set[int]] = {}
        for key in self._replacements:
            lengths.setdefault(key[0], set()).add(len(key))
        return {first: tuple(sorted(found, reverse=True)) for first, found in lengths.items()}

    def __getitem__(self, key: str) -> str:
        """What a key is replaced by."""
        return self._replacements[key]

    def __iter__(self) -> Iterator[str]:
        """The keys."""
        return iter(self._replacements)

    def __len__(self) -> int:
        """How many keys there are."""
        return len(self._replacements)

    def __repr__(self) -> str:
        """Say what it is."""
        return f"<CharMap {self.__name__}: {len(self)} keys>"
