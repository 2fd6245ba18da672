"""Record the steps of an algorithm: a generator function yields a step at every interesting point.

Adds: `@step` for the records that are yielded, `@stepwise` for the functions that yield them, and `Recording` for the
steps, arguments and result of one run.
Leaves out: the presentation (`tokenlab.show`).

>>> @step
... class Halved:
...     half: int
...     def __str__(self) -> str:
...         return f"half of it is {self.half}"
>>> @stepwise
... def halvings(number: int) -> Generator[Halved, None, int]:
...     count = 0
...     while number > 1:
...         number, count = number // 2, count + 1
...         yield Halved(number)
...     return count
>>> halvings(20)
4
>>> print(halvings.record(20))
1. half of it is 10
2. half of it is 5
3. half of it is 2
4. half of it is 1
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Generator, ItemsView, Iterator, KeysView, Sequence, ValuesView
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from types import MethodType
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Generic,
    ParamSpec,
    TypeVar,
    dataclass_transform,
    get_args,
    get_type_hints,
    overload,
)

from tokenlab import field_types, files, serialization
from tokenlab.printable import readable
from tokenlab.unequal_parts import unequal_lines

if TYPE_CHECKING:
    from tokenlab.show.player import Player

P = ParamSpec("P")
Q = ParamSpec("Q")
C = TypeVar("C")
T = TypeVar("T")
S = TypeVar("S")  # a step
R = TypeVar("R")  # the result


@dataclass_transform(frozen_default=True)
def step(cls: type[C]) -> type[C]:
    """Make a class the record of one step: fields that describe a change, and a sentence as its `str`.

    `str` escapes control characters, as `repr` does, so that a terminal does not interpret them.
    """
    # subtle: frozen for the type checker only; freezing at run time would triple the cost of a step.
    made = dataclass(slots=True)(cls)
    if "__str__" in vars(made):
        setattr(made, "__str__", _readable(made.__str__))  # noqa: B010
    return serialization.register_step_type(made)


def _readable(sentence: Callable[[Any], str]) -> Callable[[Any], str]:
    @functools.wraps(sentence)
    def shown(step: Any) -> str:
        return readable(sentence(step))

    return shown


class Stepwise(Generic[P, S, R]):
    """A generator function that can be called as an ordinary function, and whose steps can be iterated or recorded."""

    __name__: str
    __qualname__: str

    def __init__(self, function: Callable[P, Generator[S, None, R]]) -> None:
        self.function = function
        functools.update_wrapper(self, function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the generator to its end, and return its result."""
        run = GeneratorRun(self.function(*args, **kwargs))
        for _ in run:
            pass
        return run.result

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
        return (yield from steps)
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


@dataclass(frozen=True, repr=False)
class Recording(Sequence[S], Generic[S, R]):
    """All steps of one run, with its arguments and its result.

    An argument without a JSON representation is stored as its `repr`, a function as its name.
    """

    function: str
    arguments: dict[str, Any]
    steps: tuple[S, ...]
    result: R

    def __len__(self) -> int:
        return len(self.steps)

    @overload
    def __getitem__(self, index: int) -> S: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[S]: ...
    def __getitem__(self, index: int | slice) -> S | Sequence[S]:
        return self.steps[index]

    def __str__(self) -> str:
        return "\n".join(sentences(self, 0, len(self)))

    def __repr__(self) -> str:
        return f"<Recording of {readable(self.function.rpartition('.')[2])}: {len(self)} steps>"

    def diff(self, other: Recording[Any, Any]) -> Difference | None:
        """Return the first step at which two recordings differ, or None if they have equal steps."""
        for index, (left, right) in enumerate(zip_longest(self.steps, other.steps)):
            if left != right:
                return Difference(index, self, other)
        return None

    def play(self, **options: Any) -> Player:
        """Return the player for a notebook; the options are those of `tokenlab.show.play`."""
        from tokenlab import show

        return show.play(self, **options)

    def save(self, path: str | Path) -> Path:
        """Write `name.html`, a page that plays without kernel and network, or `name.json`, which `load` reads.

        Raises:
            ValueError: the name has another extension.
        """
        path = Path(path)
        match path.suffix.lower():
            case ".json":
                return files.write_atomically(path, self.to_json())
            case ".html" | ".htm":
                return files.write_atomically(path, self.play().page(title=path.stem))
        raise ValueError(f"path={str(path)!r} should end in .html (a page to watch) or .json (a file to load)")

    @classmethod
    def load(cls, path: str | Path) -> Recording[Any, Any]:
        """Read a recording that `save("name.json")` wrote.

        Raises:
            OSError: the file cannot be read.
            ValueError: as `from_json`; the message names the file.
        """
        text = files.read_text(path)
        try:
            return cls.from_json(text)
        except ValueError as error:
            raise type(error)(f"{str(path)!r}: {error}") from error

    def to_json(self) -> str:
        """Return the recording as JSON, which preserves bytes, tuples, infinities and lone surrogates."""
        import json

        fields = (self.function, self.arguments, self.steps, self.result)
        return json.dumps({"tokenlab": 1, "recording": [serialization.to_json_value(field) for field in fields]})

    @staticmethod
    def from_json(text: str) -> Recording[Any, Any]:
        """Return the recording that `to_json` wrote.

        Raises:
            ValueError: the text is not a recording, has steps of a module that is not imported yet, or a field of a
                step does not have the type of its annotation.
        """
        import json

        try:
            function, arguments, steps, result = map(serialization.from_json_value, json.loads(text)["recording"])
            if not (isinstance(function, str) and isinstance(arguments, dict) and isinstance(steps, tuple)):
                raise TypeError("the name of a function, its arguments and its steps are expected")
            _check_fields(arguments, steps, result)
        except serialization.UnknownTypeError:
            raise
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
            raise ValueError(
                "this text is not a recording; Recording.to_json() and .save() write recordings"
            ) from error
        return Recording(function, arguments, steps, result)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return self.play()._repr_mimebundle_()


