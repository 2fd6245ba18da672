"""A trie: keys kept letter by letter, so that all of them that a text starts with are found in one walk.

Adds: looking up every prefix of a text at once, in time that depends on the longest key and not on their number.
Leaves out: anything that would save memory (sentencepiece packs its trie into two arrays).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Generic, TypeAlias, TypeVar

V = TypeVar("V")
Node: TypeAlias = list[Any]  # the nodes behind it, by letter; and the value of the key that ends here, or None


class Trie(Generic[V]):
    """Keys and their values, to be asked which of the keys a text goes on with.

    >>> trie = Trie({"h": 1, "hug": 2, "hugs": 3})
    >>> list(trie.prefixes_of("a hug", start=2))
    [(3, 1), (5, 2)]
    """

    def __init__(self, items: Mapping[str, V] | Iterable[tuple[str, V]] = ()) -> None:
        self.root: Node = [{}, None]
        for key, value in items.items() if isinstance(items, Mapping) else items:
            self.add(key, value)

    def add(self, key: str, value: V) -> None:
        """Put in a key, or give a key that is there another value.

        Raises:
            ValueError: the key is empty; it would be found everywhere. Or the value is None, which stands for no key.
        """
        if not key or value is None:
            raise ValueError(f"key={key!r}, value={value!r}: a key has one character at least, and a value is not None")
        node = self.root
        for character in key:
            node = node[0].setdefault(character, [{}, None])
        node[1] = value

    def prefixes_of(self, text: str, start: int = 0) -> Iterator[tuple[int, V]]:
        """Each key that the text has at `start`, shortest first: where it ends, and its value."""
        node = self.root
        for end in range(start + 1, len(text) + 1):
            node = node[0].get(text[end - 1])
            if node is None:
                return
            if node[1] is not None:
                yield end, node[1]
