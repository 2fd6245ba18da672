"""A process of its own for each student: whatever happens while a submission is graded, the others do not notice.

The processes begin as copies of one that has read nbgrader (on Windows, each reads it again), so they start at once.

>>> with Processes(at_once=2, patience=60) as processes:
...     [(student, log) for student, log in processes.run(len, {"ann": [1, 2], "bob": "abc"}) if student == "bob"]
[('bob', 3)]
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any

KILLED, TOO_LONG = "killed", "too long"
MEMORY = 4_000_000_000  # bytes of data of a process that grades


class Processes:
    """Processes that call a function, each for one student; leaving the block ends those that still run."""

    def __init__(self, at_once: int, patience: float) -> None:
        """Prepare them: so many run at once, and each for so many seconds at most."""
        self._patience, self._running = patience, set[BaseProcess]()
        self._folder = TemporaryDirectory(prefix="tokenlab-grading-")  # for what they write; they are ended suddenly
        self._threads = ThreadPoolExecutor(at_once)
        self._context: Any = multiprocessing.get_context("spawn" if sys.platform == "win32" else "forkserver")
        if sys.platform != "win32":
            self._context.set_forkserver_preload(["course.course_folder"])

    @property
    def _environment(self) -> dict[str, str]:
        folder = self._folder.name
        return dict(os.environ) | {"TMPDIR": folder, "TEMP": folder, "HYPOTHESIS_STORAGE_DIRECTORY": folder}

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in [*self._running]:
            process.kill()
        self._threads.shutdown()
        self._folder.cleanup()

    def run(self, function: Callable[[Any], Any], given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """Yield each student with what the function returns, or KILLED or TOO_LONG, in the order in which they end."""
        calls = {self._threads.submit(self._one, function, one): student for student, one in given.items()}
        for call in as_completed(calls):
            yield calls[call], call.result()

    def _one(self, function: Callable[[Any], Any], given: Any) -> Any:
        here, there = self._context.Pipe(duplex=False)
        process = self._context.Process(target=_call, args=(there, self._environment, function, given))
        with here, there:
            try:
                process.start()
            except (EOFError, OSError):  # too little memory for one more process
                return KILLED
            self._running.add(process)
            there.close()  # so that the end of the process ends what can be read
            try:
                return here.recv() if here.poll(self._patience) else TOO_LONG
            except (EOFError, OSError):
                return KILLED
            finally:
                process.kill()
                process.join()
                self._running.discard(process)


def _call(there: Connection, environment: dict[str, str], function: Callable[[Any], Any], given: Any) -> None:
    """Call the function silently (failures are in nbgrader's log) and with limited memory, and send what it returns."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    os.environ.clear()
    os.environ.update(environment)  # that of today, not of the process that this one is a copy of
    tempfile.tempdir = None
    with suppress(ImportError, ValueError, OSError):  # Windows has no such limits, and a machine may have lower ones
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, resource.getrlimit(resource.RLIMIT_DATA)[1]))
    there.send(function(given))
