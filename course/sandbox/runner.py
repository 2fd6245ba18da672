"""The student's side: run the cells of a notebook, and then call its functions as the grader asks.

This program runs in the sandbox, with copies of the modules that it imports and nothing else of this package. Requests
and replies are JSON, one each way at a time; a reply to a call contains only plain values.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import inspect
import io
import json
import linecache
import os
import re
import signal
import sys
import sysconfig
import traceback
from collections.abc import Callable, Collection, Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from multiprocessing.connection import Connection
from types import ModuleType
from typing import Any

from course.sandbox.gradable import class_problem, function_problem
from course.sandbox.stand_ins import stand_in
from course.sandbox.torch_layers import hide_layers
from course.sandbox.values import NotPlainError, decode, encode
from tokenlab.check.isolated_run import Outcome, display, run

MAX_PRINTED = 10_000  # characters of a cell's output that are kept
CUT = f"\n(The rest was cut: a cell may print {MAX_PRINTED:,} characters.)"
MAX_VALUE = 1_000_000  # characters of a value as JSON
OWN = "tokenlab"  # some of its modules are the runner's, and are found before the last finder
PLAIN = "give numbers, strings, lists, tuples, dictionaries or sets"


def _nothing(*_: Any, **__: Any) -> None:
    """Stands for what a notebook's Python has, and the grader's has not."""


IN_A_NOTEBOOK = {"display": print, "help": _nothing, "get_ipython": _nothing}


class Notebook:
    """The variables of a student's notebook, and the objects of its classes that the grader has asked for."""

    def __init__(self) -> None:
        # A module, so that dataclasses and pickle find what the notebook defines.
        sys.modules["__main__"] = ModuleType("__main__")
        self.variables: dict[str, Any] = vars(sys.modules["__main__"])
        self.variables |= {"__builtins__": builtins, **IN_A_NOTEBOOK}
        self.objects: list[Any] = []

    def cell(self, source: str, number: int) -> dict[str, Any]:
        """Run a cell, and return what it printed, and its error."""
        printed, error = BoundedText(), None
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            try:
                self._execute(source, f"<cell {number}>")
            except BaseException as raised:
                error = _described(raised)
        return {"printed": printed.getvalue() + CUT * printed.full, "error": error}

    def _execute(self, source: str, file: str) -> None:
        """Run the statements; print the value of the last one if it is an expression, as a notebook does."""
        source = without_magics(source)
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        tree = ast.parse(source, file)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, file, "exec", dont_inherit=True), self.variables)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), file, "eval", dont_inherit=True), self.variables)
            if value is not None:
                print(display(value, longest=MAX_PRINTED))

    def names(self, wanted: list[str]) -> dict[str, Any]:
        """Return the kind of each of these variables, and the value if it is plain and not too large."""
        found: dict[str, Any] = {}
        room = 2 * MAX_VALUE
        for name in wanted:
            if name in self.variables and not isinstance(self.variables[name], ModuleType):
                found[name] = _kind(self.variables[name], min(room, MAX_VALUE))
                room -= len(json.dumps(found[name]))
        return found

    def problem(self, name: str, parameters: list[str], tensors: bool) -> str:
        """Return the reason why a function gets no points without being run, or ""."""
        return function_problem(self.variables.get(name), parameters, tensors)

    def class_problem(self, name: str, methods: list[str], tensors: bool) -> str:
        """Return the reason why a class gets no points without being used, or ""."""
        return class_problem(self.variables.get(name), methods, tensors)

    def call(self, name: str, arguments: Any, lines: int, tensors: bool) -> dict[str, Any]:
        """Call a function of the notebook."""
        return _reply(run(self.variables[name], decode(arguments), lines, tensors))

    def new(self, name: str, arguments: Any) -> dict[str, Any]:
        """Make an object of a class of the notebook, and return its number."""
        outcome = run(self.variables[name], decode(arguments))
        self.objects.append(outcome.value)
        return _reply(outcome, lambda _: len(self.objects) - 1)

    def method(self, number: int, name: str, arguments: Any) -> dict[str, Any]:
        """Call a method of an object; unlike a function, it may return None."""
        used = getattr(self.objects[number], name)
        if not callable(used):
            return _reply(Outcome(used))
        return _reply(run(used, decode(arguments), tensors=True, may_return_nothing=True))


class BoundedText(io.StringIO):
    """Keeps the beginning of what is printed."""

    full = False

    def write(self, text: str) -> int:
        """Write as much as there is room for."""
        room = MAX_PRINTED - self.tell()
        self.full = self.full or len(text) > room
        super().write(text[:room])
        return len(text)


