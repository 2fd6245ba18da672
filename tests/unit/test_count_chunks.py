"""Counting by executors: the order, chunks in flight, failures, and killed workers."""

from __future__ import annotations

import functools
import os
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests import skips
from tests.corpora import AnyOrder, counted, die
from tokenlab.algorithms.corpus import corpus_files
from tokenlab.algorithms.corpus.corpus_files import CorpusFiles, count_all, count_texts
from tokenlab.algorithms.corpus.count_chunks import ATTEMPTS, InThisThread, count_chunks
from tokenlab.algorithms.text.count_words import count_words, count_words_in_files

# --- the same result ------------------------------------------------------------------------------


def test_threads_count_the_same_in_the_same_order(corpus: list[Path]) -> None:
    with ThreadPoolExecutor(3) as pool:
        assert counted(corpus, pool) == counted(corpus)
        assert list(count_words_in_files(*corpus, executor=pool).items()) == list(count_words_in_files(*corpus).items())
        texts = [path.read_text(encoding="utf-8") for path in corpus]
        assert list(count_words(texts * 90, executor=pool).items()) == list(count_words(texts * 90).items())


def test_processes_count_the_same_in_the_same_order(corpus: list[Path]) -> None:
    with ProcessPoolExecutor(2) as pool:
        assert counted(corpus, pool) == counted(corpus)
    together = count_words(CorpusFiles(*corpus, chunk_bytes=1500), processes=2)
    assert list(together.items()) == list(count_words_in_files(*corpus).items())


# --- memory ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_few_chunks_are_in_flight(corpus: list[Path], workers: int) -> None:
    executor = AnyOrder(Random(1), workers)
    assert len(list(CorpusFiles(*corpus, chunk_bytes=100).chunks())) > 100
    count_words(CorpusFiles(*corpus, executor=executor, chunk_bytes=100))
    assert executor.most_in_flight == 2 * workers


def test_without_an_executor_one_chunk_is_counted_at_a_time() -> None:
    held: list[int] = []

    class Noted:
        size = 1

        def texts(self) -> Iterator[str]:
            held.append(asked)
            return iter(["a"])

    def chunks() -> Iterator[Noted]:
        nonlocal asked
        for asked in range(5):  # noqa: B007
            yield Noted()

    asked = 0
    assert count_chunks(functools.partial(count_all, str.split), chunks()) == {"a": 5}
    assert held == [0, 1, 2, 3, 4]


def test_an_iterator_is_read_no_further_than_the_chunks_in_flight(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus_files, "_batches", functools.partial(corpus_files._batches, characters=50))
    executor, read = AnyOrder(Random(1), 2), []

    def texts() -> Iterator[str]:
        for number in range(100):
            read.append(len(executor.pending))
            yield f"word{number % 7} " * 20

    assert count_words(texts(), executor=executor).total() == 100 * 20
    assert executor.most_in_flight == 4 and max(read) <= 4


# --- failures -------------------------------------------------------------------------------------


class Flaky(ThreadPoolExecutor):
    """A pool whose first calls of each argument fail."""

    def __init__(self, failures: int, error: Exception) -> None:
        super().__init__(1)
        self.failures, self.error = failures, error
        self.calls: Counter[str] = Counter()

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> Future[Any]:
        def call() -> Any:
            chunk = str(arguments[1])
            self.calls[chunk] += 1
            if self.calls[chunk] <= self.failures:
                raise self.error
            return function(*arguments)

        return super().submit(call)


def test_a_failed_read_is_tried_again(corpus: list[Path]) -> None:
    with Flaky(ATTEMPTS - 1, TimeoutError("the network is slow")) as pool:
        assert counted(corpus, pool) == counted(corpus)
        assert {*pool.calls.values()} == {ATTEMPTS}


def test_an_error_of_reading_names_the_chunk_in_the_end(corpus: list[Path]) -> None:
    with Flaky(ATTEMPTS, TimeoutError("the network is slow")) as pool, pytest.raises(TimeoutError) as caught:
        counted(corpus, pool)
    assert caught.value.__notes__ == [f"while counting {corpus[0]}, bytes 0 to 1,500, in 3 attempts"]


@pytest.mark.parametrize("error", [ValueError("a"), PermissionError("a"), FileNotFoundError("a")])
def test_other_errors_are_raised_at_once(corpus: list[Path], error: Exception) -> None:
    with Flaky(1, error) as pool, pytest.raises(type(error)):
        counted(corpus, pool)
    assert pool.calls[f"{corpus[0]}, bytes 0 to 1,500"] == 1


def refuse(text: str) -> list[str]:
    if "Katze" in text:
        raise KeyError("Katze")
    return text.split()


