"""Run a learner's function once, even if it loops forever, changes its arguments, prints, or raises.

Adds: the outcome, as a value or a description of the problem. A function that does not end is stopped by counting the
lines that it runs; in a browser tab, where nobody can interrupt it, also by the seconds. Leaves out: whether the value
is right, and limits of memory and of one long call into C, such as `list(itertools.count())`, which nothing stops in a
tab: restart the kernel, or close the tab.

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
import dis
import inspect
import io
import linecache
import re
import sys
import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache, partial
from types import CodeType, FrameType, TracebackType
from typing import Any

from tokenlab.check.result_types import type_difference, type_mismatch, type_rule, wrong_key
from tokenlab.check.tensor_values import has_tensors, identical, is_tensor, tensor_text, written

# Lines of a learner's code that one call may run. Most calls need about 100, but a right function may also build a
# table of all bytes for each byte.
MAX_LINES = 1_000_000
# Seconds that one call may take in a browser tab. Elsewhere a call has no such limit: a verdict must not depend on the
# machine, and a learner can interrupt the kernel.
SECONDS = 30.0 if sys.platform == "emscripten" else float("inf")
CLOCK = 1000  # lines after which the time is read again
MAX_DEPTH = 4  # nesting levels searched for a changed argument; a list may contain itself


@dataclass(frozen=True)
class Outcome:
    """The result of a call, or a description of its problem; the printed text, and the number of lines run."""

    value: Any = None
    problem: str = ""
    printed: str = ""
    lines: int = field(default=0, compare=False, repr=False)
    rule: str = field(default="", compare=False, repr=False)  # that the problem breaks, if it is one of types

    def __str__(self) -> str:
        value = tensor_text(self.value, described=True) if is_tensor(self.value) else display(self.value)
        return self.problem or f"gives {value}"


class UnusableResultError(Exception):
    """Raised by a check whose function returned something that cannot be compared.

    Args:
        problem: what the function did.
        rule: the rule that it broke, if it is one of types.
    """

    def __init__(self, problem: str, rule: str = "") -> None:
        super().__init__(problem)
        self.rule = rule


class RemoteCallError(Exception):
    """A call in another process had this problem, which becomes the problem of the function that made the call."""


def run(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    lines: int = MAX_LINES,
    tensors: bool = False,
    may_return_nothing: bool = False,
) -> Outcome:
    """Call the function and return the outcome; only a keyboard interrupt is raised.

    A function in another process is called there: it has a method `run_there` for this.

    Args:
        function: the learner's function.
        arguments: its arguments, which are copied.
        lines: the number of lines that it may run.
        tensors: whether a tensor of torch is a result.
        may_return_nothing: whether None is a result.
    """
    if there := getattr(function, "run_there", None):
        outcome: Outcome = there(arguments, lines, tensors)
        return outcome
    given = deepcopy(arguments)
    printed = io.StringIO()
    problem, rule, value = "", "", None
    with contextlib.redirect_stdout(printed), LineLimit(lines, function) as counted:
        try:
            value = function(*given)
        except KeyboardInterrupt:
            raise
        except RemoteCallError as error:
            problem = str(error)
        except UnusableResultError as error:
            problem, rule = str(error), error.rule
        except BaseException as error:
            problem = _raised(error, function)
            if isinstance(error, KeyError) and len(error.args) == 1:
                clause, rule = wrong_key(error.args[0], arguments)
                problem += clause and f"; {clause}"
    if counted.exceeded:
        limit = f"{counted.seconds:g} seconds" if counted.late else f"{lines:,} lines"
        problem = f"does not end: after {limit} it was still in line {counted.line}"
    allowed = (tensors and has_tensors(value)) or (value is None and may_return_nothing)
    value = value if allowed else plain_numbers(value)
    problem = problem or _changed(function, arguments, given)
    problem = problem or ("" if allowed else not_a_value(value, printed.getvalue()))
    return Outcome(None if problem else value, problem, printed.getvalue(), counted.counted, rule)


def _raised(error: BaseException, function: Callable[..., Any]) -> str:
    where = _last_line(error.__traceback__, namespace_of(function))
    message = display(error, plain=True)
    return f"raises {type(error).__name__}{message and f': {message}'}{where}"


def _last_line(traceback: TracebackType | None, namespace: dict[str, Any] | None) -> str:
    """Return the last line of the learner's own code in a traceback: its number, and its text if available."""
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
            part, inside = _innermost(name, old, new)
            copy = f"{part}.clone()" if is_tensor(inside) else f"{type(inside).__name__}({part})"
            advice = "work on a copy" if part == name else "work on copies, also of what is inside it"
            return f"changes its argument {name}: {display(old)} became {display(new)}; {advice}, such as {copy}"
    return ""


