"""One plain function that says `yield` where something worth seeing has happened: the mechanism of the kit.

Adds: `@step` for the small records that are yielded, `@stepwise` for the functions that yield them,
`Recording` for what was seen. Leaves out: how any of it looks (`tokenlab.show`).

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
import json
from collections.abc import Callable, Generator, ItemsView, Iterator, KeysView, Sequence, ValuesView
from dataclasses import dataclass
from itertools import zip_longest
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

from tokenlab import files, plain

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
    """Make a class the record of one step: a few fields that say what changed, and a sentence for `str`."""
    # subtle: frozen for the type checker only; freezing at run time would triple the cost of a step.
    return plain.register(dataclass(slots=True)(cls))


class Stepwise(Generic[P, S, R]):
    """A generator function seen as the function it computes, with its steps beside it."""

    __name__: str
    __qualname__: str

    def __init__(self, function: Callable[P, Generator[S, None, R]]) -> None:
        self.function = function
        functools.update_wrapper(self, function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """The result: the generator is run to its end."""
        run = Running(self.function(*args, **kwargs))
        for _ in run:
            pass
        return run.result

    def steps(self, *args: P.args, **kwargs: P.kwargs) -> Generator[S, None, R]:
        """The steps, lazily: for `next`, `for`, `islice`, and `yield from` inside another stepwise function."""
        return self.function(*args, **kwargs)

    def progress(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """The result, with a progress bar whose ticks are the steps."""
        from tqdm import tqdm

        run = Running(self.function(*args, **kwargs))
        for _ in tqdm(run, desc=self.__name__, unit=" steps"):
            pass
        return run.result

    def record(self, *args: P.args, **kwargs: P.kwargs) -> Recording[S, R]:
        """Everything: the arguments as they were at the start, all steps, and the result.

        An iterator among the arguments can be read only once, so it is read into a tuple first.
        """
        bound = inspect.signature(self.function).bind(*args, **kwargs)
        bound.apply_defaults()
        bound.arguments.update({name: _lasting(value) for name, value in bound.arguments.items()})
        arguments = {name: plain.copy(value) for name, value in bound.arguments.items()}
        run = Running(self.function(*bound.args, **bound.kwargs))
        steps = tuple(run)
        return Recording(f"{self.__module__}.{self.__qualname__}", arguments, steps, run.result)

    @property
    def __signature__(self) -> inspect.Signature:
        """The signature that `help` shows: the function's own, but returning the result and not a generator."""
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
        """A stepwise function in a class is a stepwise method."""
        return self if instance is None else Stepwise(MethodType(self.function, instance))

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Pickled by name, as functions are, so that a process pool can send it."""
        if isinstance(self.function, MethodType):
            return getattr, (self.function.__self__, self.__name__)
        return self.__qualname__

    def __repr__(self) -> str:
        """Say what it is."""
        return f"<stepwise function {self.__module__}.{self.__qualname__}>"


def stepwise(function: Callable[P, Generator[S, None, R]]) -> Stepwise[P, S, R]:
    """Make a generator function callable for its result, and its steps and recordings available beside that."""
    return Stepwise(function)


def _lasting(argument: Any) -> Any:
    if isinstance(argument, Iterator | KeysView | ValuesView | ItemsView):
        return tuple(argument)
    if type(argument) is dict and all(isinstance(name, str) for name in argument):  # keyword arguments, among others
        return {name: _lasting(value) for name, value in argument.items()}
    return argument


class Running(Generic[S, R]):
    """One run of a generator, which keeps what the generator returns: `result`, once it has ended.

    >>> def counting() -> Generator[int, None, str]:
    ...     yield 1
    ...     return "done"
    >>> run = Running(counting())
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
    """All steps of one run, with what went in and what came out.

    `arguments` holds what JSON can hold, and the `repr` (a function: the name) of the rest.
    """

    function: str
    arguments: dict[str, Any]
    steps: tuple[S, ...]
    result: R

    def __len__(self) -> int:
        """How many steps there are."""
        return len(self.steps)

    @overload
    def __getitem__(self, index: int) -> S: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[S]: ...
    def __getitem__(self, index: int | slice) -> S | Sequence[S]:
        """The step with that index, counted from zero, or a slice of the steps."""
        return self.steps[index]

    def __str__(self) -> str:
        """The numbered sentences: for a terminal, a screen reader, a diff."""
        return "\n".join(f"{number}. {step}" for number, step in enumerate(self.steps, start=1))

    def __repr__(self) -> str:
        """Say what it is."""
        return f"<Recording of {self.function.rpartition('.')[2]}: {len(self)} steps>"

    def diff(self, other: Recording[Any, Any]) -> Difference | None:
        """The first step at which two recordings part; None where they never do."""
        for index, (left, right) in enumerate(zip_longest(self.steps, other.steps)):
            if left != right:
                return Difference(index, self, other)
        return None

    def play(self, **options: Any) -> Player:
        """The player, for a notebook; the options are those of `tokenlab.show.play`."""
        from tokenlab import show

        return show.play(self, **options)

    def save(self, path: str | Path) -> Path:
        """Write `name.html`, a page that plays without kernel and network, or `name.json`, to be loaded again.

        Raises:
            ValueError: the name ends in neither.
        """
        path = Path(path)
        match path.suffix.lower():
            case ".json":
                return files.write_whole(path, self.to_json())
            case ".html" | ".htm":
                return files.write_whole(path, self.play().page(title=path.stem))
        raise ValueError(f"path={str(path)!r} should end in .html (a page to watch) or .json (to load again)")

    @classmethod
    def load(cls, path: str | Path) -> Recording[Any, Any]:
        """Read what `save("name.json")` wrote."""
        return cls.from_json(files.read_text(path))

    def to_json(self) -> str:
        """The recording as JSON; bytes, tuples, infinities and lone surrogates survive, without pickle."""
        fields = (self.function, self.arguments, self.steps, self.result)
        return json.dumps({"tokenlab": 1, "recording": [plain.to_plain(field) for field in fields]})

    @staticmethod
    def from_json(text: str) -> Recording[Any, Any]:
        """Bring back what `to_json` wrote.

        Raises:
            ValueError: the text is not a recording, or has steps of a module that is not imported yet.
        """
        try:
            function, arguments, steps, result = map(plain.from_plain, json.loads(text)["recording"])
            if not (isinstance(function, str) and isinstance(arguments, dict) and isinstance(steps, tuple)):
                raise TypeError("a function's name, arguments and steps are expected")
        except plain.UnknownError:
            raise
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
            raise ValueError("this text is not a recording; Recording.to_json() and .save() make them") from error
        return Recording(function, arguments, steps, result)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return self.play()._repr_mimebundle_()


@dataclass(frozen=True)
class Difference:
    """The first step at which two recordings part: its index, counted from zero, and both recordings."""

    index: int
    left: Recording[Any, Any]
    right: Recording[Any, Any]

    def __str__(self) -> str:
        """Both steps, one above the other."""
        ended = "(there is no such step)"
        left, right = (r[self.index] if self.index < len(r) else ended for r in (self.left, self.right))
        return f"step {self.index + 1} is the first that differs\n left: {left}\nright: {right}"

    def play(self, **options: Any) -> Player:
        """Both recordings side by side, opened at that step."""
        from tokenlab import show

        return show.compare(self.left, self.right, **options)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return self.play()._repr_mimebundle_()
