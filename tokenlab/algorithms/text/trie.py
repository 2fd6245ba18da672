"""A trie (prefix tree) of str or bytes keys: finds all keys that are prefixes of a text in one walk.

Adds: looking up every prefix of a text at once, in time that depends on the longest key, not on the number of keys.
Leaves out: saving memory (sentencepiece stores its trie in two arrays).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, AnyStr, Generic, TypeAlias, TypeVar

from tokenlab.printing.printable import Symbol

V = TypeVar("V")
Node: TypeAlias = list[Any]  # the child nodes by character, and the value of the key that ends here, or None


class Trie(Generic[V]):
    """A map from keys to values that finds the keys which occur at a position of a text.

    >>> trie = Trie({"h": 1, "hug": 2, "hugs": 3})
    >>> list(trie.prefixes_of("a hug", start=2))
    [(3, 1), (5, 2)]
    """

    def __init__(self, items: Mapping[AnyStr, V] | Iterable[tuple[AnyStr, V]] = ()) -> None:
        self.root: Node = [{}, None]
        for key, value in items.items() if isinstance(items, Mapping) else items:
            self.add(key, value)

    def add(self, key: Symbol, value: V) -> None:
        """Add a key, or replace its value.

        Raises:
            ValueError: the key is empty (it would match everywhere), or the value is None (which marks "no key").
        """
        if not key or value is None:
            raise ValueError(f"key={key!r}, value={value!r}: a key has one character at least, and a value is not None")
        node = self.root
        for character in key:
            node = node[0].setdefault(character, [{}, None])
        node[1] = value

    def accepts(self, text: Symbol) -> bool:
        """Whether the keys are of the text's type: all str, or all bytes.

        >>> Trie({b"a": 1}).accepts("a")
        False
        """
        # Iterating over bytes yields integers.
        return all(isinstance(first, int) is isinstance(text, bytes) for first in islice(self.root[0], 1))

    def prefixes_of(self, text: Symbol, start: int = 0) -> Iterator[tuple[int, V]]:
        """Yield, for each key that occurs at `start`, its end and its value, shortest key first."""
        node = self.root
        for end in range(start + 1, len(text) + 1):
            node = node[0].get(text[end - 1])
            if node is None:
                return
            if node[1] is not None:
                yield end, node[1]
