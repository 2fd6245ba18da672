"""Stop a function that does not end by counting the lines that it runs, not the seconds.

The same program therefore gets the same verdict on every machine, in every thread and on every system. Two kinds of
loop cannot be stopped: one inside C, such as `list(count())`, and one in another module than the function's own.

>>> def forever():
...     while True:
...         pass
>>> with LineLimit(1000, forever) as lines:
...     forever()
Traceback (most recent call last):
...
tokenlab.check.line_limit.LineLimitExceededError
>>> lines.exceeded, lines.line
(True, 2)
"""

from __future__ import annotations

import dis
import inspect
import sys
from collections.abc import Callable
from functools import cache, partial
from types import CodeType, FrameType
from typing import Any


class LineLimitExceededError(BaseException):
    """Stops a function. If the function catches it, counting continues and it is raised again."""

    def __init__(self, again: Callable[[], None]) -> None:
        super().__init__()
        self._again = again

    def __del__(self) -> None:
        # subtle: Python ends all tracing when a tracer raises; once the error is gone, tracing has to be restarted.
        self._again()


class LineLimit:
    """Count the lines that run in a function's own namespace, and stop the function at the limit."""

    def __init__(self, lines: int, function: Callable[..., Any]) -> None:
        self._most = self._left = lines
        self._namespace = namespace_of(function)
        self._active = False
        self.line = 0  # where it was stopped

    @property
    def exceeded(self) -> bool:
        """Whether more lines than the limit were run."""
        return self._left < 0

    @property
    def counted(self) -> int:
        """Number of lines run."""
        return self._most - max(self._left, 0)

    def __enter__(self) -> LineLimit:
        self._before = sys.gettrace()
        self._active = True
        sys.settrace(self._trace)
        return self

    def __exit__(self, *_: object) -> None:
        self._active = False
        sys.settrace(self._before)

    def _trace(self, frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_globals is not self._namespace:
            return None
        if event == "call":
            frame.f_trace_opcodes = _jumps_to_itself(frame.f_code)
        elif event in ("line", "opcode"):
            self._left -= 1
            if self._left < 0:
                self.line = frame.f_lineno
                raise LineLimitExceededError(self._again)
        return self._trace

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
    ('tokenlab.check.line_limit', None)
    """
    function = inspect.unwrap(function)
    if inspect.isclass(function):
        return next((namespace_of(method) for method in vars(function).values() if inspect.isfunction(method)), None)
    if isinstance(function, partial):
        return namespace_of(function.func)
    found = getattr(function, "__globals__", None) or getattr(type(function).__call__, "__globals__", None)
    return found if isinstance(found, dict) else None
