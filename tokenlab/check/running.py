"""Running a learner's function once, whatever it does: it may loop for ever, change its arguments, print, or raise.

Adds: what it did, as a value or in words. Leaves out: whether that is right.

>>> def count(word):
...     return len(word)
>>> run(count, ("hug",))
Outcome(value=3, problem='', printed='')
>>> def last(word):
...     return word.pop()
>>> print(run(last, (["h", "u"],)).problem)
changes its argument word: ['h', 'u'] became ['h']; work on a copy, such as list(word)
"""

from __future__ import annotations

import contextlib
import inspect
import io
import linecache
import sys
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from types import FrameType, TracebackType
from typing import Any

LINES = 50_000  # of a learner's code that one call may run; the inputs that are tried need some hundred


@dataclass(frozen=True)
class Outcome:
    """What a function did: what it gave back, or the problem in words, and what it printed."""

    value: Any = None
    problem: str = ""
    printed: str = ""

    def __str__(self) -> str:
        """As it follows the call in a sentence."""
        return self.problem or f"gives {shown(self.value)}"


def run(function: Callable[..., Any], arguments: tuple[Any, ...], lines: int = LINES) -> Outcome:
    """What the function does with these arguments; nothing that it does gets out, but for a keyboard interrupt."""
    given = deepcopy(arguments)
    printed = io.StringIO()
    problem, value = "", None
    with contextlib.redirect_stdout(printed), _at_most(lines, _namespace(function)):
        try:
            value = function(*given)
        except KeyboardInterrupt:
            raise
        except _TooLongError as too_long:
            problem = f"does not end: after {lines:,} lines it was still in line {too_long.line}"
        except BaseException as error:
            problem = _raised(error, function)
    problem = problem or _changed(function, arguments, given) or _not_a_value(value, printed.getvalue())
    return Outcome(None if problem else value, problem, printed.getvalue())


class _TooLongError(BaseException):
    def __init__(self, line: int) -> None:
        self.line = line


def _namespace(function: Callable[..., Any]) -> dict[str, Any] | None:
    function = inspect.unwrap(function)
    namespace: dict[str, Any] | None = getattr(function, "__globals__", None)
    return namespace


@contextlib.contextmanager
def _at_most(lines: int, namespace: dict[str, Any] | None) -> Iterator[None]:
    """Count the lines that run in the learner's own namespace, and stop there when they are too many.

    Lines, not seconds: the same program gets the same answer on every machine, in any thread, on any system.
    """
    left = lines

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        if namespace is not None and frame.f_globals is not namespace:
            return None
        if event == "line":
            left -= 1
            if left < 0:
                raise _TooLongError(frame.f_lineno)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


def _raised(error: BaseException, function: Callable[..., Any]) -> str:
    where = _last_line(error.__traceback__, _namespace(function))
    message = f": {shown(error, plain=True)}" if str(error) else ""
    return f"raises {type(error).__name__}{message}{where}"


def _last_line(traceback: TracebackType | None, namespace: dict[str, Any] | None) -> str:
    """Where the learner's own code was: the line's number, and its text where it is at hand."""
    where = ""
    while traceback:
        frame = traceback.tb_frame
        if frame.f_globals is namespace:
            text = linecache.getline(frame.f_code.co_filename, traceback.tb_lineno).strip()
            where = f", in line {traceback.tb_lineno}" + (f": {text}" if text else "")
        traceback = traceback.tb_next
    return where


def _changed(function: Callable[..., Any], before: tuple[Any, ...], after: tuple[Any, ...]) -> str:
    for name, old, new in zip(_names(function, len(before)), before, after, strict=True):
        if not same(old, new):
            return (
                f"changes its argument {name}: {shown(old)} became {shown(new)}; "
                f"work on a copy, such as {type(old).__name__}({name})"
            )
    return ""


def _names(function: Callable[..., Any], number: int) -> list[str]:
    with contextlib.suppress(TypeError, ValueError):
        bound = inspect.signature(function).bind(*range(number))
        if len(bound.arguments) == number:
            return list(bound.arguments)
    return [f"number {place}" for place in range(1, number + 1)]


def _not_a_value(value: Any, printed: str) -> str:
    if value is None and printed:
        return f"prints {shown(printed.rstrip())} and gives nothing back; end with return instead of print"
    if value is None:
        return "gives None; is there a return on every way through it?"
    if isinstance(value, Iterator) or inspect.iscoroutine(value):
        if inspect.iscoroutine(value):
            value.close()
        return f"gives a {type(value).__name__}, which holds no result yet; give a list or a tuple"
    return ""


def same(left: Any, right: Any) -> bool:
    """Whether two values are equal; what cannot be compared is not.

    >>> same([1], [1]), same([1], (1,))
    (True, False)
    """
    try:
        return bool(left == right)
    except Exception:
        return False


def shown(value: Any, plain: bool = False, longest: int = 300) -> str:
    """A value as Python writes it, but not too long; whatever its own `repr` does.

    >>> shown("a" * 9, longest=6)
    "'aaaa…"
    """
    try:
        written = str(value) if plain else repr(value)
    except Exception as error:
        written = f"a {type(value).__name__} whose repr raises {type(error).__name__}"
    return written if len(written) <= longest else f"{written[: longest - 1]}…"
