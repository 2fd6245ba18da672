"""A plain, fast method with its steps beside it: what a library's own hot method looks like in this kit.

Adds: to `@stepwise`, a second body. Calling runs the plain one; `.steps`, `.record` and `.progress` run the generator.
That both give the same is not promised by anything here: each such pair has a property test.

>>> class Counter:
...     def _stop_at_each(self, text: str) -> Generator[str, None, int]:
...         yield from text
...         return len(text)
...     @watchable(_stop_at_each)
...     def count(self, text: str) -> int:
...         return len(text)
>>> Counter().count("abc"), list(Counter().count.steps("abc"))
(3, ['a', 'b', 'c'])
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Generator
from types import MethodType
from typing import Any, Concatenate, ParamSpec, TypeVar, overload

from tokenlab.steps import Stepwise

P = ParamSpec("P")
Q = ParamSpec("Q")
T = TypeVar("T")
S = TypeVar("S")  # a step
R = TypeVar("R")  # the result


class Watchable(Stepwise[P, S, R]):
    """A plain function, and a generator function that computes the same in steps."""

    def __init__(self, plain: Callable[P, R], function: Callable[P, Generator[S, None, R]]) -> None:
        super().__init__(function)
        functools.update_wrapper(self, plain)
        self.plain = plain

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """The result, from the plain function."""
        return self.plain(*args, **kwargs)

    @property
    def __signature__(self) -> inspect.Signature:
        """The signature that `help` shows: the plain function's own."""
        return inspect.signature(self.plain)

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Watchable[P, S, R]: ...
    @overload
    def __get__(
        self: Watchable[Concatenate[T, Q], S, R], instance: T, owner: type | None = None
    ) -> Watchable[Q, S, R]: ...
    def __get__(self, instance: Any, owner: type | None = None) -> Watchable[Any, S, R]:
        """The method of an instance; made once and kept there, since binding costs as much as a short call."""
        if instance is None:
            return self
        bound = Watchable(MethodType(self.plain, instance), MethodType(self.function, instance))
        # subtle: super().encode must not hide the encode of a subclass.
        if getattr(type(instance), self.__name__, None) is self:
            instance.__dict__[self.__name__] = bound
        return bound


def watchable(function: Callable[P, Generator[S, None, R]]) -> Callable[[Callable[P, R]], Watchable[P, S, R]]:
    """Put the steps of a generator function beside the plain function that is decorated."""
    return lambda plain: Watchable(plain, function)
