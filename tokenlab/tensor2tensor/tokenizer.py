"""Tokens of a text, and their counts in files, under the names of tensor2tensor's `data_generators/tokenizer.py`.

The work is done by `algorithms.subword_text_split`. What differs from the library:

- Lines end at a line feed alone, wherever this runs; files are UTF-8.
- A count that is no number, or an empty token, is told with a sentence; the type of the exception stays.

>>> encode("Dude - that's so cool.")
['Dude', ' - ', 'that', "'", 's', 'so', 'cool', '.']
>>> decode(encode("Dude - that's so cool."))
"Dude - that's so cool."
"""

from __future__ import annotations

import glob
import logging
from collections import Counter
from collections.abc import Iterable, Iterator

from tokenlab import files
from tokenlab.algorithms.subword_text_split import check_text, join_runs, split_at_once

_log = logging.getLogger(__name__)


def encode(text: str) -> list[str]:
    """The tokens of a text: runs of letters and numbers, and runs of other characters but for a lonely blank.

    Raises:
        TypeError: the text is not a str.

    >>> encode("a b "), encode("")
    (['a', 'b', ' '], [])
    """
    return split_at_once(check_text(text)) if text else []


def decode(tokens: Iterable[str]) -> str:
    """The text that has these tokens.

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
    """The stripped lines of all files that match, or each file as one text; after `max_lines` lines no more is read."""
    lines_read = 0
    for name in sorted(glob.glob(filepattern)):
        document = []
        for line in files.read_lines(name):
            lines_read += 1
            if split_on_newlines:
                yield line.strip()
            else:
                document.append(line)
            if max_lines and lines_read >= max_lines:
                if document:
                    yield "".join(document)
                return
        if not split_on_newlines:
            yield "".join(document)


def corpus_token_counts(
    text_filepattern: str, corpus_max_lines: int | None, split_on_newlines: bool = True
) -> Counter[str]:
    """How often each token occurs in the files that match a pattern.

    Args:
        text_filepattern: a pattern such as "corpus/*.txt"; the files are read in the order of their names.
        corpus_max_lines: after so many lines, of all files together, no more is read; 0 or None reads all.
        split_on_newlines: whether each line is a text of its own, without blanks at its ends; else each file is one.

    Raises:
        ValueError: a file is not UTF-8.
    """
    counts: Counter[str] = Counter()
    for text in _read_filepattern(text_filepattern, corpus_max_lines, split_on_newlines):
        counts.update(encode(text))
    return counts


def vocab_token_counts(text_filepattern: str, max_lines: int | None) -> dict[str, int]:
    """The counts in files whose lines are a token, a comma, and how often the token occurs.

    A line without a comma is left out, and logged as a warning.

    Raises:
        ValueError: what stands behind the last comma of a line is no whole number.
    """
    counts: dict[str, int] = {}
    for number, line in enumerate(_read_filepattern(text_filepattern, max_lines)):
        if "," not in line:
            _log.warning("line %d has no comma and is left out: %r", number, line)
            continue
        token, _, count = line.rpartition(",")
        try:
            counts[token] = int(count)
        except ValueError:
            raise ValueError(
                f"line {number} of {text_filepattern} is {line!r:.60}; behind the last comma must stand a whole number"
            ) from None
    return counts
