"""The grader's side: start the process of a student, and ask it with a limit of time.

A process that ends or does not answer is started again without the cell that ended it, so that the other functions
are still graded.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread, Timer
from types import TracebackType
from typing import Any, NamedTuple

import psutil

from course.sandbox import commands
from course.sandbox.gradable import LIBRARIES

ROOT = Path(__file__).parents[2]
# The modules of the runner: none of them contains a reference implementation or a check.
MODULES = (
    "tokenlab/check/isolated_run",
    "tokenlab/check/result_types",
    "tokenlab/check/student_id",
    "tokenlab/check/submission_state",
    "tokenlab/check/tensor_values",
    "course/sandbox/gradable",
    "course/sandbox/runner",
    "course/sandbox/stand_ins",
    "course/sandbox/torch_layers",
    "course/sandbox/values",
)
START = "import sys; sys.path.insert(0, {!r}); from course.sandbox.runner import main; main()"
MAX_REPLY = 4_000_000  # bytes


@dataclass(frozen=True)
class Limits:
    """The limits of a student's process: seconds of processor time, seconds of waiting, and bytes of memory."""

    per_cell: float = 30
    per_call: float = 10
    in_total: int = 600
    waiting: float = 60  # for one answer; only a process that sleeps needs more than its processor time
    waiting_in_total: float = 180
    memory: int = 2_000_000_000  # of a process, and twice as much of all that it starts
    processes: int = 16  # that it starts, with those of the sandbox
    threads: int = 64  # of all of them


class StoppedError(Exception):
    """The process ended, or was ended because it did not answer."""


class NoRoomError(BaseException):
    """The grader cannot start a process or a thread; it is no Exception, because the student's code is not wrong."""


@cache
def _kit() -> TemporaryDirectory[str]:
    """Copy the modules of the runner into a folder, as two packages without anything else."""
    folder = TemporaryDirectory(prefix="tokenlab-runner-")
    for module in MODULES:
        copy = Path(folder.name) / f"{module}.py"
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / f"{module}.py", copy)
        for package in (copy.parent, copy.parents[1]):
            (package / "__init__.py").touch()
    for path in [Path(folder.name), *Path(folder.name).rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)  # for the user that root becomes
    return folder


