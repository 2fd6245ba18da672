"""A limit for the grader's own work: comparing a student's result has to end, whatever the result is."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from typing import Any


class TooLongError(BaseException):
    """The work took too long; it is no Exception, so that a test does not take it for a problem of the student's."""


@contextlib.contextmanager
def stopped_after(seconds: float) -> Iterator[None]:
    """Raise a TooLongError after some processor time of this process; on Windows, there is no limit.

    >>> with stopped_after(0.1):
    ...     while True:
    ...         pass
    Traceback (most recent call last):
    ...
    course.time_limit.TooLongError: the results of your functions take too long to compare
    """

    def stop(*_: Any) -> None:
        raise TooLongError("the results of your functions take too long to compare")

    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)  # again after each second: whoever catches the error goes on
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