def _innermost(name: str, old: Any, new: Any, deep: int = MAX_DEPTH) -> tuple[str, Any]:
    """Return the innermost list, set or dictionary with a change: its expression, and its old value."""
    for place, before, after in _parts_of(old, new) if deep else ():
        contains = isinstance(before, list | tuple | dict | set) or is_tensor(before)
        if contains and type(before) is type(after) and not same(before, after):
            part, inside = _innermost(f"{name}[{place!r}]", before, after, deep - 1)
            if not isinstance(inside, tuple):  # a tuple cannot change: it was replaced
                return part, inside
    return name, old


def _parts_of(old: Any, new: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Yield each key or index with its old and new value, if no key or index was added or removed."""
    if isinstance(old, dict) and isinstance(new, dict) and same(old.keys(), new.keys()):
        yield from ((key, old[key], new[key]) for key in old)
    elif isinstance(old, list | tuple) and isinstance(new, list | tuple) and len(old) == len(new):
        yield from zip(range(len(old)), old, new, strict=True)


def _names(function: Callable[..., Any], number: int) -> list[str]:
    with contextlib.suppress(TypeError, ValueError):
        bound = inspect.signature(function).bind(*range(number))
        if len(bound.arguments) == number:
            return list(bound.arguments)
    return [f"number {place}" for place in range(1, number + 1)]


def plain_numbers(value: Any, deep: int = MAX_DEPTH) -> Any:
    """Convert scalars of numpy and torch to Python numbers, also in lists, tuples and dictionaries.

    >>> import numpy as np
    >>> plain_numbers([(np.int64(2), "a"), {"b": np.float64(0.5)}])
    [(2, 'a'), {'b': 0.5}]
    """
    if type(value).__module__ in ("numpy", "torch") and getattr(value, "ndim", None) == 0:
        with contextlib.suppress(Exception):
            return value.item()
    if deep and type(value) in (list, tuple, dict):
        before = [*value.values()] if type(value) is dict else [*value]
        after = [plain_numbers(part, deep - 1) for part in before]
        if any(one is not other for one, other in zip(before, after, strict=True)):
            return dict(zip(value, after, strict=True)) if type(value) is dict else type(value)(after)
    return value


def returned(value: Any, example: Any = None) -> Any:
    """Return what a learner's function returned inside a check, with Python numbers.

    Raises:
        UnusableResultError: it is no value, or its type is not that of the example.
    """
    value = plain_numbers(value)
    problem, rule = not_a_value(value), ""
    if not problem and example is not None and (words := type_mismatch(value, example)):
        problem, rule = (
            f"gives {display(value)}; {words[0].lower()}{words[1:-1]}",
            type_rule(type_difference(value, example)),
        )
    if problem:
        raise UnusableResultError(problem, rule)
    return value


def not_a_value(value: Any, printed: str = "") -> str:
    """Return why a value is no result, such as None, or ""."""
    if value is None and printed:
        return f"prints {display(printed.rstrip())} and gives nothing back; end with return instead of print"
    if value is None:
        return "gives None; a return is missing on some way through it"
    if isinstance(value, Iterator) or inspect.iscoroutine(value):
        if inspect.iscoroutine(value):
            value.close()
        return f"gives a {type(value).__name__}, which holds no result yet; give a list or a tuple"
    kind = {"numpy": "an array of numpy", "torch": "a tensor of torch"}.get(type(value).__module__)
    if kind and hasattr(value, "tolist"):
        return f"gives {kind}, {display(value)}; give a list, which its method tolist makes"
    return ""


def same(left: Any, right: Any) -> bool:
    """Whether two values are equal; values that cannot be compared are not.

    >>> same([1], [1]), same([1], (1,))
    (True, False)
    """
    try:
        return left is right or (identical(left, right) if has_tensors(left) else bool(left == right))
    except Exception:
        return False


def display(value: Any, plain: bool = False, longest: int = 300) -> str:
    """Return the `repr` of a value, truncated, without addresses, and with sets sorted; never raises.

    >>> display("a" * 9, longest=6), display({"b", "a"}), display(object())
    ("'aaaa…", "{'a', 'b'}", '<object object>')
    """
    try:
        written = str(value) if plain else _written(value)
    except Exception as error:
        written = f"a {type(value).__name__} whose {'str' if plain else 'repr'} raises {type(error).__name__}"
    written = re.sub(r" at 0x[0-9a-fA-F]+", "", written).encode(errors="backslashreplace").decode()
    return written if len(written) <= longest else f"{written[: longest - 1]}…"


def _written(value: Any) -> str:
    """The `repr`, with the elements of a set sorted, so that it is the same in every process."""
    if type(value) is set and value:
        return f"{{{', '.join(sorted(map(repr, value)))}}}"
    return written(value) if has_tensors(value) else repr(value)


class LineLimitExceededError(BaseException):
    """Stops a function. If the function catches it, counting continues and it is raised again."""

    def __init__(self, again: Callable[[], None]) -> None:
        super().__init__()
        self._again = again

    def __del__(self) -> None:
        # subtle: Python ends all tracing when a tracer raises; once the error is gone, tracing has to be restarted.
        self._again()


class LineLimit:
    """Count the lines that run in a function's own namespace, and stop the function at the limit.

    The same program therefore gets the same verdict on every machine, in every thread and on every system. Two kinds of
    loop cannot be stopped: one inside C, such as `list(count())`, and one in another module than the function's own. In
    a browser tab, which has no signals and no other process, a limit of seconds stops the latter kind too.

    >>> def forever():
    ...     while True:
    ...         pass
    >>> with LineLimit(1000, forever) as lines:
    ...     forever()
    Traceback (most recent call last):
    ...
    tokenlab.check.isolated_run.LineLimitExceededError
    >>> lines.exceeded, lines.line
    (True, 2)
    """

    def __init__(self, lines: int, function: Callable[..., Any], seconds: float = SECONDS) -> None:
        self._most = self._left = lines
        self._elsewhere = 0  # lines run in other modules
        self._namespace = namespace_of(function)
        self._active = False
        self.seconds = seconds
        self.late = False  # whether it was stopped because of the time
        self.line = 0  # where it was stopped

    @property
    def exceeded(self) -> bool:
        """Whether more lines than the limit were run, or the time was over."""
        return self._left < 0

    @property
    def counted(self) -> int:
        """Number of lines run; all that are allowed if the time was over, so that a search ends."""
        return self._most - max(self._left, 0)

    def __enter__(self) -> LineLimit:
        self._before = sys.gettrace()
        self._active = True
        self._end = time.monotonic() + self.seconds
        sys.settrace(self._trace)
        return self

    def __exit__(self, *_: object) -> None:
        self._active = False
        sys.settrace(self._before)

    def _trace(self, frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_globals is not self._namespace:
            return None if self.seconds == float("inf") else self._trace_elsewhere
        if event == "call":
            frame.f_trace_opcodes = _jumps_to_itself(frame.f_code)
        elif event in ("line", "opcode"):
            self._left -= 1
            if self._left < 0 or (self._left % CLOCK == 0 and self._is_late()):
                self.line = frame.f_lineno
                raise LineLimitExceededError(self._again)
        return self._trace

    def _trace_elsewhere(self, frame: FrameType, event: str, _: Any) -> Any:
        """Read the time while a function of another module runs; the line is that of the learner's own call."""
        self._elsewhere += event == "line"
        if event == "line" and self._elsewhere % CLOCK == 0 and self._is_late():
            own: FrameType | None = frame
            while own and own.f_globals is not self._namespace:
                own = own.f_back
            self.line = own.f_lineno if own else 0
            raise LineLimitExceededError(self._again)
        return self._trace_elsewhere

    def _is_late(self) -> bool:
        if time.monotonic() > self._end:
            self.late, self._left = True, -1
        return self.late

    def _again(self) -> None:
        if not self._active:
            return
        frame: FrameType | None = sys._getframe(2)  # the caller of __del__: the function, or the caller of this class
        while frame:
            if frame.f_globals is self._namespace:
                frame.f_trace = self._trace
            frame = frame.f_back
        sys.settrace(self._trace)


@cache
def _jumps_to_itself(code: CodeType) -> bool:
    """Whether the code has `while True: pass` on one line; Python 3.11 does not report that line again."""
    steps = dis.get_instructions(code)
    return any(step.opname.startswith("JUMP_BACKWARD") and step.argval == step.offset for step in steps)


def namespace_of(function: Any) -> dict[str, Any] | None:
    """Return the global namespace of a function or of a class's methods, or None if it is not written in Python.

    >>> namespace_of(partial(namespace_of, len))["__name__"], namespace_of(len)
    ('tokenlab.check.isolated_run', None)
    """
    function = inspect.unwrap(function)
    if inspect.isclass(function):
        return next((namespace_of(method) for method in vars(function).values() if inspect.isfunction(method)), None)
    if isinstance(function, partial):
        return namespace_of(function.func)
    found = getattr(function, "__globals__", None) or getattr(type(function).__call__, "__globals__", None)
    return found if isinstance(found, dict) else None
