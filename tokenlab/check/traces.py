"""What a learner's function does step by step, seen from outside, so that its trace can stand beside the right one.

A learner's function says nothing between its call and its result. But it can be asked about more and more of the same
input, and the first answer that differs is the step at which it leaves the right way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from math import isclose, isnan
from numbers import Number
from typing import Any, TypeAlias

from tokenlab.check.running import run, same, shown
from tokenlab.show.frames import Frame, Html, Panel, Window, chip, text, view
from tokenlab.steps import Recording, step
from tokenlab.visible import visible

Question: TypeAlias = tuple[str, tuple[Any, ...]]  # what is asked, in words, and the arguments of that call
Asking: TypeAlias = Callable[..., Iterable[Question]]  # from the arguments to all questions, the last is the whole

MILLIONTH = 1e-6


@step
class Answer:
    """What a function answers when it is asked about a part of its input."""

    about: str
    answer: Any  # as `plain` makes it
    problem: str = ""

    def __eq__(self, other: object) -> bool:
        """Whether both answer the same; floats may differ by a millionth, or two ways of adding would part at once."""
        if not isinstance(other, Answer) or (self.about, self.problem) != (other.about, other.problem):
            return False
        return close(self.answer, other.answer)

    def __str__(self) -> str:
        """Say the part, and the answer."""
        return f"{self.about}: {self.problem or _spoken(self.answer)}"


def _spoken(answer: Any) -> str:
    if isinstance(answer, tuple):
        return _between(answer).join(map(_spoken_part, answer)) or "(nothing)"
    if isinstance(answer, dict):
        return ", ".join(f"{_spoken(key)}: {_spoken(answer[key])}" for key in _in_order(answer)) or "(nothing)"
    return _spoken_part(answer)


def _spoken_part(part: Any) -> str:
    if isinstance(part, tuple):
        spoken = [*map(_spoken_part, part)]
        return f"[{' '.join(spoken)}]" if _numeric(part) else "+".join(spoken) or "(nothing)"
    if isinstance(part, float):
        return min(str(part), f"{part:.6g}", key=len)
    if isinstance(part, Strange) or not isinstance(part, str):
        return shown(part, plain=True)
    return visible(part) or "(nothing)"


def _numeric(part: Any) -> bool:
    """Whether this is a number, or rows of numbers and of nothing else; between symbols stands a plus."""
    return isinstance(part, Number) or (isinstance(part, tuple) and part != () and all(map(_numeric, part)))


def _between(parts: tuple[Any, ...]) -> str:
    """Pairs are told apart by commas, single symbols by blanks."""
    return ", " if any(isinstance(part, tuple) for part in parts) else " "


def _in_order(answer: dict[Any, Any]) -> list[Any]:
    """The keys, in an order that does not depend on how the table was filled."""
    return sorted(answer, key=repr)


def trace(
    function: Callable[..., Any], arguments: tuple[Any, ...], asking: Asking | None, name: str
) -> Recording[Any, Any]:
    """A recording of a function that is asked more and more; without a way to ask, of the parts of its result."""
    outcome = run(function, arguments)
    steps: Iterable[Answer]
    if asking and (questions := [*asking(*arguments)]):
        steps = (_asked(function, about, part) for about, part in questions)
    elif outcome.problem:
        steps = [Answer("the whole", None, outcome.problem)]
    else:
        steps = _parts(outcome.value)
    return Recording(f"{__name__}.{name}", {}, tuple(steps), outcome.value)


def _asked(function: Callable[..., Any], about: str, part: tuple[Any, ...]) -> Answer:
    outcome = run(function, part)
    return Answer(about, plain(outcome.value), outcome.problem)


def _parts(value: Any) -> Iterator[Answer]:
    value = plain(value)
    if isinstance(value, dict) and value:
        for key in _in_order(value):
            yield Answer(shown(key), value[key])
    elif isinstance(value, str | tuple) and value and not isinstance(value, Strange):
        for place, item in enumerate(value):
            yield Answer(f"place {place}", item)
    else:
        yield Answer("the whole", value)


LONGEST = 300  # parts of one value that are drawn


class Strange(str):
    """How something is shown that is none of the values that a task is about."""


def plain(value: Any) -> Any:
    """A value that can be compared and shown whatever the learner's own was; lists are tuples in it.

    >>> plain(["a", {1}])
    ('a', '{1}')
    """
    try:
        return _plain(value)
    except Exception:  # a list that holds itself, a table that cannot be read
        return Strange(shown(value))


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return (*map(_plain, value[:LONGEST]), *_dots(value))
    if isinstance(value, Mapping):
        return {_plain(key): _plain(item) for key, item in islice(value.items(), LONGEST)}
    if type(value) in (str, bytes) and len(value) > LONGEST:
        return Strange(shown(value))
    return value if value is None or type(value) in (str, bytes, int, float, bool) else Strange(shown(value))


def _dots(value: Sequence[Any]) -> list[Strange]:
    return [Strange("…")] if len(value) > LONGEST else []


def alike(left: Any, right: Any) -> bool:
    """Whether two values are equal where lists count as tuples; what cannot be compared is not.

    >>> alike([["a"]], (("a",),)), alike("a", ("a",))
    (True, False)
    """
    try:
        return same(loose(left), loose(right))
    except Exception:
        return False


def close(left: Any, right: Any) -> bool:
    """Whether two values are alike where numbers may differ by a millionth, or a millionth of what is right.

    Whole numbers may not, and what is no number (nan) is like itself.

    >>> close({"a": [0.1 + 0.2]}, {"a": (0.3,)}), close(0.301, 0.3), close("a", 0.3)
    (True, False, False)
    >>> close(3e38, 3.0000001e38), close(10**8, 10**8 + 1), close([float("nan")], [float("nan")])
    (True, False, True)
    """
    try:
        return _close(loose(left), loose(right))
    except Exception:
        return False


def _close(left: Any, right: Any) -> bool:
    if isinstance(right, Mapping):
        return same(left.keys(), right.keys()) and all(_close(left[key], right[key]) for key in right)
    if isinstance(right, tuple):
        return len(left) == len(right) and all(map(_close, left, right))
    if same(left, right) or not isinstance(right, Number):
        return same(left, right)
    if isinstance(left, int) and isinstance(right, int):
        return False
    if isnan(right):  # type: ignore[arg-type]
        return isnan(left)
    return isclose(left, right, rel_tol=MILLIONTH, abs_tol=MILLIONTH)  # type: ignore[arg-type]


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
        return _between(answer.answer).join(map(_chip, answer.answer)) or "(nothing)"
    if isinstance(answer.answer, dict):
        counts = (f"{_chip(key)} {text(_spoken(answer.answer[key]))}" for key in _in_order(answer.answer))
        return "<br>".join(counts) or "(nothing)"
    return _chip(answer.answer)


def _chip(item: Any) -> Html:
    if isinstance(item, tuple) and item:
        chips = [*map(_chip, item)]
        return f"[{' '.join(chips)}]" if _numeric(item) else " + ".join(chips)
    if isinstance(item, Strange) or not isinstance(item, str):
        return f"<b>{text(_spoken_part(item))}</b>"
    return chip(item) if item else "(nothing)"
