"""Find, measure and open the files of a corpus, and read a chunk of a file.

A file is a path or a URL such as s3://bucket/*.txt, which fsspec opens if it is installed, with the same errors. Its
texts are the lines of plain text, a field of JSON lines, or a column of Parquet.

Adds: chunks that start and end at line ends, found without reading the file before them; gzip.

Each line belongs to the chunk in which it begins, so every line is read exactly once.
"""

from __future__ import annotations

import glob
import gzip
import io
import json
import os
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, Literal, cast

from tokenlab.storage.files import name_the_file, not_utf8


def find_files(paths: Iterable[str | Path]) -> list[str]:
    """Return the names of the files; a pattern is replaced by the sorted names of the files that match it.

    Raises:
        FileNotFoundError: no file matches a pattern.

    >>> find_files(["no such folder/*.txt"])
    Traceback (most recent call last):
    ...
    FileNotFoundError: no file matches 'no such folder/*.txt'; check the folder and the pattern
    """
    return [name for path in paths for name in _matching(os.fspath(path))]


def _matching(path: str) -> list[str]:
    # A file may be named "draft[1].txt", so an existing file is never read as a pattern.
    if not glob.has_magic(path) or (not is_url(path) and os.path.exists(path)):
        return [path]
    if is_url(path):
        system, pattern = _fsspec().core.url_to_fs(path)
        found = [system.unstrip_protocol(name) for name in system.glob(pattern) if system.isfile(name)]
    else:
        found = [name for name in glob.glob(path, recursive=True) if os.path.isfile(name)]
    if not found:
        raise FileNotFoundError(f"no file matches {path!r}; check the folder and the pattern")
    return sorted(found)


def is_url(path: str) -> bool:
    """Whether the path is a URL, which fsspec opens.

    >>> is_url("s3://bucket/corpus.txt"), is_url("corpus.txt")
    (True, False)
    """
    return "://" in path


def size_of(path: str) -> int | None:
    """Return the number of bytes of a file, or None if it is not known, as for a pipe.

    Raises:
        FileNotFoundError, PermissionError, IsADirectoryError: the file cannot be read.
    """
    with name_the_file(path):
        if is_url(path):
            system, name = _fsspec().core.url_to_fs(path)
            return cast("int | None", system.info(name).get("size"))
        found = os.stat(path)
        if stat.S_ISDIR(found.st_mode):
            raise IsADirectoryError(path)
        return found.st_size if stat.S_ISREG(found.st_mode) else None


def open_file(path: str) -> IO[bytes]:
    """Open a file for reading bytes.

    Raises:
        FileNotFoundError, PermissionError, IsADirectoryError: the file cannot be read.
    """
    with name_the_file(path):
        if is_url(path):
            # A buffered reader, since not every file system's own file can read a line of limited length.
            return io.BufferedReader(_fsspec().open(path, "rb").open(), 1 << 20)
        return open(path, "rb")


def _fsspec() -> Any:
    try:
        import fsspec
    except ImportError:
        raise ImportError("a URL is opened with fsspec, which is not installed: pip install fsspec") from None
    return fsspec


Format = Literal["text", "json lines", "parquet"]
ROWS = 1024  # of a Parquet file that are in memory together


@dataclass(frozen=True)
class FileChunk:
    """A part of a file: a range of bytes, or one row group of a Parquet file (stop is then start + 1).

    Args:
        size: the number of bytes, for the progress bar.
        field: the name of the field or column with the text.
        errors: how bytes that are not UTF-8 are decoded, as for `bytes.decode`.
    """

    path: str
    format: Format
    start: int
    stop: int
    size: int
    compressed: bool = False
    field: str = "text"
    errors: str = "strict"

    def __str__(self) -> str:
        if self.format == "parquet":
            return f"row group {self.start} of {self.path}"
        return self.path if self.stop == sys.maxsize else f"{self.path}, bytes {self.start:,} to {self.stop:,}"

    def texts(self) -> Iterator[str]:
        """Yield the texts of the chunk.

        Raises:
            OSError: the file cannot be read.
            ValueError: the content is not what the format says; the message gives the file and the position.
        """
        if self.format == "parquet":
            return _parquet_texts(self)
        return _json_texts(self) if self.format == "json lines" else _lines(self)


def divide_text(path: str, chunk_bytes: int, errors: str = "strict") -> Iterator[FileChunk]:
    """Yield the chunks of a file of plain text in order, whatever its name is."""
    yield from _divided(FileChunk(path, "text", 0, sys.maxsize, 0, errors=errors), size_of(path), chunk_bytes)