def _check_fields(arguments: dict[str, Any], steps: tuple[Any, ...], result: Any) -> None:
    named = [
        ("the arguments", arguments),
        *((f"step {n}", s) for n, s in enumerate(steps, start=1)),
        ("result", result),
    ]
    for name, value in named:
        try:
            field_types.check(value)
        except ValueError as error:
            raise serialization.UnknownTypeError(f"{name} of this recording: {error}") from error


@contextmanager
def explained(recording: Recording[Any, Any], number: Callable[[], int]) -> Iterator[None]:
    """Turn any error at a step into a ValueError that names the function and the step.

    Sentences and views rely on the steps that a function yields, their order, and the arguments. A recording that was
    edited, or has the name of another function, violates these assumptions differently in each view.
    """
    try:
        yield
    except ImportError:
        raise
    except Exception as error:
        at = number()
        step = f"step {at} ({readable(repr(recording.steps[at - 1]))[:100]})" if at else "its first frame"
        raise ValueError(
            f"this recording of {recording.function!r} cannot be shown at {step}: "
            f"{type(error).__name__}: {readable(str(error))[:200]}. "
            "If it was edited or renamed, this function does not yield these steps for these arguments; "
            "record the function again"
        ) from error


def sentences(recording: Recording[Any, Any], first: int, end: int, context: dict[str, Any] | None = None) -> list[str]:
    """Return the numbered sentences of the steps from index `first` up to, but not including, `end`.

    The sentence of a step is its `str`. A step that refers to earlier ones has a method `sentence_in_context(context)`:
    the steps before it have left in `context` what it needs, such as the tokens of each beam.
    """
    lines: list[str] = []
    context = {} if context is None else context
    number = first
    with explained(recording, lambda: number + 1):
        for number in range(end):
            one: Any = recording.steps[number]
            needs_context = hasattr(one, "sentence_in_context")
            if number >= first or needs_context:
                said = readable(one.sentence_in_context(context) if needs_context else str(one))
                lines.append(f"{number + 1}. {said}")
    return lines[-(end - first) :] if end > first else []


@dataclass(frozen=True, repr=False)
class Difference:
    """The first step at which two recordings differ: its index, counted from 0, and both recordings."""

    index: int
    left: Recording[Any, Any]
    right: Recording[Any, Any]

    def __str__(self) -> str:
        first = f"step {self.index + 1} is the first that differs"
        steps = chain(self.left, self.right)
        explain = next((one.explain_difference for one in steps if hasattr(one, "explain_difference")), None)
        if explain and (lines := explain(self.left, self.right, self.index)):
            return "\n".join([first, *map(readable, lines)])
        ended = "(no more steps)"
        left, right = (r[self.index] if self.index < len(r) else ended for r in (self.left, self.right))
        said, other = readable(str(left)), readable(str(right))
        shown = f"{first}\n left: {said}\nright: {other}"
        if said != other:
            return shown
        return "\n".join([shown, *unequal_lines(left, right)])

    def __repr__(self) -> str:
        return str(self)

    def play(self, **options: Any) -> Player:
        """Return a player of both recordings side by side, opened at this step."""
        from tokenlab import show

        return show.compare(self.left, self.right, **options)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return self.play()._repr_mimebundle_()