def without_magics(source: str) -> str:
    """Replace the lines that only IPython understands, such as `%timeit f()`, if the source is no Python with them.

    >>> without_magics("%matplotlib inline\\nx = 1")
    'pass\\nx = 1'
    """
    try:
        ast.parse(source)
    except SyntaxError:
        return re.sub(r"(?m)^(\s*)(?:[%!?].*|.*\?\s*|[\w, ]+=\s*[%!].*)$", r"\1pass", source)
    return source


def _described(error: BaseException) -> dict[str, str]:
    """Return the name, the message, and the lines of a traceback in the student's cells."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith("<cell ")]
    lines = traceback.format_list(frames) + traceback.format_exception_only(error)
    return {
        "name": type(error).__name__,
        "message": display(error, plain=True),
        "traceback": "".join(lines)[-MAX_PRINTED:].encode(errors="backslashreplace").decode(),
    }


def _kind(value: Any, longest: int) -> dict[str, Any]:
    if inspect.isclass(value):
        return {"class": display(value)}
    if callable(value):
        return {"function": display(value)}
    try:
        sent = encode(value)
        if len(json.dumps(sent)) <= longest:
            return {"value": sent}
    except Exception:  # of the student's object, or it is not plain
        pass
    return {"other": display(value)}


def _reply(outcome: Outcome, encoded: Callable[[Any], Any] = encode) -> dict[str, Any]:
    value, problem = None, outcome.problem
    if not problem:
        try:
            value = encoded(outcome.value)
            if len(json.dumps(value)) > MAX_VALUE:
                problem = f"gives a value that is too large: {display(outcome.value, longest=80)}"
        except NotPlainError as error:
            problem = f"gives {display(outcome.value)}, which {error}; {PLAIN}"
        except Exception as error:
            problem = f"gives a value that cannot be read: {type(error).__name__}; {PLAIN}"
    return {
        "value": None if problem else value,
        "problem": problem,
        "printed": bool(outcome.printed),
        "lines": outcome.lines,
    }


def limit(memory: int, seconds: int) -> None:
    """Limit the memory and the files of this process, and the processor time of all that it does."""
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return
    for what, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_DATA, memory),  # the grader's own limit may be lower
        (resource.RLIMIT_FSIZE, 1_000_000),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_NOFILE, 256),
    ):
        with contextlib.suppress(ValueError, OSError):  # macOS refuses a limit of the memory
            resource.setrlimit(what, (most, most))


def own_libraries() -> list[str]:
    """Return the folders of this Python's libraries: a container has its own, and `-S` leaves them out."""
    return list(dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib")))


def main() -> None:
    """Answer requests until the grader closes the connection."""
    requests, replies = Connection(os.dup(0), writable=False), Connection(os.dup(1), readable=False)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):  # the student's code, and its subprocesses, have no streams of the grader
        os.dup2(nothing, stream)
    settings = json.loads(requests.recv_bytes())
    sys.path += [folder for folder in settings["path"] if os.path.isdir(folder)] or own_libraries()
    hide_libraries(settings["hidden"])
    if "torch" not in settings["hidden"]:
        hide_layers()
    limit(settings["memory"], settings["total_seconds"])
    notebook = Notebook()
    while True:
        try:
            request = json.loads(requests.recv_bytes())
        except EOFError:
            return
        _stop_after(request["seconds"])
        reply = getattr(notebook, request["do"])(*request["with"])
        _stop_after(0)
        replies.send_bytes(json.dumps(reply).encode())


def _stop_after(seconds: float) -> None:
    """End this process, also in the middle of C code, after some processor time; 0 cancels that."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)


def hide_libraries(names: Collection[str]) -> None:
    """From now on, an import of these libraries gives stand-ins that do nothing, except for the modules of the runner.

    So the other functions of a cell still exist, and the one that uses a library is refused with its name.

    >>> hide_libraries(["a_tokenizer"])
    >>> from a_tokenizer.models import BPE
    >>> BPE.__module__, BPE.__qualname__
    ('a_tokenizer.models', 'BPE')
    >>> BPE({})
    Traceback (most recent call last):
    ...
    RuntimeError: a_tokenizer.models.BPE is not available here
    """
    sys.meta_path.insert(0, _Finder(frozenset(names) - {OWN}))
    sys.meta_path.append(_Finder(frozenset(names) & {OWN}))


class _Finder(Loader):
    def __init__(self, names: frozenset[str]) -> None:
        self._names = names

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        return ModuleSpec(name, self, is_package=True) if name.partition(".")[0] in self._names else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Missing(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing to run."""


class _Missing(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return stand_in(self.__name__, name)


if __name__ == "__main__":
    main()