@pytest.mark.parametrize("pool", [None, ThreadPoolExecutor, ProcessPoolExecutor])
def test_an_error_of_the_split_names_the_first_chunk_that_has_it(tmp_path: Path, pool: Any) -> None:
    (tmp_path / "a.txt").write_bytes(b"Hund\nKatze\nMaus\nKatze\n")
    executor = pool and pool(2)
    with pytest.raises(KeyError, match="Katze") as caught:
        count_words(CorpusFiles(tmp_path / "a.txt", executor=executor, chunk_bytes=5), refuse)
    assert caught.value.__notes__ == [f"while counting {tmp_path / 'a.txt'}, bytes 5 to 10"]
    if executor:
        executor.shutdown()


def test_broken_utf_8_is_named_by_another_process(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"a\n" * 5000 + b"\xff")
    with (
        ProcessPoolExecutor(2) as pool,
        pytest.raises(ValueError, match=r"a\.txt is not UTF-8: byte 10000 \(line 5001\)"),
    ):
        count_words(CorpusFiles(tmp_path / "a.txt", executor=pool, chunk_bytes=900))


def test_after_an_error_the_chunks_that_wait_are_cancelled() -> None:
    executor = AnyOrder(Random(1), 3)
    with pytest.raises(KeyError):
        count_words(["Katze " * 200_000] * 20, refuse, executor=executor)
    assert executor.futures and all(future.done() or future.cancelled() for future in executor.futures)
    assert len(executor.futures) <= 6


@pytest.mark.skipif(not hasattr(os, "fork"), reason=skips.FORK)
def test_a_killed_process_breaks_a_pool_with_a_clear_error(deadly: Path) -> None:
    with (
        ProcessPoolExecutor(2) as pool,
        pytest.raises(BrokenExecutor, match=r"was killed, .* (while|before) .*a\.txt, bytes ") as e,
    ):
        count_words(
            CorpusFiles(deadly / "a.txt", executor=pool, chunk_bytes=500), functools.partial(die, deadly / "marks", 1)
        )
    assert "make a new one, with fewer processes" in str(e.value)


def test_a_pool_that_is_broken_already_is_named_too(deadly: Path) -> None:
    class Broken(InThisThread):
        def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
            if arguments[1].start > 1000:
                raise BrokenExecutor("A child process terminated abruptly")
            return super().submit(function, *arguments)

    corpus = CorpusFiles(deadly / "a.txt", executor=Broken(), chunk_bytes=500)
    with pytest.raises(
        BrokenExecutor, match=r"killed, .* before .*a\.txt, bytes 1,500 to 2,000 was counted; .* new one"
    ):
        count_words(corpus)


# --- arguments ------------------------------------------------------------------------------------


@pytest.mark.parametrize("executor", [4, "threads", ThreadPoolExecutor, True])
def test_something_else_than_an_executor_is_refused(executor: Any, tmp_path: Path) -> None:
    (tmp_path / "a.txt").touch()
    for call in (
        lambda: count_words("a", executor=executor),
        lambda: count_words_in_files(tmp_path / "a.txt", executor=executor),
        lambda: CorpusFiles(tmp_path / "a.txt", executor=executor),
    ):
        with pytest.raises(TypeError, match=r"executor=.* cannot run functions; give a pool, such as ProcessPool"):
            call()


def test_processes_and_an_executor_are_not_given_together(tmp_path: Path) -> None:
    (tmp_path / "a.txt").touch()
    with ThreadPoolExecutor(1) as pool:
        for texts in (["a"], CorpusFiles(tmp_path / "a.txt")):
            with pytest.raises(ValueError, match="processes=2 and an executor are given"):
                count_words(texts, processes=2, executor=pool)
        with pytest.raises(ValueError, match="processes=2 and an executor are given"):
            count_words(CorpusFiles(tmp_path / "a.txt", executor=pool), processes=2)
        with pytest.raises(ValueError, match="the executor of CorpusFiles and executor= are given"):
            count_words(CorpusFiles(tmp_path / "a.txt", executor=pool), executor=pool)


def test_threads_accept_a_lambda_and_processes_say_why_not(corpus: list[Path]) -> None:
    with ThreadPoolExecutor(2) as threads, ProcessPoolExecutor(1) as processes:
        assert counted(corpus, threads, lambda text: text.split("e")) == counted(
            corpus, None, lambda text: text.split("e")
        )
        with pytest.raises(ValueError, match=r"cannot be sent to another process .* at the top of a module"):
            counted(corpus, processes, lambda text: text.split())


def test_progress_is_shown_on_request(corpus: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    with ThreadPoolExecutor(2) as pool:
        count_words_in_files(*corpus)
        count_words_in_files(*corpus, executor=pool)
        assert capsys.readouterr().err == ""
        for executor in (None, pool):
            count_words_in_files(*corpus, executor=executor, progress=True)
            assert "counting: 100%" in capsys.readouterr().err
            count_words(["a"] * 3, executor=executor, progress=True)
            assert "3.00 texts" in capsys.readouterr().err


def test_the_files_can_be_counted_by_any_function_of_texts(corpus: list[Path]) -> None:
    with ThreadPoolExecutor(2) as pool:
        texts = CorpusFiles(*corpus, executor=pool, chunk_bytes=900)
        assert list(count_texts(texts, str.split).items()) == list(count_texts(list(texts), str.split).items())
