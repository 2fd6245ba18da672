"""Fields are checked by their annotations: every kind of annotation, with a value that fits and one that does not."""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, make_dataclass
from enum import IntEnum
from typing import Annotated, Any, Generic, Literal, NamedTuple, NewType, Optional, TypeAlias, TypeVar, Union

import pytest

import tokenlab
from tokenlab import step
from tokenlab.steps import field_types
from tokenlab.steps import serialization as plain

T = TypeVar("T")
N = TypeVar("N", int, str)
B = TypeVar("B", bound=int)
Id = NewType("Id", int)
Symbol: TypeAlias = "str | bytes"


class Point(NamedTuple):
    x: int
    name: str


class Level(IntEnum):
    LOW = 1


class Foreign:
    """No part of a recording: JSON has its `repr`."""


@dataclass
class Inner:
    count: int


@dataclass
class Box(Generic[T]):
    content: T
    more: tuple[T, ...] = ()


INF = float("inf")
CASES: list[tuple[Any, list[Any], list[Any]]] = [
    (int, [0, -1, 10**30, True], [1.0, "1", None, b"1", [1], (1,)]),
    (bool, [True], [1, 0, "True", None]),
    (float, [1.5, 1, INF, float("nan")], ["1.5", True, None]),
    (str, ["", "a"], [b"a", 1, None, ["a"]]),
    (bytes, [b""], ["", [1]]),
    (None, [None], [0, ""]),
    (Any, [0, "a", None], []),
    (object, [0, "a", None], []),
    (int | None, [1, None], ["1", 1.5]),
    (Optional[str], ["a", None], [1]),  # noqa: UP045
    (Union[int, str, None], [1, "a", None], [1.5, b""]),  # noqa: UP007
    (Literal["a", 1, None], ["a", 1, None], ["b", True, 1.0, 2]),
    (tuple[int, ...], [(), (1, 2)], [[1], (1, "a"), ("<b>",), 1]),
    (tuple[int, str], [(1, "a")], [(1,), (1, "a", 2), ("a", 1), [1, "a"]]),
    (tuple[()], [()], [(1,)]),
    (tuple, [(), ("a",)], [[]]),
    (list[str], [[], ["a"]], [("a",), [1], "a"]),
    (list, [[1]], [(1,)]),
    (set[int], [{1}, set()], [{"a"}, [1], frozenset()]),
    (frozenset[str], [frozenset("a")], [frozenset([1]), {"a"}]),
    (dict[str, int], [{}, {"a": 1}], [{1: 1}, {"a": "b"}, [("a", 1)]]),
    (Mapping[str, float], [{"a": 1.5}], [{"a": "b"}, "a"]),
    (Counter[str], [{"a": 1}], [{"a": "b"}, {1: 1}]),
    (Sequence[int], [[1], (1,), b"a"], ["a", {"a"}, 1]),
    (Sequence[str], [["a"], "ab"], [[1], 1, b"a"]),
    (Iterable[int], [[1], {1}], [["a"], 1]),
    (Sequence, [[1], "a"], [1]),
    (Callable[[int], str], ["module.function"], [1, None]),
    (type[int], ["builtins.int"], [1]),
    (Foreign, ["<Foreign object>"], [1, (1,)]),
    (Level, [1], ["1"]),
    (Point, [(1, "a")], [("a", 1), (1,)]),
    (Inner, [Inner(1)], [1, "Inner", Box(1)]),
    (list[Inner], [[Inner(1)]], [[1], [Inner("<b>")]]),  # type: ignore[arg-type]
    (dict[str, Inner], [{"a": Inner(1)}], [{"a": Inner("<b>")}]),  # type: ignore[arg-type]
    (Box[int], [Box(1), Box(1, (2,))], [Box("a"), Box(1, ("a",)), 1]),
    (Box[tuple[str, ...]], [Box(("a",))], [Box((1,)), Box("a")]),
    (Box, [Box("a"), Box(1)], [1]),
    (Id, [1], ["1"]),
    (T, [1, "a", None], []),
    (N, [1, "a"], [1.5, None]),
    (B, [1], ["a"]),
    (Annotated[int, "more"], [1], ["a"]),
    ("Symbol", ["a", b"a"], [1, None]),
    (tuple["Symbol", ...], [("a", b"a")], [(1,)]),
]


@pytest.mark.parametrize(("annotation", "fitting", "wrong"), CASES, ids=lambda case: str(case)[:30])
def test_a_field_holds_what_its_annotation_says(annotation: Any, fitting: list[Any], wrong: list[Any]) -> None:
    cls = make_dataclass("Made", [("content", annotation)])
    cls.__module__ = __name__
    for value in fitting:
        field_types.check(cls(value))
        field_types.check({"deep": [(cls(value),)]})
    for value in wrong:
        for whole in (cls(value), [{"deep": (cls(value),)}]):
            with pytest.raises(ValueError, match=r"in (Made|Inner): expected "):
                field_types.check(whole)


def test_every_step_of_the_package_can_be_checked() -> None:
    for module in pkgutil.walk_packages(tokenlab.__path__, "tokenlab."):
        importlib.import_module(module.name)
    for name, cls in plain._registered.items():
        if name.startswith("tokenlab."):
            assert field_types._field_tests(cls), name


def test_annotations_that_cannot_be_resolved_say_nothing() -> None:
    @step
    class Local:
        content: Nowhere  # type: ignore[name-defined]  # noqa: F821

    field_types.check(Local(1))
