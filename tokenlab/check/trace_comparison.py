"""Trace a learner's function from outside, so that its trace can be compared with the reference's.

A learner's function yields no steps. But it can be called with more and more of the same input, and the first result
that differs from the reference's is the step at which it goes wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from math import isclose, isnan
from numbers import Number
from typing import Any, TypeAlias

from tokenlab.check.isolated_run import display, run, same
from tokenlab.printing.printable import printable
from tokenlab.show.frames import Frame, Html, Panel, StepRange, chip, text, view
from tokenlab.steps.recording import Recording, step

TracedCall: TypeAlias = tuple[str, tuple[Any, ...]]  # a description of a call, and its arguments
TracedCalls: TypeAlias = Callable[
    ..., Iterable[TracedCall]
]  # maps the arguments to all questions; the last has the whole input

TOLERANCE = 1e-6
HALF_A_HUNDREDTH = 0.005 + 1e-9  # the largest rounding error at 2 decimal places


@step
class Answer:
    """The result of a function for a part of its input."""

    about: str
    answer: Any  # as `comparable` makes it
    problem: str = ""

    def __eq__(self, other: object) -> bool:
        """Whether two answers agree; floats may differ by 1e-6, because summation order changes the last digits."""
        if not isinstance(other, Answer) or (self.about, self.problem) != (other.about, other.problem):
            return False
        return nearly_equal(self.answer, other.answer)

    def __str__(self) -> str:
        return f"{self.about}: {self.problem or _answer_text(self.answer)}"


def _answer_text(answer: Any) -> str:
    if isinstance(answer, tuple):
        return _between(answer).join(map(_part_text, answer)) or "(nothing)"
    if isinstance(answer, dict):
        return (
            ", ".join(f"{_answer_text(key)}: {_answer_text(answer[key])}" for key in _in_order(answer)) or "(nothing)"
        )
    return _part_text(answer)


def _part_text(part: Any) -> str:
    if isinstance(part, tuple):
        parts = [*map(_part_text, part)]
        return f"[{' '.join(parts)}]" if _numeric(part) else "+".join(parts) or "(nothing)"
    if isinstance(part, float):
        return min(str(part), f"{part:.6g}", key=len)
    if isinstance(part, Unrepresentable) or not isinstance(part, str):
        return display(part, plain=True)
    return printable(part) or "(nothing)"


def _numeric(part: Any) -> bool:
    """Whether a value is a number or a nested tuple of numbers only; symbols are joined by a plus sign instead."""
    return isinstance(part, Number) or (isinstance(part, tuple) and part != () and all(map(_numeric, part)))


def _between(parts: tuple[Any, ...]) -> str:
    """Separate pairs by commas, and single symbols by spaces."""
    return ", " if any(isinstance(part, tuple) for part in parts) else " "


def _in_order(answer: dict[Any, Any]) -> list[Any]:
    """The keys, in an order that does not depend on insertion."""
    return sorted(answer, key=repr)


def prefix_calls(label: str | Callable[[Any], str], *positions: int, least: int = 0) -> TracedCalls:
    """Return an `traced_calls` that calls the function with longer and longer prefixes of some of its arguments.

    Args:
        label: maps a prefix to its description; or a noun, for descriptions such as "2 words".
        positions: the arguments that grow together, by default the first; the first of these is described.
        least: the length of the first prefix.

    >>> [*prefix_calls("word", least=1)(["to", "be"], "x")]
    [('1 word', (['to'], 'x')), ('2 words', (['to', 'be'], 'x'))]
    """
    first, *_ = grown = positions or (0,)

    def traced_calls(*arguments: Any) -> Iterator[TracedCall]:
        for number in range(least, len(arguments[first]) + 1):
            part = [_prefix(value, number) if place in grown else value for place, value in enumerate(arguments)]
            plural = "s" if number != 1 else ""
            yield f"{number} {label}{plural}" if isinstance(label, str) else label(part[first]), tuple(part)

    return traced_calls


def _prefix(value: Any, number: int) -> Any:
    return dict(islice(value.items(), number)) if isinstance(value, Mapping) else value[:number]


def trace(
    function: Callable[..., Any], arguments: tuple[Any, ...], traced_calls: TracedCalls | None, name: str
) -> Recording[Any, Any]:
    """Record a function called with more and more of its input, or, without `traced_calls`, the parts of its result."""
    outcome = run(function, arguments)
    steps: Iterable[Answer]
    if traced_calls and (questions := [*traced_calls(*arguments)]):
        steps = (_asked(function, about, part) for about, part in questions)
    elif outcome.problem:
        steps = [Answer("the whole", None, outcome.problem)]
    else:
        steps = _parts(outcome.value)
    return Recording(f"{__name__}.{name}", {}, tuple(steps), outcome.value)


def _asked(function: Callable[..., Any], about: str, part: tuple[Any, ...]) -> Answer:
    outcome = run(function, part)
    return Answer(about, comparable(outcome.value), outcome.problem)


def _parts(value: Any) -> Iterator[Answer]:
    value = comparable(value)
    if isinstance(value, dict) and value:
        for key in _in_order(value):
            yield Answer(display(key), value[key])
    elif isinstance(value, str | tuple) and value and not isinstance(value, Unrepresentable):
        for index, item in enumerate(value):
            yield Answer(f"index {index}", item)
    else:
        yield Answer("the whole", value)


LONGEST = 300  # items of one value that are shown


class Unrepresentable(str):
    """The text shown for a value of a type that no task uses."""


def comparable(value: Any) -> Any:
    """Convert any value to one that can be compared and shown; lists become tuples.

    >>> comparable(["a", {1}])
    ('a', '{1}')
    """
    try:
        return _plain(value)
    except Exception:  # a list that contains itself, a mapping that cannot be read
        return Unrepresentable(display(value))


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        dots = [Unrepresentable("…")] if len(value) > LONGEST else []
        return (*map(_plain, value[:LONGEST]), *dots)
    if isinstance(value, Mapping):
        return {_plain(key): _plain(item) for key, item in islice(value.items(), LONGEST)}
    if type(value) in (str, bytes) and len(value) > LONGEST:
        return Unrepresentable(display(value))
    return value if value is None or type(value) in (str, bytes, int, float, bool) else Unrepresentable(display(value))


def equal_values(left: Any, right: Any) -> bool:
    """Whether two values are equal, where lists equal tuples; values that cannot be compared are not equal.

    >>> equal_values([["a"]], (("a",),)), equal_values("a", ("a",))
    (True, False)
    """
    try:
        return same(tuples_throughout(left), tuples_throughout(right))
    except Exception:
        return False


def nearly_equal(left: Any, right: Any) -> bool:
    """Whether two values agree, where floats may differ by 1e-6, absolute or relative.

    Integers must be equal, and NaN equals NaN.

    >>> nearly_equal({"a": [0.1 + 0.2]}, {"a": (0.3,)}), nearly_equal(0.301, 0.3), nearly_equal("a", 0.3)
    (True, False, False)
    >>> nearly_equal(3e38, 3.0000001e38), nearly_equal(10**8, 10**8 + 1), nearly_equal([float("nan")], [float("nan")])
    (True, False, True)
    """
    return _agree(left, right, TOLERANCE)


def close_by_hand(left: Any, right: Any) -> bool:
    """Whether two values agree, where fractions may be rounded to 2 decimal places, as the tasks allow.

    >>> close_by_hand(0.33, 1 / 3), close_by_hand(0.3, 1 / 3), close_by_hand([-1], (-1.0,)), close_by_hand(2.001, 2)
    (True, False, True, False)
    """
    return _agree(left, right, HALF_A_HUNDREDTH)


def _agree(left: Any, right: Any, error: float) -> bool:
    try:
        return _close(tuples_throughout(left), tuples_throughout(right), error)
    except Exception:
        return False


def _close(left: Any, right: Any, error: float) -> bool:
    if isinstance(right, Mapping):
        return same(left.keys(), right.keys()) and all(_close(left[key], right[key], error) for key in right)
    if isinstance(right, tuple):
        if isinstance(left, str | bytes) or len(left) != len(right):
            return False
        return all(_close(mine, other, error) for mine, other in zip(left, right, strict=True))
    if same(left, right) or not isinstance(right, Number):
        return same(left, right)
    if isinstance(right, int) and (isinstance(left, int) or error > TOLERANCE):
        return False
    if isnan(right):  # type: ignore[arg-type]
        return isnan(left)
    return isclose(left, right, rel_tol=TOLERANCE, abs_tol=error)  # type: ignore[arg-type]


def tuples_throughout(value: Any) -> Any:
    """Convert all lists to tuples, at every level of nesting.

    >>> tuples_throughout([["a"], ("b",)])
    (('a',), ('b',))
    """
    if isinstance(value, list | tuple):
        return tuple(map(tuples_throughout, value))
    if isinstance(value, Mapping):
        return {key: tuples_throughout(item) for key, item in value.items()}
    return value


@view(f"{__name__}.yours", f"{__name__}.program", f"{__name__}.expected")
def answers(recording: Recording[Any, Any], window: StepRange) -> Iterator[Frame]:
    """Yield a frame for each answer, below the earlier ones."""
    for number in window.positions:
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
        counts = (f"{_chip(key)} {text(_answer_text(answer.answer[key]))}" for key in _in_order(answer.answer))
        return "<br>".join(counts) or "(nothing)"
    return _chip(answer.answer)


def _chip(item: Any) -> Html:
    if isinstance(item, tuple) and item:
        chips = [*map(_chip, item)]
        return f"[{' '.join(chips)}]" if _numeric(item) else " + ".join(chips)
    if isinstance(item, Unrepresentable) or not isinstance(item, str):
        return f"<b>{text(_part_text(item))}</b>"
    return chip(item) if item else "(nothing)"
