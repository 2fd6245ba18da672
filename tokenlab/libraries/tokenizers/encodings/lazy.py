"""A value that is computed when it is first read, from other such values.

>>> length = Lazy(lambda: len("lazy"))
>>> Lazy(lambda number: number + 1, length).read()
5
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Lazy(Generic[T]):
    """A function and its lazy arguments, or its result once it has been read.

    Arguments are evaluated by a loop, so a chain of any length can be read; an exception is raised again at each read.
    """

    __slots__ = ("_plan", "_value")
    _value: T

    def __init__(self, function: Callable[..., T], *arguments: Lazy[Any]) -> None:
        self._plan: tuple[Callable[..., T], tuple[Lazy[Any], ...]] | None = (function, arguments)

    @classmethod
    def known(cls, value: T) -> Lazy[T]:
        """Return a value that needs no computation.

        >>> Lazy.known(3).read()
        3
        """
        made = cls.__new__(cls)
        made._value, made._plan = value, None
        return made

    def read(self) -> T:
        """Return the value; compute it, and those that it depends on, the first time."""
        waiting: list[Lazy[Any]] = [self] if self._plan else []
        while waiting:
            node = waiting[-1]
            plan = node._plan
            if plan is None:
                waiting.pop()
                continue
            function, arguments = plan
            missing = [argument for argument in arguments if argument._plan]
            if missing:
                waiting += missing
            else:
                node._value = function(*[argument._value for argument in arguments])
                node._plan = None  # subtle: after the value is set, as another thread may read at the same time
        return self._value
