"""Tokens of a text, and their counts in files, under the names of tensor2tensor's `data_generators/tokenizer.py`.

The algorithm is in `algorithms.subword_text.split`. Differences from the library:

- Only a line feed ends a line, on every platform; files are UTF-8.
- The exceptions for a count that is not a number and for an empty token have explanations; their types are the same.

>>> encode("Dude - that's so cool.")
['Dude', ' - ', 'that', "'", 's', 'so', 'cool', '.']
>>> decode(encode("Dude - that's so cool."))
"Dude - that's so cool."
"""

from __future__ import annotations

import glob
import logging
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from tokenlab.algorithms.corpus.corpus_files import count_all, count_lines
from tokenlab.algorithms.corpus.count_chunks import check_executor
from tokenlab.algorithms.subword_text.split import check_text, join_runs, split_with_regex
from tokenlab.storage import files

_log = logging.getLogger(__name__)


def encode(text: str) -> list[str]:
    """Return the tokens of a text: alphanumeric runs, and runs of other characters except single spaces.

    Raises:
        TypeError: the text is not a str.

    >>> encode("a b "), encode("")
    (['a', 'b', ' '], [])
    """
    return split_with_regex(check_text(text)) if text else []


def decode(tokens: Iterable[str]) -> str:
    """Return the text of these tokens.

    Raises:
        IndexError: a token is empty.

    >>> decode(["a", "b", " "])
    'a b '
    """
    try:
        return join_runs(tokens)
    except ValueError as error:
        raise IndexError(str(error)) from None


def _read_filepattern(filepattern: str, max_lines: int | None = None, split_on_newlines: bool = True) -> Iterator[str]:
    """Yield the stripped lines of all matching files, or each file as one text; stop after `max_lines` lines."""
    left = max_lines or sys.maxsize
    for name in sorted(glob.glob(filepattern)):
        lines = islice(files.read_lines(name), left)
        if split_on_newlines:
            for line in lines:
                left -= 1
                yield line.strip()
        else:
            document = [*lines]
            left -= len(document)
            yield "".join(document)
        if not left:
            return


def corpus_token_counts(
    text_filepattern: str, corpus_max_lines: int | None, split_on_newlines: bool = True, *, executor: Any = None
) -> Counter[str]:
    """Count the tokens in the files that match a pattern.

    Args:
        text_filepattern: a pattern such as "corpus/*.txt"; the files are read in the order of their names.
        corpus_max_lines: the maximum number of lines to read from all files together; 0 or None reads all.
        split_on_newlines: whether each line, stripped of whitespace, is a separate text; otherwise each file is one.
        executor: counts all lines, as in `CorpusFiles`; with a limit, or a text for each file, it is not used.

    Raises:
        ValueError: a file is not UTF-8.
        TypeError: the executor is not an executor.
    """
    if executor is not None:
        check_executor(executor)
        if split_on_newlines and not corpus_max_lines:
            return count_lines(_count_stripped, sorted(glob.glob(text_filepattern)), executor)
    counts: Counter[str] = Counter()
    for text in _read_filepattern(text_filepattern, corpus_max_lines, split_on_newlines):
        counts.update(encode(text))
    return counts


def _count_stripped(lines: Iterable[str]) -> Counter[str]:
    return count_all(encode, map(str.strip, lines))


def vocab_token_counts(text_filepattern: str, max_lines: int | None) -> dict[str, int]:
    """Read token counts from files whose lines are a token, a comma, and a count.

    A line without a comma is skipped, and logged as a warning.

    Raises:
        ValueError: the text after the last comma of a line is not an integer.
    """
    counts: dict[str, int] = {}
    for number, line in enumerate(_read_filepattern(text_filepattern, max_lines)):
        if "," not in line:
            _log.warning("line %d has no comma and is skipped: %r", number, line)
            continue
        token, _, count = line.rpartition(",")
        try:
            counts[token] = int(count)
        except ValueError:
            raise ValueError(
                f"line {number} of {text_filepattern} is {line!r:.60}; write an integer after its last comma"
            ) from None
    return counts
