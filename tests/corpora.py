"""For tests of counting: an executor that finishes in any order, and a function that kills its process."""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from random import Random
from typing import Any

from tokenlab.algorithms.corpus.corpus_files import CorpusFiles
from tokenlab.algorithms.text.count_words import count_words


class AnyOrder:
    """An executor that runs waiting calls in random order when a result is requested."""

    def __init__(self, random: Random, workers: int) -> None:
        self.random, self._max_workers = random, workers
        self.pending: list[tuple[Future[Any], bytes]] = []
        self.futures: list[Future[Any]] = []
        self.in_flight = self.most_in_flight = 0

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.futures.append(future)
        self.pending.append((future, pickle.dumps((function, arguments))))
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        result = future.result

        def run_others_first(timeout: float | None = None) -> Any:
            while not future.done():
                self._run_one()
            self.in_flight -= 1
            return result(timeout)

        future.result = run_others_first  # type: ignore[method-assign]
        return future

    def _run_one(self) -> None:
        future, call = self.pending.pop(self.random.randrange(len(self.pending)))
        function, arguments = pickle.loads(call)
        try:
            future.set_result(pickle.loads(pickle.dumps(function(*arguments))))
        except Exception as error:
            future.set_exception(error)


def counted(corpus: list[Path], executor: Any = None, split: Any = "gpt2") -> list[Any]:
    return list(count_words(CorpusFiles(*corpus, executor=executor, chunk_bytes=1500), split).items())


def die(marks: Path, times: int, text: str) -> list[str]:
    """Split the text; kill the own process at the first calls for the text with "Katze"."""
    if "Katze" in text and len(list(marks.iterdir())) < times:
        (marks / str(len(list(marks.iterdir())))).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return text.split()
