"""The functions, classes and values of a student's notebook, as the hidden tests see them."""

from __future__ import annotations

import builtins
import re
from collections.abc import Sequence
from typing import Any

from course.sandbox.process import StoppedError, StudentProcess
from course.sandbox.values import NotPlainError, decode, encode
from tokenlab.check.function_check import MAX_SHRINKS
from tokenlab.check.isolated_run import MAX_LINES, Outcome, RemoteCallError


class Opaque:
    """A value of a notebook that is not plain; it equals nothing else."""

    def __init__(self, written: str) -> None:
        self._written = written

    def __repr__(self) -> str:
        return self._written


def variables_of(student: StudentProcess, source: str) -> dict[str, Any]:
    """Return the variables of a student's notebook that occur in the source of a test.

    Names of Python's own functions are left out: a test that looks up `exec` must not find the student's.
    """
    wanted = sorted(name for name in set(re.findall(r"\w+", source)) if is_free(name))
    try:
        kinds = student.ask("names", wanted)
        return {name: _of_kind(student, name, kinds[name]) for name in wanted if name in kinds}
    except Exception:  # the process ended, or the reply is forged
        return {}


def is_free(name: str) -> bool:
    """Whether a student's variable may have this name in a test.

    >>> is_free("my_merge"), is_free("exec"), is_free("__builtins__")
    (True, False, False)
    """
    return name.isidentifier() and not name.startswith("_") and not hasattr(builtins, name)


def _of_kind(student: StudentProcess, name: str, kind: dict[str, Any]) -> Any:
    if "function" in kind:
        return RemoteFunction(student, name)
    if "class" in kind:
        return RemoteClass(student, name)
    try:
        return decode(kind["value"]) if "value" in kind else Opaque(str(kind.get("other")))
    except NotPlainError as error:
        return Opaque(f"a value that {error}")


class RemoteFunction:
    """A function in the student's process."""

    def __init__(self, student: StudentProcess, name: str) -> None:
        self._student, self.__name__ = student, name

    def __call__(self, *arguments: Any) -> Any:
        """Call the function; raise an exception if it has a problem."""
        return _value(self.run_there(arguments, MAX_LINES, tensors=True))

    def problem(self, parameters: Sequence[str], tensors: bool = False) -> str:
        """Return the reason why it gets no points without being run, or ""."""
        return _problem(self._student, "problem", self.__name__, parameters, tensors)

    def run_there(self, arguments: tuple[Any, ...], lines: int, tensors: bool) -> Outcome:
        """Call the function in the student's process, as `isolated_run.run` does."""
        given = (self.__name__, encode(arguments), lines, tensors)
        return _outcome(self._student, "call", *given, about=self.__name__)


class RemoteClass:
    """A class in the student's process."""

    def __init__(self, student: StudentProcess, name: str) -> None:
        self._student, self.__name__ = student, name

    def __call__(self, *arguments: Any) -> RemoteObject:
        """Make an object there."""
        number = _value(_outcome(self._student, "new", self.__name__, encode(arguments), about=self.__name__))
        return RemoteObject(self._student, self.__name__, number)

    def class_problem(self, methods: Sequence[str], tensors: bool = False) -> str:
        """Return the reason why it gets no points without being used, or ""."""
        return _problem(self._student, "class_problem", self.__name__, methods, tensors)


class RemoteObject:
    """An object in the student's process; only its methods can be used."""

    def __init__(self, student: StudentProcess, name: str, number: int) -> None:
        self._student, self._name, self._number = student, name, number
        self._process = student.started

    def __getattr__(self, method: str) -> Any:
        def call(*arguments: Any) -> Any:
            if self._student.started != self._process:
                raise RemoteCallError("was stopped")
            given = (self._number, method, encode(arguments))
            return _value(_outcome(self._student, "method", *given, about=self._name))

        if method.startswith("__"):
            raise AttributeError(method)
        return call


def _value(outcome: Outcome) -> Any:
    if outcome.problem:
        raise RemoteCallError(outcome.problem)
    return outcome.value


def _problem(student: StudentProcess, question: str, name: str, given: Sequence[str], tensors: bool) -> str:
    try:
        return str(student.ask(question, name, list(given), tensors, about=name))[:500]
    except StoppedError as error:
        return f"{name} {error}"


def _outcome(student: StudentProcess, do: str, *given: Any, about: str) -> Outcome:
    try:
        reply = student.ask(do, *given, about=about)
        return Outcome(
            decode(reply["value"]), str(reply["problem"]), "printed" * bool(reply["printed"]), int(reply["lines"])
        )
    except StoppedError as error:
        # subtle: a search gives up after this many lines, so that the next inputs are not tried.
        return Outcome(problem=str(error), lines=MAX_SHRINKS)
    except Exception:  # the reply is forged, or its value is not plain
        return Outcome(problem="gives an answer that cannot be read")