def divide(path: str, field: str, chunk_bytes: int) -> Iterator[FileChunk]:
    """Yield the chunks of a file in order; the ending of its name says what it contains."""
    size = size_of(path)
    name = path.lower()
    if name.endswith(".parquet"):
        groups = _row_groups(path)
        for group in range(groups):
            yield FileChunk(path, "parquet", group, group + 1, (size or 0) // groups, field=field)
        return
    format: Format = "json lines" if name.removesuffix(".gz").endswith((".jsonl", ".ndjson")) else "text"
    whole = FileChunk(path, format, 0, sys.maxsize, size or 0, name.endswith(".gz"), field)
    yield from _divided(whole, size, chunk_bytes)


def _divided(whole: FileChunk, size: int | None, chunk_bytes: int) -> Iterator[FileChunk]:
    """Yield the parts of a whole file; one part if it is compressed, or if its size is not known."""
    if whole.compressed or size is None:
        yield whole
        return
    for start in range(0, size, chunk_bytes):
        stop = min(start + chunk_bytes, size)
        yield replace(whole, start=start, stop=stop, size=stop - start)


def _lines(chunk: FileChunk) -> Iterator[str]:
    return (_decoded(chunk, position, line) for position, line in _byte_lines(chunk))


def _decoded(chunk: FileChunk, position: int, line: bytes) -> str:
    try:
        return line.decode("utf-8", chunk.errors)
    except UnicodeDecodeError as error:
        raise not_utf8(chunk.path, position + error.start, _line_number(chunk, position), line[error.start]) from None


def _json_texts(chunk: FileChunk) -> Iterator[str]:
    for position, line in _byte_lines(chunk):
        if not line.strip():
            continue
        decoded = _decoded(chunk, position, line)
        try:
            found = json.loads(decoded)
        except (ValueError, RecursionError) as error:
            raise _wrong_line(chunk, position, f"is not JSON ({error}); write one object per line") from None
        if not isinstance(found, dict):
            raise _wrong_line(
                chunk, position, f"is {found!r:.60}; write one object per line, such as {{'text': '...'}}"
            )
        text = found.get(chunk.field)
        if chunk.field not in found:
            names = ", ".join(map(repr, found)) or "none"
            raise _wrong_line(
                chunk, position, f"has no field {chunk.field!r}; name one with field=. There are: {names:.200}"
            )
        if not isinstance(text, str):
            raise _wrong_line(chunk, position, f"has {text!r:.60} as {chunk.field!r}, which should be a string")
        yield text


def _wrong_line(chunk: FileChunk, position: int, problem: str) -> ValueError:
    return ValueError(f"{chunk.path}: line {_line_number(chunk, position)} {problem}")


def _byte_lines(chunk: FileChunk) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that begin in the chunk, each with its position in the (decompressed) file."""
    position = chunk.start
    with _opened(chunk) as file:
        if chunk.start:
            # The line before the chunk may end inside it. subtle: if a line begins at `start`, "\n" is the byte before.
            file.seek(chunk.start - 1)
            rest = file.readline(chunk.stop - chunk.start + 1)
            if not rest.endswith(b"\n"):
                return
            position += len(rest) - 1
        try:
            while position < chunk.stop and (line := file.readline()):
                yield position, line
                position += len(line)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(
                f"{chunk.path} is damaged or incomplete as a gzip file ({error}), after byte {position} of its text; "
                "copy or compress it again"
            ) from None


@contextmanager
def _opened(chunk: FileChunk) -> Iterator[IO[bytes]]:
    with open_file(chunk.path) as file:
        if chunk.compressed:
            with gzip.open(file) as text:
                yield text  # type: ignore[misc]
        else:
            yield file


def _line_number(chunk: FileChunk, position: int) -> int:
    """Return the number of the line at a position; only an error needs it, so the file is read again up to there."""
    number = 1
    with _opened(chunk) as file:
        while position and (block := file.read(min(position, 1 << 20))):
            number += block.count(b"\n")
            position -= len(block)
    return number


# --- Parquet --------------------------------------------------------------------------------------


def _row_groups(path: str) -> int:
    with _parquet_file(path) as parquet:
        return int(parquet.metadata.num_row_groups)


def _parquet_texts(chunk: FileChunk) -> Iterator[str]:
    with _parquet_file(chunk.path) as parquet:
        names = parquet.schema_arrow.names
        if chunk.field not in names:
            there = ", ".join(map(repr, names))
            raise ValueError(
                f"{chunk.path} has no column {chunk.field!r}; name one with field=. There are: {there:.200}"
            )
        row = 1 + sum(parquet.metadata.row_group(group).num_rows for group in range(chunk.start))
        for batch in parquet.iter_batches(ROWS, [chunk.start], [chunk.field], use_threads=False):
            for text in _values(batch.column(0), chunk, row):
                if not isinstance(text, str):
                    raise ValueError(
                        f"{chunk.path}: row {row} has {text!r:.60} as {chunk.field!r}, which should be a string"
                    )
                yield text
                row += 1


def _values(column: Any, chunk: FileChunk, row: int) -> list[Any]:
    try:
        return column.to_pylist()  # type: ignore[no-any-return]
    except UnicodeDecodeError as error:
        raise ValueError(f"{chunk.path}: a string in row {row} or soon after it is not UTF-8 ({error})") from None


@contextmanager
def _parquet_file(path: str) -> Iterator[Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ImportError(
            f"{path!r} is read with pyarrow, which is not installed: pip install 'tokenlab[parquet]'"
        ) from None
    with open_file(path) as file:
        try:
            parquet = pyarrow.parquet.ParquetFile(file)
        except pyarrow.ArrowInvalid as error:
            raise ValueError(f"{path} is not a Parquet file, or damaged: {error}") from None
        yield parquet