class StudentProcess:
    """A process that runs the cells of a notebook, one by one, and calls its functions."""

    def __init__(self, libraries: Collection[str] = (), limits: Limits | None = None, sandbox: str = "") -> None:
        self._libraries, self._limits = libraries, limits or Limits()
        self._sandbox = sandbox or commands.chosen()
        if not self._sandbox:
            raise ValueError(commands.NEEDED)
        self._cells: list[tuple[str, int]] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._stops: dict[str, int] = {}
        self._waited = 0.0
        self._too_much = ""  # why the process was ended by `_watch`
        self.started = 0  # so that an object of an earlier process is recognized

    def __enter__(self) -> StudentProcess:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stop()

    def cell(self, source: str, number: int) -> dict[str, Any]:
        """Run a cell, and return what it printed and its error; a cell that ends the process counts as not there."""
        try:
            reply: dict[str, Any] = self._asked("cell", [source, number], self._limits.per_cell)
        except StoppedError as error:
            return {"printed": "", "error": {"name": "Stopped", "message": str(error), "traceback": f"{error}"}}
        self._cells.append((source, number))
        return reply if isinstance(reply, dict) else {}

    def follow(self, other: StudentProcess) -> None:
        """Run the cells that another process has run, and this one has not."""
        if other._cells[: len(self._cells)] != self._cells:
            self.end()
            self._cells = []
        for source, number in other._cells[len(self._cells) :]:
            self.cell(source, number)

    def end(self) -> None:
        """End the process; it starts again when it is asked something."""
        self._stop()

    def repeat(self, other: StudentProcess, more: Sequence[str]) -> None:
        """Become a process that has run the cells of another one, and then these; if it is that already, do nothing."""
        cells = [*other._cells, *((source, -1) for source in more)]
        if cells != self._cells:
            self._stop()
            self._cells, self._stops = cells, {}

    def ask(self, do: str, *given: Any, about: str = "") -> Any:
        """Ask about a function or a class, which is named in `about`.

        Raises:
            StoppedError: there was no answer; after two of these, the function is not called again.
        """
        if self._stops.get(about, 0) == 2:
            raise StoppedError("was stopped twice, and is not called again")
        try:
            return self._asked(do, list(given), self._limits.per_call)
        except StoppedError:
            self._stops[about] = self._stops.get(about, 0) + bool(about)
            raise

    def _asked(self, do: str, given: list[Any], seconds: float) -> Any:
        if self._waited > self._limits.waiting_in_total:
            raise StoppedError("is not run: the notebook took too long in total")
        start = time.monotonic()
        try:
            if self._process is None:
                self._start()
            return json.loads(self._exchanged({"do": do, "with": given, "seconds": seconds}))
        except RuntimeError as error:
            if "thread" in str(error):
                raise NoRoomError(str(error)) from error
            raise
        except (EOFError, OSError, ValueError, RecursionError):
            status = self._stop()
            raise StoppedError(self._reason(status, seconds)) from None
        except BaseException:  # a question without its answer would shift all later answers
            self._stop()
            raise
        finally:
            self._waited += time.monotonic() - start

    def _reason(self, status: int | None, seconds: float) -> str:
        """Explain the exit status; a program that starts others, such as bwrap, adds 128 to the number of a signal."""
        if self._too_much:
            return self._too_much
        numbers = [getattr(signal, name, 0) for name in ("SIGPROF", "SIGXCPU")]
        if status in [-number for number in numbers] + [128 + number for number in numbers]:
            return f"does not end: it was stopped after {seconds:g} seconds of processor time"
        if status in (None, -getattr(signal, "SIGKILL", 9)):
            return f"gives no answer in {self._limits.waiting:g} seconds, or one that is too large"
        return "ends Python itself; look for exit, os._exit, or too much memory"

    def _start(self) -> None:
        with _or_no_room():
            kit = Path(_kit().name)
        code = commands.first_words(self._sandbox) + START.format(commands.kit_seen_by(self._sandbox, kit))
        with _or_no_room(), commands.call_filter(self._sandbox) as files:
            self._process = subprocess.Popen(
                [*commands.command_for(self._sandbox, kit, self._libraries, files), code],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                env={"PATH": os.defpath, "OMP_NUM_THREADS": "1", "LANG": "C.UTF-8"},
                cwd=kit if self._sandbox == "none" else None,
                pass_fds=files,
            )
        assert self._process.stdin and self._process.stdout
        self._requests = Connection(os.dup(self._process.stdin.fileno()), readable=False)
        self._replies = Connection(os.dup(self._process.stdout.fileno()), writable=False)
        self._process.stdin.close()
        self._process.stdout.close()
        self.started += 1
        self._too_much, self._ended = "", Event()
        Thread(target=self._watch, args=(self._process, self._ended), daemon=True).start()
        self._send(
            {
                "path": commands.site_packages(),
                "hidden": [name for name in LIBRARIES if name not in self._libraries],
                "memory": self._memory(),
                "total_seconds": self._limits.in_total,
            }
        )
        earlier = self._cells
        for index, (source, number) in enumerate(earlier):
            self._cells = earlier[:index] + earlier[index + 1 :]  # if this cell ends the process now
            self._exchanged({"do": "cell", "with": [source, number], "seconds": self._limits.per_cell})
        self._cells = earlier

    def _memory(self) -> int:
        """Return the bytes of memory that a process may use; torch needs more."""
        return self._limits.memory * (3 if "torch" in self._libraries else 1)

    def _watch(self, process: subprocess.Popen[bytes], ended: Event) -> None:
        """End the process if what it starts becomes too much: only each process has limits of its own."""
        start = time.monotonic()
        while not ended.wait(0.2):
            family = _family(process.pid, self._limits.processes)
            seconds = sum(one.seconds for one in family)
            if len(family) > self._limits.processes or sum(one.threads for one in family) > self._limits.threads:
                self._too_much = (
                    f"starts more than {self._limits.processes} processes, or {self._limits.threads} threads"
                )
            elif sum(one.memory for one in family) > 2 * self._memory():
                self._too_much = "uses too much memory, in several processes"
            elif seconds > self._limits.per_cell + 1.5 * (time.monotonic() - start):
                self._too_much = "keeps several processors busy"
            else:
                continue
            if process is self._process:
                self._kill()
            return

    def _exchanged(self, request: dict[str, Any]) -> bytes:
        """Send a request and return the reply.

        Raises:
            EOFError, OSError: the process ended, or did not answer in time.
        """
        with self._deadline():
            self._send(request)
            if not self._replies.poll(self._limits.waiting):
                raise EOFError
            return self._replies.recv_bytes(MAX_REPLY)

    def _send(self, request: dict[str, Any]) -> None:
        self._requests.send_bytes(json.dumps(request).encode())

    @contextlib.contextmanager
    def _deadline(self) -> Iterator[None]:
        """End the process if it does not answer in time; then sending and receiving fail."""
        assert self._process
        timer = Timer(self._limits.waiting, self._kill)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _kill(self) -> None:
        """End the process, and the processes that it started."""
        assert self._process
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.kill()

    def _stop(self) -> int | None:
        """End the process; return its exit status if it had ended by itself."""
        if self._process is None:
            return None
        self._ended.set()
        self._requests.close()
        self._replies.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        status = self._process.poll()
        self._kill()
        self._process.wait()
        self._process = None
        return status


@contextlib.contextmanager
def _or_no_room() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ENOSPC, errno.EROFS):
            raise NoRoomError(str(error)) from error
        raise


class Used(NamedTuple):
    """What a process uses: bytes of memory, threads, and seconds of processor time, with that of its ended children."""

    memory: int
    threads: int
    seconds: float


def _family(pid: int, most: int = 1) -> list[Used]:
    """Return what a process and those that it has started use, at least if there are not more than `most`.

    >>> one, *_ = _family(os.getpid())
    >>> one.memory > 10**6, one.threads >= 1, one.seconds > 0
    (True, True, True)
    """
    found, left = list[Used](), [pid]
    while left and len(found) <= most:  # a fork bomb is faster than this loop
        one = left.pop()
        with contextlib.suppress(psutil.Error, OSError, ValueError):
            process = psutil.Process(one)
            found.append(Used(int(process.memory_info().rss), process.num_threads(), sum(process.cpu_times()[:4])))
            tasks = list(Path(f"/proc/{one}/task").glob("*/children"))
            # Without these files, psutil reads all processes of the system.
            left += [int(child) for task in tasks for child in task.read_text(encoding="ascii").split()] or (
                [] if tasks else [child.pid for child in process.children()]
            )
    return found
