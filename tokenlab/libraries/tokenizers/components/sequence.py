"""The common parts of the components named `Sequence`: items, and how they are checked, replaced, saved and loaded.

Adds: `Items`; `ReplaceableItems`, whose items are read and replaced by their index; `members`, the items one by one.
Leaves out: what a Sequence does with its items (`normalizers.Sequence`, `decoders.Sequence`, ...).

Source: tokenizers 0.23.3, bindings/python/src/{normalizers,pre_tokenizers,processors,decoders}.rs.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any, ClassVar, Generic, NoReturn, Self, TypeVar

from tokenlab.libraries.tokenizers.components.arguments import check_list, check_unsigned, read_field
from tokenlab.libraries.tokenizers.components.component import Component, snapshot

C = TypeVar("C", bound=Component)


class Items(Component, Generic[C]):
    """Components of one kind in a fixed order."""

    _kind: ClassVar[type[Component]]  # the base class of the items
    _field: ClassVar[str]  # the name of the list in tokenizer.json
    _items: list[C]

    @classmethod
    def _checked(cls, items: Any) -> list[C]:
        """Return a list of items; otherwise raise a TypeError."""
        return [cls._check_item(item) for item in check_list(cls._field, items)]

    @classmethod
    def _check_item(cls, item: Any) -> C:
        if not isinstance(item, cls._kind):
            kind = cls._kind.__name__
            custom = f"; for your own, use {kind}.custom(object)" if hasattr(cls._kind, "custom") else ""
            raise TypeError(f"{item!r:.60} should be a {kind}, not {type(item).__name__}{custom}")
        return item  # type: ignore[return-value]

    def to_json(self) -> dict[str, Any]:
        """Return the fields of tokenizer.json."""
        return {"type": self._type, self._field: [item.to_json() for item in self._items]}

    def _shown(self) -> dict[str, Any]:
        return {"type": self._type, self._field: [item._shown() for item in self._items]}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """Return the Sequence with these fields of tokenizer.json; a Sequence in it stays an item."""
        load = import_module(cls._kind.__module__.rpartition(".")[0]).from_json  # it imports Sequence
        sequence = object.__new__(cls)
        sequence._items = [load(item) for item in read_field(fields, cls._field, check_list)]
        return sequence


def members(component: Component | None) -> Iterator[Any]:
    """Yield the component; of a Sequence, its items and theirs, unless it is of a class of the user."""
    if isinstance(component, Items) and component._is_ours():
        for item in component._items:
            yield from members(item)
    elif component is not None:
        yield component


class ReplaceableItems(Items[C]):
    """Items that are read and replaced by their index. The Sequence and the objects given to it are connected."""

    @classmethod
    def _flattened(cls, items: Any) -> list[C]:
        """Return a list of items; the items of a Sequence among them are added one by one."""
        return [part for item in cls._checked(items) for part in (item._items if isinstance(item, cls) else [item])]

    def __getitem__(self, index: int) -> C:
        """Return the item at an index; a change of its attributes changes the Sequence."""
        return self._items[self._place(index)]

    def __setitem__(self, index: int, value: C) -> None:
        """Replace the item at an index by a copy of another; a Sequence, or another kind, is refused."""
        if isinstance(self._check_item(value), type(self)):
            raise ValueError("the new item should not be a Sequence; make a new Sequence of all items")
        place = self._place(index)
        self._items = [*self._items[:place], snapshot(value), *self._items[place + 1 :]]

    def __delitem__(self, index: int) -> NoReturn:
        """Refuse: an item is replaced, never removed."""
        raise NotImplementedError("can't delete item: make a new Sequence without it")

    def _place(self, index: Any) -> int:
        """Return an index that is there; otherwise raise a TypeError, an OverflowError (negative) or an IndexError."""
        place = check_unsigned("index", index)
        if place >= len(self._items):
            raise IndexError(f"Index not found: {place}; the Sequence has {len(self._items)} items")
        return place
