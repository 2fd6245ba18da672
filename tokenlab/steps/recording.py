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
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, dataclass_transform, overload

from tokenlab.printing.printable import as_text, readable
from tokenlab.steps import field_types, serialization
from tokenlab.steps.stepwise_functions import (
    GeneratorRun,
    Stepwise,
    call_steps,
    is_stepwise,
    overridable,
    stepwise,
    stepwise_classmethod,
)
from tokenlab.steps.unequal_parts import unequal_lines
from tokenlab.storage import files

if TYPE_CHECKING:
    from tokenlab.show.player import Player

__all__ = [
    "Difference",
    "GeneratorRun",
    "Recording",
    "Stepwise",
    "call_steps",
    "explained",
    "is_stepwise",
    "overridable",
    "sentences",
    "step",
    "stepwise",
    "stepwise_classmethod",
]

C = TypeVar("C")
S = TypeVar("S")  # a step
R = TypeVar("R")  # the result


@dataclass_transform(frozen_default=True)
def step(cls: type[C]) -> type[C]:
    """Make a class the record of one step: fields that describe a change, and a sentence.

    The sentence is a method `sentence` that returns its parts (`printing.printable`), whose text is the `str` of the
    step, or, without parts, `__str__`. `str` escapes control characters, as `repr` does, so that a terminal does not
    interpret them.
    """
    # subtle: frozen for the type checker only; freezing at run time would triple the cost of a step.
    made = dataclass(slots=True)(cls)
    if callable(vars(made).get("sentence")):  # not a field of this name
        setattr(made, "__str__", lambda step: as_text(step.sentence()))  # noqa: B010
    if "__str__" in vars(made):
        setattr(made, "__str__", _readable(made.__str__))  # noqa: B010
    return serialization.register_step_type(made)


def _readable(sentence: Callable[[Any], str]) -> Callable[[Any], str]:
    @functools.wraps(sentence)
    def shown(step: Any) -> str:
        return readable(sentence(step))

    return shown


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
        fields = (self.function, self.arguments, self.steps, self.result)
        return json.dumps({"tokenlab": 1, "recording": [serialization.to_json_value(field) for field in fields]})

    @staticmethod
    def from_json(text: str) -> Recording[Any, Any]:
        """Return the recording that `to_json` wrote.

        Raises:
            ValueError: the text is not a recording, has steps of a module that is not imported yet, or a field of a
                step does not have the type of its annotation.
        """
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
