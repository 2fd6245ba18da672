"""Vocabulary files of `SubwordTextEncoder`: a subtoken a line, in the order of the ids, best in single quotes.

Adds: reading strictly. In a file whose first line is quoted, a line that is not is torn, and nothing is read at all.
Leaves out: files without quotes are read as the library reads them. There a subtoken that ends in white space loses
it, and one that is a quote is lost.
Source: tensor2tensor 1.15.7, text_encoder.py, _load_from_file_object and store_to_file.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tokenlab import files

LINE_END = "\n"


def read_subtokens(path: str | Path) -> list[str]:
    """The subtokens in a vocabulary file; quotes of either kind around a line are taken off.

    Raises:
        FileNotFoundError, PermissionError: the file cannot be read.
        ValueError: it is not UTF-8, it has no line, or a line is torn.
    """
    lines = [line.rstrip() for line in files.read_lines(path)]
    if not lines:
        raise ValueError(f"{path} is empty; a vocabulary file has a subtoken a line")
    quoted = len(lines[0]) > 1 and _in_quotes(lines[0], "'")
    subtokens = []
    numbered = iter(enumerate(lines, start=1))
    for number, line in numbered:
        # A line end in quotes fills two lines, with one quote each.
        if quoted and line == "'" and lines[number : number + 1] == ["'"]:
            next(numbered)
            subtokens.append(LINE_END)
        elif quoted and (line == "'" or not _any_quotes(line)):
            raise ValueError(
                f"line {number} of {path} is torn: {line!r:.60} is not in quotes, as the first line is; "
                "store the vocabulary again, or copy the file once more"
            )
        else:
            subtokens.append(line[1:-1] if _any_quotes(line) else line)
    return subtokens


def _any_quotes(line: str) -> bool:
    return _in_quotes(line, "'") or _in_quotes(line, '"')


def _in_quotes(line: str, quote: str) -> bool:
    return line.startswith(quote) and line.endswith(quote)


def write_subtokens(path: str | Path, subtokens: Iterable[str], quotes: bool = True) -> Path:
    """Write a vocabulary file, whole or not at all.

    Raises:
        FileNotFoundError, PermissionError: the folder is not there, or may not be written to.
        ValueError: a subtoken has a lone surrogate, which UTF-8 cannot hold.
    """
    quote = "'" if quotes else ""
    try:
        return files.write_whole(path, (f"{quote}{subtoken}{quote}\n" for subtoken in subtokens))
    except UnicodeEncodeError as error:
        raise ValueError(
            f"the subtoken {error.object.rstrip()[:60]!a} has a lone surrogate, which no UTF-8 file can hold; "
            "build the vocabulary from text without it"
        ) from None
