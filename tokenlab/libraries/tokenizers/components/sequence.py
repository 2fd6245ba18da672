"""Components that contain others: the items of a Sequence, and copies of components with all that is in them.

Adds: `Items`, and `ReplaceableItems`, which are read and replaced by their index; `members`, the items one by one;
`snapshot`, a copy that later changes of the component do not reach.
Leaves out: what a Sequence does with its items (`normalizers.Sequence`, `decoders.Sequence`, ...).

A component replaces its lists and dictionaries when it changes, and never changes one in place; so a copy can share
them. A 50,000-word model is copied in microseconds.

Source: tokenizers 0.23.3, bindings/python/src/{normalizers,pre_tokenizers,processors,decoders}.rs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any, ClassVar, Generic, NoReturn, Self, TypeVar, cast

from tokenlab.libraries.tokenizers.components.arguments import check_list, check_unsigned, read_field
from tokenlab.libraries.tokenizers.components.component import Component
from tokenlab.libraries.tokenizers.models.model import Model

T = TypeVar("T")


def snapshot(value: T) -> T:
    """Return a copy of a component and of the components in it; return any other value unchanged.

    >>> from tokenlab.libraries.tokenizers.models import WordLevel
    >>> model = WordLevel({"a": 0}, unk_token="a"); copy = snapshot(model)
    >>> model.unk_token = "b"; copy.unk_token
    'a'
    """
    if isinstance(value, Component):
        copy = object.__new__(type(value))
        vars(copy).update({name: snapshot(part) for name, part in vars(value).items()})
        if isinstance(copy, Model):
            copy._clear_cache()  # the caches of the original call the original
        return copy
    if _holds_components(value):
        copies: Any = type(value)
        return copies(map(snapshot, cast("Iterable[Any]", value)))  # type: ignore[no-any-return]
    return value


def is_unchanged(component: Any, copy: Any) -> bool:
    """Whether no attribute of the component was assigned since the copy was made."""
    if isinstance(component, Component):
        if type(component) is not type(copy):
            return False
        then = vars(copy)
        # An attribute that only one of them has is a cached result.
        return all(
            is_unchanged(part, then[name])
            for name, part in vars(component).items()
            if name in then and not (isinstance(component, Model) and name in component._caches)
        )
    if _holds_components(component):
        return type(component) is type(copy) and len(component) == len(copy) and all(map(is_unchanged, component, copy))
    return component is copy


def components_in(value: Any) -> Iterator[Component]:
    """Yield a component, and those in it, such as the members of a Sequence."""
    if isinstance(value, Component):
        yield value
        for part in vars(value).values():
            yield from components_in(part)
    elif _holds_components(value):
        for part in value:
            yield from components_in(part)


def _holds_components(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and isinstance(value[0], Component)


def is_custom(value: Any) -> bool:
    """Whether a component runs code of the user: a Python object, or a subclass of a component."""
    return not all(part._is_ours() for part in components_in(value))


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
