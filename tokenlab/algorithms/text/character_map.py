"""Replacing characters by a table: at each position from left to right, the longest matching key is replaced.

Adds: `CharMap`, the rule of sentencepiece's normalizer. The output of a replacement is not replaced again.
Leaves out: the source of the table (`tokenlab.libraries.sentencepiece` reads it from a model file), and whitespace.

>>> str(next(CharMap({"ﬁ": "fi"})("ﬁsh")))
'ﬁ became f i, at 0'
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from tokenlab.algorithms.text.alignment import AlignedText, Replacement, apply_replacements

# Six of the 225,276 entries of nmt_nfkc, sentencepiece's default table.
EXCERPT = {"ﬁ": "fi", "…": "...", "①": "1", "e\u0301": "é", "\u3000": " ", "\u200b": " "}


class CharMap(Mapping[str, str]):
    """A table from strings to strings, and the rule that applies it to a text.

    >>> replace = CharMap({"a": "1", "ab": "2", "b": ""})
    >>> replace.replaced("aabb")
    '12'
    """

    def __init__(self, replacements: Mapping[str, str], name: str = "char map") -> None:
        """Check and copy the table; `name` is shown in recordings.

        Raises:
            TypeError: a key or a value is not a str.
            ValueError: a key is empty.
        """
        for key, value in replacements.items():
            if not (isinstance(key, str) and isinstance(value, str)):
                raise TypeError(f"replacements maps {key!r} to {value!r}; both should be str")
            if not key:
                raise ValueError("replacements has an empty key, which would match everywhere; leave it out")
        self._replacements = dict(replacements)
        self.__name__ = name

    def __call__(self, text: str) -> Iterator[Replacement]:
        """Yield the replacements, from left to right; a key that is mapped to itself matches but yields nothing."""
        for start, key in self.keys_in(text):
            if key != self._replacements[key]:
                yield Replacement(start, key, self._replacements[key])

    def keys_in(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield the matching keys, each with its position.

        >>> list(CharMap({"a": "1", "ab": "2"}).keys_in("xaba"))
        [(1, 'ab'), (3, 'a')]
        """
        position = 0
        while position < len(text):
            for length in self._lengths.get(text[position], ()):
                key = text[position : position + length]
                if key in self._replacements:
                    yield position, key
                    position += len(key)
                    break
            else:
                position += 1

    def replaced(self, text: str) -> str:
        """Return the text after all replacements."""
        return apply_replacements(text, self(text))

    def aligned(self, text: str) -> AlignedText:
        """Return the text after all replacements, aligned with the original.

        >>> CharMap({"…": "..."}).aligned("a…").spans
        ((0, 1), (1, 2), (1, 2), (1, 2))
        """
        return AlignedText.identity(text).apply(self(text))

    @cached_property
    def _lengths(self) -> dict[str, tuple[int, ...]]:
        """The lengths of the keys that start with each character, longest first."""
        lengths: dict[str, set[int]] = {}
        for key in self._replacements:
            lengths.setdefault(key[0], set()).add(len(key))
        return {first: tuple(sorted(found, reverse=True)) for first, found in lengths.items()}

    def __getitem__(self, key: str) -> str:
        return self._replacements[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._replacements)

    def __len__(self) -> int:
        return len(self._replacements)

    def __repr__(self) -> str:
        return f"<CharMap {self.__name__}: {len(self)} keys>"
