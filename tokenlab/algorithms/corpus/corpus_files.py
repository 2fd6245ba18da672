"""`CorpusFiles`: the texts of files, one after the other or counted in chunks.

Adds: one object for all functions that learn from texts. It can be iterated like a list of texts; a function that
counts asks it for `counted`, so the executor reads and counts the chunks.

>>> from tokenlab import data
>>> from tokenlab.algorithms.text.count_words import count_words
>>> corpus = CorpusFiles(data.path("english"))
>>> next(iter(corpus))[:17], count_words(corpus) == count_words(data.text("english"))
('...', True)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from copy import copy
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from tokenlab.algorithms.corpus.count_chunks import Count, check_executor, count_chunks
from tokenlab.algorithms.corpus.read_chunks import FileChunk, divide, divide_text, find_files, size_of
from tokenlab.printing.errors import check_integer

CHUNK_BYTES = 4_000_000


class CorpusFiles:
    """The texts of files: lines, the fields of JSON lines (.jsonl, .ndjson), or a column of Parquet (.parquet).

    Args:
        paths: files, glob patterns, or URLs (with fsspec); a name that ends in .gz is decompressed, as one chunk. Files
            with other names are UTF-8 text.
        field: the name of the field of JSON lines, or of the column of Parquet.
        executor: reads and counts the chunks: a `concurrent.futures` pool or a Dask Client, which must see the files.
        progress: whether to show a progress bar.
        chunk_bytes: the size of the chunks in which uncompressed text is read; a larger one needs more memory.

    Raises:
        FileNotFoundError, PermissionError, IsADirectoryError: a file cannot be read.
        ValueError: no file is given.
        TypeError: the executor is not an executor.
    """

    def __init__(
        self,
        *paths: str | Path,
        field: str = "text",
        executor: Any = None,
        progress: bool = False,
        chunk_bytes: int = CHUNK_BYTES,
    ) -> None:
        if not paths:
            raise ValueError('no file is given; name one or more paths, such as CorpusFiles("corpus.txt")')
        self.executor = None if executor is None else check_executor(executor)
        self.field, self.progress = field, progress
        self.chunk_bytes = check_integer("chunk_bytes", chunk_bytes, at_least=1)
        self.names = find_files(paths)
        self.size = sum(size_of(name) or 0 for name in self.names)  # also finds a missing file now, not after an hour

    def with_options(self, executor: Any = None, progress: bool = False) -> CorpusFiles:
        """Return these files with another executor, if one is given, or with a progress bar.

        Raises:
            TypeError: the executor is not an executor.
            ValueError: the files have an executor already.
        """
        if executor is not None and self.executor is not None:
            raise ValueError("the executor of CorpusFiles and executor= are given; leave out one of them")
        changed = copy(self)
        changed.executor = self.executor if executor is None else check_executor(executor)
        changed.progress = self.progress or progress
        return changed

    def chunks(self) -> Iterator[FileChunk]:
        """Yield the chunks of all files in order."""
        for name in self.names:
            yield from divide(name, self.field, self.chunk_bytes)

    def __iter__(self) -> Iterator[str]:
        """Yield the texts of all files in order."""
        return chain.from_iterable(chunk.texts() for chunk in self.chunks())

    def counted(self, count: Count) -> Counter[str]:
        """Return the sum of the counters that `count` returns for the texts of the chunks, in order.

        Raises:
            OSError, ValueError: as `FileChunk.texts` and `count_chunks`.
        """
        with _bar(self.progress, "B", self.size) as bar:
            return count_chunks(count, self.chunks(), self.executor, bar.update)


class CountedTexts:
    """Texts in memory, or an iterator over texts, which an executor counts in batches."""

    def __init__(self, texts: Iterable[str], executor: Any = None, progress: bool = False) -> None:
        self.texts, self.progress = texts, progress
        self.executor = None if executor is None else check_executor(executor)

    def counted(self, count: Count) -> Counter[str]:
        """Return the counter of all texts."""
        with _bar(self.progress, " texts") as bar:
            if self.executor is None:
                return count(_advancing(self.texts, bar.update) if self.progress else self.texts)
            return count_chunks(count, _batches(self.texts), self.executor, bar.update)


class TextBatch:
    """Some texts of an iterator, and the number of texts before them."""

    def __init__(self, batch: list[str], start: int) -> None:
        self.batch, self.start, self.size = batch, start, len(batch)

    def __str__(self) -> str:
        return f"texts {self.start + 1:,} to {self.start + self.size:,}"

    def texts(self) -> Iterator[str]:
        """Yield the texts."""
        return iter(self.batch)


def count_texts(texts: Iterable[str], words_of: Callable[[str], Iterable[str]]) -> Counter[str]:
    """Return the counts of the words of texts; those of `CorpusFiles` are counted by its executor.

    >>> count_texts(["a b", "a"], str.split)
    Counter({'a': 2, 'b': 1})
    """
    count = partial(count_all, words_of)
    return texts.counted(count) if isinstance(texts, CorpusFiles) else count(texts)


def count_lines(count: Count, names: Iterable[str], executor: Any, errors: str = "strict") -> Counter[str]:
    """Return the counts of the lines of files of plain text, whatever their names are, counted by an executor.

    Args:
        count: counts the lines of a chunk, which end with their line feed.
        names: the files; a name is not a pattern.
        executor: as in `CorpusFiles`.
        errors: how bytes that are not UTF-8 are decoded, as for `bytes.decode`.

    Raises:
        OSError, ValueError: as `FileChunk.texts` and `count_chunks`.
        TypeError: the executor is not an executor.
    """
    chunks = (chunk for name in names for chunk in divide_text(name, CHUNK_BYTES, errors))
    return count_chunks(count, chunks, executor)


def count_all(words_of: Callable[[str], Iterable[str]], texts: Iterable[str]) -> Counter[str]:
    """Return the counts of the words of all texts."""
    return Counter(chain.from_iterable(map(words_of, texts)))


def _batches(texts: Iterable[str], characters: int = 1_000_000) -> Iterator[TextBatch]:
    batch: list[str] = []
    start = size = 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if size >= characters:
            yield TextBatch(batch, start)
            start, batch, size = start + len(batch), [], 0
    if batch:
        yield TextBatch(batch, start)


def _advancing(texts: Iterable[str], advance: Callable[[int], Any]) -> Iterator[str]:
    for text in texts:
        yield text
        advance(1)


def _bar(progress: bool, unit: str, total: int | None = None) -> Any:
    if not progress:
        return nullcontext(_NoBar())
    from tqdm import tqdm

    return tqdm(total=total, unit=unit, unit_scale=True, desc="counting")


class _NoBar:
    """In place of a bar of tqdm, whose import takes as long as counting the words of 100 kB."""

    def update(self, n: int) -> None:
        """Show nothing."""
