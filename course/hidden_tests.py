"""Run the hidden tests of a submission: the inputs that decide are a secret, and those that feedback shows are not.

In a course with a secret, a test runs on inputs that are drawn for this submission alone. If it fails, it runs again on
the inputs of the public kit, in a process that has seen no others, and the feedback shows one of these, at most one for
each task. So nobody learns a graded input from feedback.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from course.assignment import task_of
from course.course_seed import drawing_from
from course.grading import FailedInputError
from course.time_limit import TooLongError
from tokenlab.check.isolated_run import display

LONGEST = 5000  # characters of a message


class HiddenTests:
    """The tests of a submission."""

    def __init__(self, secret: str, *submission: str) -> None:
        """Draw inputs from the secret of the course and what tells this submission from others; "" draws nothing."""
        self._drawn = (secret, *submission) if secret else ()
        self._shown = set[str]()  # the tasks for which an input was shown

    def failure(
        self, cell: str, source: str, names: dict[str, Any], public: Callable[[], BaseException | None] | None = None
    ) -> tuple[str, str] | None:
        """Run the test in a cell with these names; return the kind of its error and a message, or None if it passes.

        What is said comes from a run with public inputs: `public` returns its error, by default with the same names. It
        should come from a process that has seen no graded input, because a function could say what it was given.
        """
        with drawing_from(*self._drawn) if self._drawn else contextlib.nullcontext():
            error = raised(source, names)
        if error is None:
            return None
        found = error if not self._drawn else public() if public else raised(source, names)
        if isinstance(found, FailedInputError):
            message = found.without_input if self._drawn and task_of(cell) in self._shown else str(found)
            self._shown.add(task_of(cell))
            return AssertionError.__name__, display(message, plain=True, longest=LONGEST)
        if found is not None:
            return type(found).__name__, display(found, plain=True, longest=LONGEST)
        said = error.without_input if isinstance(error, FailedInputError) else "It fails on an input that is not shown."
        return AssertionError.__name__, said


def raised(source: str, names: dict[str, Any]) -> BaseException | None:
    """Run a test with these names, and return what it raises."""
    try:
        with contextlib.redirect_stdout(None):
            exec(compile(source, "tests", "exec"), {"__name__": "__main__", **names})
    except (Exception, TooLongError) as error:
        return error
    return None
