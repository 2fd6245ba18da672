"""Check that the fields of dataclasses have the types of their annotations, for recordings loaded from a file.

Adds: `check`, for a value that may contain registered dataclasses at any depth.
Leaves out: types that never occur in a recording. A recording stores a function, a tensor, or any other value without
a JSON representation as a str (`tokenlab.steps.serialization`), so a str is expected for such an annotation.

>>> from dataclasses import dataclass
>>> @dataclass
... class Counted:
...     tokens: tuple[str, ...]
...     count: int | None = None
>>> check(Counted(("a", "b"), 2))
>>> check([Counted(("a", 1))])
Traceback (most recent call last):
ValueError: tokens=('a', 1) in Counted: expected tuple[str, ...]
"""

from __future__ import annotations

import types
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Reversible, Sequence, Set
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

Test: TypeAlias = Callable[[Any], bool]
Variables: TypeAlias = "tuple[tuple[Any, Any], ...]"  # each type variable and its substitution

LONGEST = 80  # characters of a wrong value, in the message


def check(value: Any) -> None:
    """Check the fields of every dataclass in a value of dataclasses, tuples, lists, sets and mappings.

    Raises:
        ValueError: a field does not have the type of its annotation.
    """
    match value:
        case None | bool() | int() | float() | str() | bytes() | range():
            return
        case Mapping():
            for key, item in value.items():
                check(key)
                check(item)
        case Sequence() | Set():
            for item in value:
                check(item)
        case _ if is_dataclass(value):
            cls: Any = type(value)
            for name, holds, annotation in _field_tests(cls):
                content = getattr(value, name)
                if not holds(content):
                    shown = repr(content)
                    shown = shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…"
                    raise ValueError(f"{name}={shown} in {cls.__qualname__}: expected {_spelled(annotation)}")
                check(content)


def _spelled(annotation: Any) -> str:
    return annotation.__qualname__ if isinstance(annotation, type) else str(annotation).replace("typing.", "")


@cache
def _field_tests(cls: type[Any], variables: Variables = ()) -> tuple[tuple[str, Test, Any], ...]:
    try:
        hints = get_type_hints(cls, include_extras=True)
    except NameError:  # only a type checker can resolve these annotations, so the fields are not checked
        return ()
    return tuple((f.name, _test(hints[f.name], variables), hints[f.name]) for f in fields(cls))


_ATOMS = (int, bool, str, bytes, type(None))  # a bool is an int, as for a type checker
_ITERABLES = (Sequence, Collection, Iterable, Container, Reversible, Set)


def _test(annotation: Any, variables: Variables = ()) -> Test:
    """Return the test for an annotation, with optional substitutions for type variables."""
    if annotation is None:
        annotation = type(None)
    if annotation in (Any, object, Ellipsis):
        return lambda value: True
    if annotation is float:  # NaN and infinities are floats
        return lambda value: isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool))
    if annotation in _ATOMS:
        return lambda value: isinstance(value, annotation)
    if isinstance(annotation, TypeVar):
        return _variable(annotation, variables)
    if hasattr(annotation, "__supertype__"):  # a NewType
        return _test(annotation.__supertype__, variables)
    return _generic(annotation, get_origin(annotation), get_args(annotation), variables)


def _generic(annotation: Any, origin: Any, inner: tuple[Any, ...], variables: Variables) -> Test:
    if origin is Annotated:
        return _test(inner[0], variables)
    if origin is Literal:
        return lambda value: any(type(value) is type(one) and value == one for one in inner)
    if origin in (Union, types.UnionType):
        tests = [_test(one, variables) for one in inner]
        return lambda value: any(holds(value) for holds in tests)
    cls = origin or annotation
    if not isinstance(cls, type):
        return lambda value: isinstance(value, str)
    if cls is tuple or issubclass(cls, tuple):
        return _tuple(cls, inner if origin else (Any, Ellipsis), variables)
    if is_dataclass(cls):
        return _dataclass(cls, inner, variables)
    if issubclass(cls, Mapping):
        return _mapping(inner, variables)
    for kind in (list, set, frozenset):
        if issubclass(cls, kind):
            return _items((kind,), inner, variables)
    if cls in _ITERABLES:
        return _items((list, tuple, set, frozenset, dict, str, bytes), inner, variables)
    for base in (int, float, bytes):  # an IntEnum, among others
        if issubclass(cls, base):
            return _test(base)
    return lambda value: isinstance(value, str)


def _variable(variable: Any, variables: Variables) -> Test:
    given = dict(variables)
    if variable in given:
        return _test(given[variable])
    if variable.__constraints__:
        return _test(Union[variable.__constraints__])  # noqa: UP007
    return _test(Any if variable.__bound__ is None else variable.__bound__)


def _tuple(cls: type[Any], inner: tuple[Any, ...], variables: Variables) -> Test:
    if hasattr(cls, "_fields"):  # a named tuple, which is stored as a tuple
        hints = get_type_hints(cls)
        inner = tuple(hints[name] for name in cls._fields)
    elif len(inner) == 2 and inner[1] is Ellipsis:
        return _items((tuple,), inner[:1], variables)
    tests = [_test(one, variables) for one in inner]
    return lambda value: (
        isinstance(value, tuple)
        and len(value) == len(tests)
        and all(holds(item) for holds, item in zip(tests, value, strict=True))
    )


def _items(kinds: tuple[type[Any], ...], inner: tuple[Any, ...], variables: Variables) -> Test:
    holds = _test(inner[0] if inner else Any, variables)
    return lambda value: isinstance(value, kinds) and all(map(holds, value))


def _mapping(inner: tuple[Any, ...], variables: Variables) -> Test:
    is_key = _test(inner[0] if inner else Any, variables)
    is_item = _test(inner[1] if len(inner) > 1 else int if inner else Any, variables)  # a Counter has only a key type
    return lambda value: isinstance(value, dict) and all(map(is_key, value)) and all(map(is_item, value.values()))


def _dataclass(cls: type[Any], inner: tuple[Any, ...], variables: Variables) -> Test:
    if not inner:
        return lambda value: isinstance(value, cls)  # `check` recurses into it
    given = dict(variables)
    inside = tuple((variable, given.get(one, one)) for variable, one in zip(_parameters(cls), inner, strict=False))

    def holds(value: Any) -> bool:
        kind: Any = type(value)
        return issubclass(kind, cls) and all(fits(getattr(value, name)) for name, fits, _ in _field_tests(kind, inside))

    return holds


def _parameters(cls: Any) -> tuple[Any, ...]:
    return getattr(cls, "__parameters__", ())
