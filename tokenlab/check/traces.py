"""What a learner's function does step by step, seen from outside, so that its trace can stand beside the right one.

A learner's function says nothing between its call and its result. But it can be asked about more and more of the same
input, and the first answer that differs is the step at which it leaves the right way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from tokenlab.check.running import run, same, shown
from tokenlab.show.frames import Frame, Html, Panel, Window, chip, text, view
from tokenlab.steps import Recording, step

Question: TypeAlias = tuple[str, tuple[Any, ...]]  # what is asked, in words, and the arguments of that call
Asking: TypeAlias = Callable[..., Iterable[Question]]  # from the arguments to all questions, the last is the whole


@step
class Answer:
    """What a function answers when it is asked about a part of its input."""

    about: str
    answer: Any
    problem: str = ""

    def __str__(self) -> str:
        """Say the part, and the answer."""
        return f"{self.about}: {self.problem or _spoken(self.answer)}"


def _spoken(answer: Any) -> str:
    if isinstance(answer, tuple | list):
        return " ".join(map(_spoken, answer)) or "(nothing)"
    return answer if isinstance(answer, str) else shown(answer)


def trace(
    function: Callable[..., Any], arguments: tuple[Any, ...], asking: Asking | None, name: str
) -> Recording[Any, Any]:
    """A recording of a function that is asked more and more; without a way to ask, of the parts of its result."""
    outcome = run(function, arguments)
    steps: Iterable[Answer]
    if asking:
        steps = (_asked(function, about, part) for about, part in asking(*arguments))
    elif outcome.problem:
        steps = [Answer("the whole", None, outcome.problem)]
    else:
        steps = _parts(outcome.value)
    return Recording(f"{__name__}.{name}", {}, tuple(steps), outcome.value)


def _asked(function: Callable[..., Any], about: str, part: tuple[Any, ...]) -> Answer:
    outcome = run(function, part)
    return Answer(about, loose(outcome.value), outcome.problem)


def _parts(value: Any) -> Iterator[Answer]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield Answer(_spoken(key), loose(item))
    elif isinstance(value, str | tuple | list):
        for place, item in enumerate(value):
            yield Answer(f"place {place}", loose(item))
    else:
        yield Answer("the whole", value)


def loose(value: Any) -> Any:
    """A value in which lists count as tuples, all the way down: who asks for tokens does not care which it is.

    >>> loose([["a"], ("b",)])
    (('a',), ('b',))
    """
    if isinstance(value, list | tuple):
        return tuple(map(loose, value))
    if isinstance(value, Mapping):
        return {key: loose(item) for key, item in value.items()}
    return value


def first_difference(left: Recording[Any, Any], right: Recording[Any, Any]) -> int | None:
    """The index of the first answer that differs, or None."""
    difference = left.diff(right)
    return difference.index if difference else None


@view(f"{__name__}.yours", f"{__name__}.program", f"{__name__}.expected")
def answers(recording: Recording[Any, Any], window: Window) -> Iterator[Frame]:
    """A frame for each answer, with those before it above."""
    for number in range(window.first, window.end + 1):
        seen = recording.steps[window.first : number]
        rows = tuple(f"<li><span>{text(answer.about)}</span> <div>{_drawn(answer)}</div>" for answer in seen)
        yield Frame(
            moment=f"Step {number} of {len(recording)}" if number else "Before the first step",
            caption=text(str(seen[-1])) if seen else "Step forward.",
            panels=(Panel(recording.function.rpartition(".")[2], rows, kind="words", wide=True),) if seen else (),
        )


def _drawn(answer: Answer) -> Html:
    if answer.problem:
        return text(answer.problem)
    if isinstance(answer.answer, tuple):
        return " ".join(map(_chip, answer.answer)) or "(nothing)"
    return _chip(answer.answer)


def _chip(item: Any) -> Html:
    if isinstance(item, tuple) and item and all(isinstance(part, str | bytes) for part in item):
        return " + ".join(map(chip, item))
    return chip(item if isinstance(item, str | bytes) and item else shown(item))


__all__ = ["Answer", "Asking", "Question", "answers", "first_difference", "loose", "same", "trace"]
