"""Vocabulary files of `SubwordTextEncoder`: one subtoken per line, in the order of the ids, usually in single quotes.

Adds: reading strictly. If the first line of a file is quoted, an unquoted line is truncated, and the file is rejected.
A file without a line feed at its end, or with a duplicate subtoken, gives a warning. The library loads all these files
silently.
Leaves out: other damage. A file that was truncated at the end of a line is a valid, smaller vocabulary. Files without
quotes are read as in the library: a subtoken loses whitespace at its end, and a subtoken that is a quote is lost.
Source: tensor2tensor 1.15.7, text_encoder.py, _load_from_file_object and store_to_file.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tokenlab.printing.errors import warn
from tokenlab.storage import files

LINE_END = "\n"


def subtokens_of(file: Iterable[str], name: object) -> list[str]:
    """Return the subtokens in the lines of a vocabulary file.

    Args:
        file: the lines.
        name: the name of the file, for error messages.

    Raises:
        ValueError: there is no line, or a line is truncated.

    Warns:
        UserWarning: the last line has no line feed, or a subtoken occurs twice.

    >>> subtokens_of(["'the_'\\n", "'a'\\n"], "abc.subwords")
    ['the_', 'a']
    """
    ended = [*file]
    lines = [line.rstrip() for line in ended]
    if not lines:
        raise ValueError(f"{name} is empty; a vocabulary file has one subtoken per line")
    quoted = len(lines[0]) > 1 and _in_quotes(lines[0], "'")
    subtokens = []
    numbered = iter(enumerate(lines, start=1))
    for number, line in numbered:
        # A quoted line feed occupies two lines, with one quote each.
        if quoted and line == "'" and lines[number : number + 1] == ["'"]:
            next(numbered)
            subtokens.append(LINE_END)
        elif quoted and (line == "'" or not _any_quotes(line)):
            raise ValueError(
                f"line {number} of {name} is truncated: {line!r:.60} is not in quotes, but the first line is; "
                "store the vocabulary again, or copy the file again"
            )
        else:
            subtokens.append(line[1:-1] if _any_quotes(line) else line)
    _warn_if_damaged(ended, subtokens, name)
    return subtokens


def _warn_if_damaged(lines: list[str], subtokens: list[str], name: object) -> None:
    # A list of lines may have no line feeds at all.
    torn = lines[0].endswith("\n") and not lines[-1].endswith("\n")
    problems = ["has no line feed after its last line"] if torn else []
    if len({*subtokens}) < len(subtokens):
        first: dict[str, int] = {}
        id, again = next((n, s) for n, s in enumerate(subtokens) if first.setdefault(s, n) != n)
        problems.append(f"has the subtoken {again!r:.60} twice, with the ids {first[again]} and {id}")
    for problem in problems:
        warn(f"{name} {problem}; it may be truncated or damaged: compare it with its source")


def _any_quotes(line: str) -> bool:
    return _in_quotes(line, "'") or _in_quotes(line, '"')


def _in_quotes(line: str, quote: str) -> bool:
    return line.startswith(quote) and line.endswith(quote)


def write_subtokens(path: str | Path, subtokens: Iterable[str], quotes: bool = True) -> Path:
    """Write a vocabulary file atomically.

    Raises:
        FileNotFoundError, PermissionError: the folder does not exist, or is not writable.
        ValueError: a subtoken contains a lone surrogate, which UTF-8 cannot encode.
    """
    quote = "'" if quotes else ""
    try:
        return files.write_atomically(path, (f"{quote}{subtoken}{quote}\n" for subtoken in subtokens))
    except UnicodeEncodeError as error:
        raise ValueError(
            f"the subtoken {error.object.rstrip()[:60]!a} contains a lone surrogate, which UTF-8 cannot encode; "
            "build the vocabulary from text without it"
        ) from None
