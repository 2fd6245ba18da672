"""Count chunks with an executor: a pool of threads or processes, or a cluster with a Dask Client.

Adds: the same counts in the same order as a single process, although chunks are finished in any order; at most a few
chunks in flight, so memory depends on the distinct words and not on the corpus; a second attempt after a failed read.

Counters are added in the order of the chunks. So a word that is first seen in chunk 3 comes after all words of the
chunks before it, as if one process had read everything.
"""

from __future__ import annotations

import os
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future
from functools import partial
from typing import Any, Protocol, TypeAlias

Count: TypeAlias = Callable[[Iterable[str]], Counter[str]]

ATTEMPTS = 3  # to count a chunk whose file cannot be read
PER_WORKER = 2  # chunks in flight: one that is counted, one that waits
LASTING = (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError)  # another attempt is useless


class Chunk(Protocol):
    """A part of a corpus that can be sent to another process; its `str` names it in errors."""

    @property
    def size(self) -> int:
        """The advance of the progress bar."""

    def texts(self) -> Iterator[str]:
        """Yield the texts."""


class InThisThread:
    """An executor that counts each chunk when it is submitted.

    >>> InThisThread().submit(max, 3, 4).result()
    4
    """

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Call the function, and return its result or its exception as a future."""
        future: Future[Any] = Future()
        try:
            future.set_result(function(*arguments))
        except Exception as error:
            future.set_exception(error)
        return future


def count_chunks(
    count: Count, chunks: Iterable[Chunk], executor: Any = None, advance: Callable[[int], Any] = lambda size: None
) -> Counter[str]:
    """Return the sum of the chunks' counters, in the order of first occurrence.

    Args:
        count: counts the texts of a chunk; another process must be able to unpickle it.
        executor: a `concurrent.futures` executor or a Dask Client; by default, this thread counts.
        advance: is called with the size of each counted chunk.

    Raises:
        TypeError: the executor is not an executor.
        ValueError: the executor is a pool of processes, and `count` cannot be sent to them.
        BrokenExecutor: a process of a pool was killed.
        RuntimeError: several workers of a Dask cluster were killed by the same chunk.

    An error in a chunk is raised with a note that names the chunk.
    """
    if executor is None:
        executor = InThisThread()
    else:
        _check_sendable(count, check_executor(executor))
    submit = partial(_submit, executor, count)
    counts: Counter[str] = Counter()
    waiting: deque[tuple[Chunk, Any]] = deque()
    try:
        for chunk in chunks:
            while len(waiting) >= most_in_flight(executor):
                _add_first(counts, waiting, submit, advance)
            waiting.append((chunk, submit(chunk)))
        while waiting:
            _add_first(counts, waiting, submit, advance)
    finally:
        for _, future in waiting:
            future.cancel()
    return counts


def _submit(executor: Any, count: Count, chunk: Chunk) -> Any:
    # subtle: Dask gives equal "pure" calls one result, and a file may have changed between two calls.
    options = {"pure": False} if _is_dask(executor) else {}
    try:
        return executor.submit(_count_chunk, count, chunk, **options)
    except BrokenExecutor as error:
        raise _broken(error, f"before {chunk}") from error


def _broken(error: BrokenExecutor, when: str) -> BrokenExecutor:
    return type(error)(
        f"a worker of the pool was killed, perhaps for lack of memory, {when} was counted; a broken pool cannot "
        "continue, so make a new one, with fewer processes, and count again"
    )


def _count_chunk(count: Count, chunk: Chunk) -> Counter[str]:
    return count(chunk.texts())


def _add_first(
    counts: Counter[str],
    waiting: deque[tuple[Chunk, Any]],
    submit: Callable[[Chunk], Any],
    advance: Callable[[int], Any],
) -> None:
    """Wait for the first chunk and add its counts."""
    chunk, future = waiting[0]
    for attempt in range(1, ATTEMPTS + 1):
        try:
            counts.update(future.result())
            break
        except BrokenExecutor as error:
            raise _broken(error, f"while {chunk} or a chunk after it") from error
        except LASTING:
            raise
        except OSError as error:
            if attempt == ATTEMPTS:
                error.add_note(f"while counting {chunk}, in {ATTEMPTS} attempts")
                raise
            future = submit(chunk)
        except Exception as error:
            if type(error).__name__ == "KilledWorker":
                raise RuntimeError(
                    f"{chunk} killed the workers that counted it, perhaps for lack of memory; give the workers of the "
                    "Dask cluster more memory, or fewer threads"
                ) from error
            error.add_note(f"while counting {chunk}")
            raise
    waiting.popleft()
    advance(chunk.size)


def most_in_flight(executor: Any) -> int:
    """Return the number of chunks that may be submitted before the first one of them is added."""
    if isinstance(executor, InThisThread):
        return 1
    if _is_dask(executor):  # workers of a cluster come and go
        workers = sum(executor.nthreads().values()) or os.cpu_count() or 1
    else:
        workers = getattr(executor, "_max_workers", None) or os.cpu_count() or 1
    return PER_WORKER * int(workers)


def check_executor(executor: Any) -> Any:
    """Return the executor.

    Raises:
        TypeError: it has no method `submit`, or is an asynchronous Dask Client.

    >>> check_executor(4)
    Traceback (most recent call last):
    ...
    TypeError: executor=4 cannot run functions; give a pool, such as ProcessPoolExecutor(4), or a Dask Client
    """
    if isinstance(executor, type) or not callable(getattr(executor, "submit", None)):
        raise TypeError(
            f"executor={executor!r:.60} cannot run functions; give a pool, such as ProcessPoolExecutor(4), "
            "or a Dask Client"
        )
    if _is_dask(executor) and executor.asynchronous:
        raise TypeError("executor is an asynchronous Dask Client, for which nobody waits; make it with Client(...)")
    return executor


def _is_dask(executor: Any) -> bool:
    distributed = sys.modules.get("distributed")  # a Client exists only if distributed was imported
    return distributed is not None and isinstance(executor, distributed.Client)


def _check_sendable(count: Count, executor: Any) -> None:
    # Imported here: a pool of processes takes longer to import than 100 kB take to count.
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing.reduction import ForkingPickler

    if not isinstance(executor, ProcessPoolExecutor):
        return
    try:
        ForkingPickler.dumps(count)
    except Exception as error:
        raise ValueError(
            f"the function that splits texts cannot be sent to another process ({error}); "
            "define it at the top of a module, or count in threads or in one process"
        ) from None
