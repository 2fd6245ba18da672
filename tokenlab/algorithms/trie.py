"""A trie: keys kept letter by letter, so that all of them that a text starts with are found in one walk.

Adds: looking up every prefix of a text at once, in time that depends on the longest key and not on their number.
Leaves out: anything that would save memory (sentencepiece packs its trie into two arrays).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Generic, TypeAlias, TypeVar

V = TypeVar("V")
Node: TypeAlias = dict[str, Any]  # a letter leads to the next node, and VALUE to what a key that ends here stands for

VALUE = ""  # subtle: no letter is the empty string


class Trie(Generic[V]):
    """Keys and their values, to be asked which of the keys a text goes on with.

    >>> trie = Trie({"h": 1, "hug": 2, "hugs": 3})
    >>> list(trie.prefixes_of("a hug", start=2))
    [(3, 1), (5, 2)]
    """

    def __init__(self, items: Mapping[str, V] | Iterable[tuple[str, V]] = ()) -> None:
        self.root: Node = {}
        self.longest = 0
        for key, value in items.items() if isinstance(items, Mapping) else items:
            self.add(key, value)

    def add(self, key: str, value: V) -> None:
        """Put in a key, or give a key that is there another value.

        Raises:
            ValueError: the key is empty; it would be found everywhere.
        """
        if not key:
            raise ValueError("key='' is empty; a key of a trie has one character at least")
        node = self.root
        for character in key:
            node = node.setdefault(character, {})
        node[VALUE] = value
        self.longest = max(self.longest, len(key))

    def prefixes_of(self, text: str, start: int = 0) -> Iterator[tuple[int, V]]:
        """Each key that the text has at `start`, shortest first: where it ends, and its value."""
        node = self.root
        for end in range(start + 1, len(text) + 1):
            following = node.get(text[end - 1])
            if following is None:
                return
            node = following
            if VALUE in node:
                yield end, node[VALUE]
