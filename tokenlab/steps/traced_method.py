"""A fast method with a separate generator for its steps, for performance-critical methods of a library.

Adds, compared with `@stepwise`: a second implementation. A call runs the plain function; `.steps`, `.record` and
`.progress` run the generator. Nothing here ensures that both return the same result; each pair has a property test.

>>> class Counter:
...     def _stop_at_each(self, text: str) -> Generator[str, None, int]:
...         yield from text
...         return len(text)
...     @traced_method(_stop_at_each)
...     def count(self, text: str) -> int:
...         return len(text)
>>> Counter().count("abc"), list(Counter().count.steps("abc"))
(3, ['a', 'b', 'c'])
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator
from types import MethodType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, overload

from tokenlab.steps.stepwise_functions import Stepwise

if TYPE_CHECKING:
    import inspect

P = ParamSpec("P")
Q = ParamSpec("Q")
T = TypeVar("T")
S = TypeVar("S")  # a step
R = TypeVar("R")  # the result


class TracedMethod(Stepwise[P, S, R]):
    """A plain function, and a generator function that computes the same result in steps."""

    def __init__(self, plain: Callable[P, R], function: Callable[P, Generator[S, None, R]]) -> None:
        super().__init__(function)
        functools.update_wrapper(self, plain)
        self.plain = plain
        setattr(plain, "steps_function", function)  # noqa: B010

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Return the result of the plain function."""
        return self.plain(*args, **kwargs)

    @property
    def __signature__(self) -> inspect.Signature:
        """The signature that `help` shows: that of the plain function."""
        import inspect

        return inspect.signature(self.plain)

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> TracedMethod[P, S, R]: ...
    @overload
    def __get__(
        self: TracedMethod[Concatenate[T, Q], S, R], instance: T, owner: type | None = None
    ) -> TracedMethod[Q, S, R]: ...
    def __get__(self, instance: Any, owner: type | None = None) -> TracedMethod[Any, S, R]:
        """Return the method of an instance, bound at each access, as Python's own methods are."""
        return self if instance is None else _BoundMethod(self.plain, instance)


class _BoundMethod(functools.partial, TracedMethod):  # type: ignore[type-arg]
    """The method of an instance: a `functools.partial`, which is created and called at the cost of a short call."""

    __init__ = object.__init__
    __repr__ = Stepwise.__repr__
    __module__ = property(lambda self: self.func.__module__)
    __doc__ = property(lambda self: self.func.__doc__)
    plain = property(lambda self: MethodType(self.func, *self.args))
    function = property(lambda self: MethodType(self.func.steps_function, *self.args))
    __signature__ = TracedMethod.__signature__

    def __getattr__(self, name: str) -> Any:
        return getattr(self.func, name)  # __name__ and __qualname__

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self  # it is already bound

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _BoundMethod) and self.plain == other.plain

    def __hash__(self) -> int:
        return hash(self.plain)

    def __reduce__(self) -> Any:
        return getattr, (self.args[0], self.func.__name__)


def traced_method(function: Callable[P, Generator[S, None, R]]) -> Callable[[Callable[P, R]], TracedMethod[P, S, R]]:
    """Decorate a plain function with a generator function that yields its steps."""
    return lambda plain: TracedMethod(plain, function)
