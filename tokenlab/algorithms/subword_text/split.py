"""Split text as tensor2tensor does: into alternating runs of alphanumeric and other characters.

Adds: a lossless split, although single spaces are dropped. Two adjacent alphanumeric tokens imply that a space
separated them.
Leaves out: words. Han characters are alphanumeric, so a clause without a comma is one token. A combining accent is not
alphanumeric, and splits a word in two.
Source: tensor2tensor 1.15.7, data_generators/tokenizer.py.

>>> print(split_into_runs.record("so cool!"))
1. so is an alphanumeric token
2. ␣ is dropped: two adjacent alphanumeric tokens imply it
3. cool is an alphanumeric token
4. ! is a token of other characters
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable

from tokenlab.printing.errors import as_list
from tokenlab.printing.printable import Parts, SymbolPart
from tokenlab.steps.recording import step, stepwise

# An alphanumeric run; or two or more other characters; or one that is not a space; or a space at the start or the end.
# A single space elsewhere remains, which findall skips. \w matches what str.isalnum accepts, and the underscore.
_TOKEN = re.compile(r"[^\W_]+|[\W_]{2,}|[^\w ]|_|\A | \Z")


@step
class CharacterRun:
    """A run of characters of one kind, which starts at `start`; a single space between two tokens is not kept."""

    start: int
    text: str
    kept: bool

    def sentence(self) -> Parts:
        """Say what becomes of the run."""
        if not self.kept:
            return [SymbolPart(self.text, "unknown"), " is dropped: two adjacent alphanumeric tokens imply it"]
        kind = "an alphanumeric token" if self.text[0].isalnum() else "a token of other characters"
        return [SymbolPart(self.text, "new"), f" is {kind}"]


@stepwise
def split_into_runs(text: str) -> Generator[CharacterRun, None, list[str]]:
    """Return the tokens of a text: its alphanumeric runs, and the runs between them that are not a single space.

    A single space at the start or the end of the text is kept, because it is not between two tokens.

    Raises:
        TypeError: the text is not a str.

    Source: tensor2tensor 1.15.7, data_generators/tokenizer.py, encode.

    >>> split_into_runs("Don't - stop now ")
    ['Don', "'", 't', ' - ', 'stop', 'now', ' ']
    """
    check_text(text)
    tokens: list[str] = []
    start = 0
    for end in range(1, len(text) + 1):
        if end == len(text) or text[end].isalnum() != text[start].isalnum():
            run = text[start:end]
            # subtle: only a single U+0020 between two tokens is dropped. A tab or two spaces are a token.
            kept = run != " " or start == 0 or end == len(text)
            if kept:
                tokens.append(run)
            yield CharacterRun(start, run, kept)
            start = end
    return tokens


def split_with_regex(text: str) -> list[str]:
    """Return the tokens of `split_into_runs`, found with one regular expression.

    >>> split_with_regex("Don't - stop now ")
    ['Don', "'", 't', ' - ', 'stop', 'now', ' ']
    """
    return _TOKEN.findall(text)


def join_runs(tokens: Iterable[str]) -> str:
    """Return the text of these tokens; a space is restored between two alphanumeric tokens.

    Raises:
        ValueError: a token is empty, so it is of neither kind.
        TypeError: a token is not a str.

    Source: tensor2tensor 1.15.7, data_generators/tokenizer.py, decode.

    >>> join_runs(["so", "cool", "!"])
    'so cool!'
    """
    text: list[str] = []
    alphanumeric = False
    for place, token in enumerate(as_list("tokens", tokens)):
        if not check_text(token):
            raise ValueError(f"tokens[{place}] is empty; a token has one character or more")
        if alphanumeric and token[0].isalnum():
            text.append(" ")
        text.append(token)
        alphanumeric = token[0].isalnum()
    return "".join(text)


def check_text(text: str) -> str:
    """Return the text; raise a TypeError if it is not a str.

    >>> check_text(b"so")
    Traceback (most recent call last):
    ...
    TypeError: b'so' is of type bytes; give a str
    """
    if not isinstance(text, str):
        raise TypeError(f"{text!r:.60} is of type {type(text).__name__}; give a str")
    return text
