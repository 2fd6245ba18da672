"""BERT's vocabulary file: one token a line, and the number of the line, from zero, is its id.

Adds: reading it strictly. What is wrong with a file is said with the line, before anything is encoded with it.
"""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path

from tokenlab.files import read_lines


def load_vocab(vocab_file: str | Path) -> OrderedDict[str, int]:
    """The tokens of a vocabulary file, each with its id.

    Raises:
        FileNotFoundError, PermissionError: the file cannot be read.
        ValueError: the file is not UTF-8, has no token, an empty line, a token twice, or white space inside a token.

    Source: google-research/bert, tokenization.py, load_vocab.
    """
    vocabulary: OrderedDict[str, int] = OrderedDict()
    for line in read_lines(vocab_file):
        token = line.strip()
        _check(token, vocabulary, vocab_file)
        vocabulary[token] = len(vocabulary)
    if not vocabulary:
        raise ValueError(f"{vocab_file} is empty; a vocabulary file has one token a line")
    return vocabulary


def _check(token: str, before: OrderedDict[str, int], path: str | Path) -> None:
    here = f"{path}, line {len(before) + 1}"
    if not token:
        raise ValueError(
            f"{here} is empty, and every line is a token with an id; remove the line, or find what was lost"
        )
    if len(token.split()) > 1:
        raise ValueError(f"{here} is {token!r:.60}: a token has no white space inside; write one token a line")
    if token in before:
        raise ValueError(f"{here} has {token!r:.60} again, after line {before[token] + 1}; a token has one id only")
