"""Stepwise functions: generator functions that can be called as ordinary functions.

Adds: `@stepwise`, and its variants for methods that subclasses may override, for class methods, and for calls of a
function that may be stepwise.
Leaves out: the classes of steps, and recordings (`tokenlab.steps.recording`). They need `dataclasses` and `inspect`,
which take longer to import than all of `tokenlab.libraries.tiktoken`; so a program that records nothing does not import
them.

>>> @stepwise
... def countdown(number: int) -> Generator[int, None, str]:
...     while number:
...         yield number
...         number -= 1
...     return "done"
>>> countdown(2), list(countdown.steps(2))
('done', [2, 1])
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator, ItemsView, Iterator, KeysView, ValuesView
from types import MethodType
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Generic,
    ParamSpec,
    TypeVar,
    get_args,
    get_type_hints,
    overload,
)

if TYPE_CHECKING:
    import inspect

    from tokenlab.steps.recording import Recording

P = ParamSpec("P")
Q = ParamSpec("Q")
T = TypeVar("T")
S = TypeVar("S")  # a step
R = TypeVar("R")  # the result


class Stepwise(Generic[P, S, R]):
    """A generator function that can be called as an ordinary function, and whose steps can be iterated or recorded."""

    __name__: str
    __qualname__: str

    def __init__(self, function: Callable[P, Generator[S, None, R]]) -> None:
        self.function = function
        functools.update_wrapper(self, function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the generator to its end, and return its result."""
        steps = self.function(*args, **kwargs)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                result: R = end.value
                return result

    def steps(self, *args: P.args, **kwargs: P.kwargs) -> Generator[S, None, R]:
        """Yield the steps lazily: for `next`, `for`, `islice`, and `yield from` in another stepwise function."""
        return self.function(*args, **kwargs)

    def progress(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Return the result, and show a progress bar that counts the steps."""
        from tqdm import tqdm

        run = GeneratorRun(self.function(*args, **kwargs))
        for _ in tqdm(run, desc=self.__name__, unit=" steps"):
            pass
        return run.result

    def record(self, *args: P.args, **kwargs: P.kwargs) -> Recording[S, R]:
        """Record the arguments at the start, all steps, and the result.

        An iterator among the arguments can be consumed only once, so it is converted to a tuple first.
        """
        import inspect

        from tokenlab.steps import serialization
        from tokenlab.steps.recording import Recording

        bound = inspect.signature(self.function).bind(*args, **kwargs)
        bound.apply_defaults()
        bound.arguments.update({name: _lasting(value) for name, value in bound.arguments.items()})
        arguments = {name: serialization.deep_copy(value) for name, value in bound.arguments.items()}
        run = GeneratorRun(self.function(*bound.args, **bound.kwargs))
        steps = tuple(run)
        return Recording(f"{self.__module__}.{self.__qualname__}", arguments, steps, run.result)

    @property
    def __signature__(self) -> inspect.Signature:
        """The signature that `help` shows: that of the function, but with the type of the result, not a generator."""
        import inspect

        signature = inspect.signature(self.function)
        try:
            result = get_args(get_type_hints(self.function)["return"])[2]
        except (KeyError, IndexError, NameError):
            result = inspect.Signature.empty
        return signature.replace(return_annotation=result)

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Stepwise[P, S, R]: ...
    @overload
    def __get__(
        self: Stepwise[Concatenate[T, Q], S, R], instance: T, owner: type | None = None
    ) -> Stepwise[Q, S, R]: ...
    def __get__(self, instance: Any, owner: type | None = None) -> Stepwise[Any, S, R]:
        """Return the stepwise method of an instance."""
        return self if instance is None else Stepwise(MethodType(self.function, instance))

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Pickle by name, as functions are, so that a process pool can send it."""
        if isinstance(self.function, MethodType):
            return getattr, (self.function.__self__, self.__name__)
        return self.__qualname__

    def __repr__(self) -> str:
        return f"<stepwise function {self.__module__}.{self.__qualname__}>"


def stepwise(function: Callable[P, Generator[S, None, R]]) -> Stepwise[P, S, R]:
    """Make a generator function callable for its result, with its steps and recordings as methods."""
    return Stepwise(function)


def overridable(function: Callable[P, Generator[S, None, R]]) -> Any:
    """Make a stepwise method that subclasses may override with an ordinary method.

    The result is typed `Any`, since a type checker would not accept an ordinary method in place of a `Stepwise`.
    To yield its steps in another stepwise function, use `call_steps`.
    """
    return Stepwise(function)


class stepwise_classmethod:
    """Make a generator function a class method that can be called for its result, with its steps and recordings.

    Subclasses may override it with an ordinary class method. The result is typed `Any`, as that of `overridable`.

    >>> class Counter:
    ...     @stepwise_classmethod
    ...     def count(cls, end: int) -> Generator[int, None, str]:
    ...         yield from range(end)
    ...         return cls.__name__
    >>> Counter.count(2), list(Counter.count.steps(2))
    ('Counter', [0, 1])
    """

    def __init__(self, function: Callable[..., Generator[Any, None, Any]]) -> None:
        self.function = function
        self.__doc__ = function.__doc__

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return Stepwise(MethodType(self.function, owner or type(instance)))


def is_stepwise(function: Any) -> bool:
    """Return True for a stepwise function or method, and False for any other callable.

    >>> from unittest.mock import Mock
    >>> is_stepwise(Mock()), is_stepwise(stepwise(lambda: iter(())))
    (False, True)
    """
    # subtle: neither hasattr(function, "steps") nor isinstance(): a mock has every attribute, and a mock with a
    # specification passes isinstance() for that class.
    return issubclass(type(function), Stepwise)


def call_steps(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Generator[Any, None, Any]:
    """Call a function that may be stepwise: for `yield from` where users may override a stepwise method.

    Returns:
        The result. A stepwise function yields its steps first; any other callable yields none.

    >>> @stepwise
    ... def counted(number: int) -> Generator[int, None, str]:
    ...     yield from range(number)
    ...     return "done"
    >>> for function in (counted, lambda number: "mine"):
    ...     run = GeneratorRun(call_steps(function, 2))
    ...     print(list(run), run.result)
    [0, 1] done
    [] mine
    """
    if is_stepwise(function):
        steps: Generator[Any, None, Any] = function.steps(*args, **kwargs)  # type: ignore[attr-defined]
        return steps
    return _without_steps(function, *args, **kwargs)


def _without_steps(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Generator[Any, None, Any]:
    yield from ()
    return function(*args, **kwargs)


def _lasting(argument: Any) -> Any:
    if isinstance(argument, Iterator | KeysView | ValuesView | ItemsView):
        return tuple(argument)
    if type(argument) is dict and all(isinstance(name, str) for name in argument):  # keyword arguments, among others
        return {name: _lasting(value) for name, value in argument.items()}
    return argument


class GeneratorRun(Generic[S, R]):
    """One run of a generator, with the return value of the generator as `result` after its end.

    >>> def counting() -> Generator[int, None, str]:
    ...     yield 1
    ...     return "done"
    >>> run = GeneratorRun(counting())
    >>> list(run), run.result
    ([1], 'done')
    """

    result: R

    def __init__(self, steps: Generator[S, None, R]) -> None:
        self._steps = steps

    def __iter__(self) -> Iterator[S]:
        self.result = yield from self._steps
