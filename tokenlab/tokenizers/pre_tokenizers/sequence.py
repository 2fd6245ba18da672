"""Several pre-tokenizers, one after the other.

Adds: `Sequence`.
Leaves out: each of them (the other modules of this package).

Source: tokenizers 0.23.3, tokenizers/src/pre_tokenizers/sequence.rs and bindings/python/src/pre_tokenizers.rs.

>>> from tokenlab.tokenizers.pre_tokenizers import Digits, Whitespace
>>> pre_tokenizer = Sequence([Whitespace(), Digits(individual_digits=True)])
>>> [part for part, _ in pre_tokenizer.pre_tokenize_str("call 12b!")]
['call', '1', '2', 'b', '!']
"""

from __future__ import annotations

from typing import Any, Self

from tokenlab.tokenizers.arguments import check_unsigned
from tokenlab.tokenizers.pre_tokenized_string import PreTokenizedString
from tokenlab.tokenizers.pre_tokenizers.pre_tokenizer import PreTokenizer, read_field


class Sequence(PreTokenizer):
    """Each pre-tokenizer splits the pre-tokens of the one before it.

    The sequence and the given objects are connected: a change of an attribute is a change of both.
    """

    def __init__(self, pre_tokenizers: list[PreTokenizer]) -> None:
        """Take a list; a Sequence in it is replaced by its pre-tokenizers.

        Raises:
            TypeError: it is not a list, or an item is no pre-tokenizer.
        """
        if not isinstance(pre_tokenizers, list):
            raise TypeError(f"pre_tokenizers={pre_tokenizers!r:.60} should be a list")
        for one in pre_tokenizers:
            _check_pre_tokenizer("an item of pre_tokenizers", one)
        self._items: list[PreTokenizer] = [
            item for one in pre_tokenizers for item in (one._items if isinstance(one, Sequence) else [one])
        ]

    def __getitem__(self, index: int) -> PreTokenizer:
        """Return the pre-tokenizer at an index.

        Raises:
            TypeError: the index is not an integer.
            OverflowError: it is negative.
            IndexError: it is too large.
        """
        return self._items[self._check_index(index)]

    def __setitem__(self, index: int, value: PreTokenizer) -> None:
        """Replace the pre-tokenizer at an index by a copy of another, which must not be a Sequence.

        Raises:
            TypeError: the index is not an integer, or the value is no pre-tokenizer.
            ValueError: the value is a Sequence.
            OverflowError: the index is negative.
            IndexError: it is too large.
        """
        place = self._check_index(index)
        if isinstance(_check_pre_tokenizer("value", value), Sequence):
            raise ValueError("value should not be a Sequence; create a new Sequence of all pre-tokenizers instead")
        copy = object.__new__(type(value))
        vars(copy).update(vars(value))
        self._items = [*self._items[:place], copy, *self._items[place + 1 :]]

    def _check_index(self, index: Any) -> int:
        place = check_unsigned("index", index)
        if place >= len(self._items):
            raise IndexError(f"index={place} is too large; the sequence has {len(self._items)} pre-tokenizers")
        return place

    def _pre_tokenize(self, pretok: PreTokenizedString) -> None:
        for item in self._items:
            item.pre_tokenize(pretok)

    def _texts(self, text: str, at_start: bool) -> list[str]:
        if any(item._depends_on_start for item in self._items[1:]):
            return self.split_aligned(text, at_start)
        parts = [text]
        for item in self._items:
            parts = item._texts_of_parts(parts, at_start)
        return parts

    @property
    def needs_alignment(self) -> bool:
        """Whether one of the items may add tokens itself."""
        return any(item.needs_alignment for item in self._items)

    @property
    def _depends_on_start(self) -> bool:
        return any(item._depends_on_start for item in self._items)

    def to_json(self) -> dict[str, Any]:
        """Return the fields of tokenizer.json.

        Raises:
            ValueError: an item is a custom pre-tokenizer.
        """
        return {"type": "Sequence", "pretokenizers": [item.to_json() for item in self._items]}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """Return the pre-tokenizer with these fields of tokenizer.json.

        Raises:
            ValueError: a field is missing or wrong, or an item is not known; the message names it.
        """
        from tokenlab.tokenizers.pre_tokenizers.registry import from_json

        items = read_field(fields, "pretokenizers", _check_list)
        new = cls([])
        new._items = [from_json(item) for item in items]
        return new


def _check_list(name: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{name}={value!r:.60} should be a list")
    return value


def _check_pre_tokenizer(name: str, value: Any) -> PreTokenizer:
    if not isinstance(value, PreTokenizer):
        raise TypeError(f"{name} is {value!r:.60}, no pre-tokenizer; for your own, use PreTokenizer.custom(object)")
    return value
