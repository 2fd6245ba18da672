"""Splitting text as tensor2tensor does: runs of letters and numbers, and runs of everything else, by turns.

Adds: a split that loses nothing, although most blanks are left out. Two neighbours that are letters and numbers can
only mean that a blank stood between them.
Leaves out: words. Han characters are letters, so a clause without a comma is one token; an accent that is a character
of its own is no letter, and cuts a word in two.
Source: tensor2tensor 1.15.7, data_generators/tokenizer.py.

>>> print(split_into_runs.record("so cool!"))
1. so is a token of letters and numbers
2. ␣ is left out: two words side by side say that it was there
3. cool is a token of letters and numbers
4. ! is a token of other characters
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable

from tokenlab.errors import many
from tokenlab.steps import step, stepwise
from tokenlab.visible import visible

# Letters and numbers; or two other characters and more; or one that is no blank; or a blank at the start or the end.
# What is left is a lonely blank, which findall passes over. \w is what str.isalnum accepts, and the underscore.
_TOKEN = re.compile(r"[^\W_]+|[\W_]{2,}|[^\w ]|_|\A | \Z")


@step
class Run:
    """A run of characters of one kind, which starts at `start`; a blank between two words is not kept."""

    start: int
    text: str
    kept: bool

    def __str__(self) -> str:
        """Say what became of it."""
        if not self.kept:
            return f"{visible(self.text)} is left out: two words side by side say that it was there"
        kind = "letters and numbers" if self.text[0].isalnum() else "other characters"
        return f"{visible(self.text)} is a token of {kind}"


@stepwise
def split_into_runs(text: str) -> Generator[Run, None, list[str]]:
    """The tokens of a text: its runs of letters and numbers, and the runs between them that are not a single blank.

    A single blank at the very start or the very end is kept: there it does not stand between two tokens.

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
            # subtle: only U+0020, alone, and between two tokens. A tab, or two blanks, are a token.
            kept = run != " " or start == 0 or end == len(text)
            if kept:
                tokens.append(run)
            yield Run(start, run, kept)
            start = end
    return tokens


def split_at_once(text: str) -> list[str]:
    """The tokens of `split_into_runs`, found by one pattern.

    >>> split_at_once("Don't - stop now ")
    ['Don', "'", 't', ' - ', 'stop', 'now', ' ']
    """
    return _TOKEN.findall(text)


def join_runs(tokens: Iterable[str]) -> str:
    """The text that was split into these tokens: a blank comes back between two that are letters and numbers.

    Raises:
        ValueError: a token is empty, so that nobody can say of which kind it is.
        TypeError: something else than strings.

    Source: tensor2tensor 1.15.7, data_generators/tokenizer.py, decode.

    >>> join_runs(["so", "cool", "!"])
    'so cool!'
    """
    text: list[str] = []
    alphanumeric = False
    for place, token in enumerate(many("tokens", tokens)):
        if not check_text(token):
            raise ValueError(f"tokens[{place}] is empty; a token has one character or more")
        if alphanumeric and token[0].isalnum():
            text.append(" ")
        text.append(token)
        alphanumeric = token[0].isalnum()
    return "".join(text)


def check_text(text: str) -> str:
    """The text, if it is one.

    >>> check_text(b"so")
    Traceback (most recent call last):
    ...
    TypeError: b'so' is a bytes; give a str
    """
    if not isinstance(text, str):
        raise TypeError(f"{text!r:.60} is a {type(text).__name__}; give a str")
    return text
