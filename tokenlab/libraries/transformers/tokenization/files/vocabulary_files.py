"""Vocabulary files of slow tokenizers: reading lines as Python's text mode does, and `save_vocabulary`.

Source: transformers 4.26.1, models/*/tokenization_*.py.
"""

from __future__ import annotations

import os
from typing import Any

from tokenlab.libraries.transformers.tokenization.files import tokenizer_files
from tokenlab.printing.errors import warn
from tokenlab.storage import files


def check_path(name: str, path: Any, content: str) -> str:
    """Return the path of an existing file.

    Args:
        name: the argument.
        path: its value.
        content: what the file should contain.

    Raises:
        TypeError: the value is no path.
        FileNotFoundError: there is no such file.

    >>> check_path("vocab_file", "nowhere.txt", "a vocabulary")
    Traceback (most recent call last):
    ...
    FileNotFoundError: vocab_file='nowhere.txt' does not exist; give the path of a vocabulary
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{name}={path!r:.60} should be the path of {content}")
    if not os.path.isfile(path):
        raise FileNotFoundError(f"{name}={str(path)!r} does not exist; give the path of {content}")
    return os.fspath(path)


def read_split_lines(path: Any) -> list[str]:
    r"""Return the parts between the line ends of a file: \n, \r\n or \r. The last is empty in a complete file.

    Raises:
        ValueError: the file is not UTF-8.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     written = files.write_atomically(f"{folder}/vocab.txt", "the\r\nman\n")
    ...     read_split_lines(f"{folder}/vocab.txt")
    ['the', 'man', '']
    """
    return files.read_text(path).replace("\r\n", "\n").replace("\r", "\n").split("\n")


def read_token_lines(path: Any) -> list[str]:
    r"""Return the lines of a file, with a warning if the last has no line feed, so that the file may be truncated.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     written = files.write_atomically(f"{folder}/vocab.txt", "the\nman\n")
    ...     read_token_lines(f"{folder}/vocab.txt")
    ['the', 'man']
    """
    *lines, last = read_split_lines(path)
    if last:
        warn(f"{path} has no line feed after its last line, {last!r:.60}; it may be truncated")
        lines.append(last)
    return lines


def check_consecutive(path: Any, entries: str, ids: list[int]) -> None:
    """Warn if sorted ids have gaps: in the file that is written, entries after a gap have other ids.

    >>> check_consecutive("vocab.txt", "tokens", [0, 1, 2])
    """
    gap = next((expected for expected, id in enumerate(ids) if id != expected), None)
    if gap is not None:
        warn(f"the ids of {entries} have a gap: {gap} is missing; read from {path}, the later ids will be lower")


def save_vocabulary(tokenizer: Any, save_directory: str, filename_prefix: str | None) -> tuple[str, ...]:
    """Write the files of `tokenizer._vocabulary_files()` into a folder, and return their paths.

    Raises:
        FileNotFoundError: the folder does not exist. The library logs the error and returns None.

    >>> from tempfile import TemporaryDirectory
    >>> from tokenlab import data
    >>> from tokenlab.libraries import transformers
    >>> tokenizer = transformers.T5Tokenizer.from_pretrained(data.t5_tiny())
    >>> with TemporaryDirectory() as folder:
    ...     [os.path.basename(path) for path in save_vocabulary(tokenizer, folder, filename_prefix=None)]
    ['spiece.model']
    """
    if not os.path.isdir(save_directory):
        raise FileNotFoundError(f"there is no folder {str(save_directory)!r} to write the vocabulary into")
    contents = tokenizer._vocabulary_files()
    tokenizer_files.write_files_atomically(save_directory, contents, filename_prefix)
    return tokenizer_files.paths(save_directory, filename_prefix, contents)
