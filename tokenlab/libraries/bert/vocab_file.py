"""BERT's vocabulary: a file with one token per line, whose id is the line number, counted from 0; and look-ups in it.

Adds: strict checks. An error names the line, before anything is encoded.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from tokenlab.printing.errors import warn
from tokenlab.storage.files import read_lines

K = TypeVar("K")
V = TypeVar("V")


def load_vocab(vocab_file: str | Path) -> OrderedDict[str, int]:
    """Load the tokens of a vocabulary file, with their ids.

    Raises:
        FileNotFoundError, PermissionError: the file cannot be read.
        ValueError: the file is not UTF-8 or has no tokens, an empty line, a duplicate, or whitespace inside a token.

    Warns:
        UserWarning: the last line has no line feed, so the file may be truncated. The library loads it silently. A file
            that was truncated at the end of a line cannot be told from a smaller vocabulary.

    Source: google-research/bert, tokenization.py, load_vocab.
    """
    vocabulary: OrderedDict[str, int] = OrderedDict()
    line = ""
    for line in read_lines(vocab_file):
        token = line.strip()
        _check(token, vocabulary, vocab_file)
        vocabulary[token] = len(vocabulary)
    if not vocabulary:
        raise ValueError(f"{vocab_file} is empty; a vocabulary file has one token per line")
    if not line.endswith("\n"):
        problem = "has no line feed after its last line; it may be truncated or damaged: compare it with its source"
        warn(f"{vocab_file} {problem}")
    return vocabulary


def _check(token: str, before: OrderedDict[str, int], path: str | Path) -> None:
    here = f"{path}, line {len(before) + 1}"
    if not token:
        raise ValueError(
            f"{here} is empty, and every line is a token with an id; remove the line, or restore the missing token"
        )
    if len(token.split()) > 1:
        raise ValueError(f"{here} is {token!r:.60}: a token has no whitespace inside; write one token per line")
    if token in before:
        raise ValueError(f"{here} has {token!r:.60} again, after line {before[token] + 1}; a token has only one id")


def convert_by_vocab(vocab: Mapping[K, V], items: Iterable[K]) -> list[V]:
    """Look up each item in the vocabulary: ids for tokens, or tokens for ids.

    Raises:
        KeyError: an item is not in the vocabulary.

    >>> convert_by_vocab({"[UNK]": 0, "hug": 1}, ["hug", "[UNK]"])
    [1, 0]
    """
    try:
        return [vocab[item] for item in items]
    except KeyError as error:
        missing = error.args[0]
        raise KeyError(
            f"{missing!r:.60} is not in the vocabulary of {len(vocab):,} entries; WordpieceTokenizer returns only "
            "tokens in the vocabulary and [UNK], which should be in it"
        ) from None


def convert_tokens_to_ids(vocab: Mapping[str, int], tokens: Iterable[str]) -> list[int]:
    """Return the id of each token.

    >>> convert_tokens_to_ids({"hug": 7, "##s": 9}, ["hug", "##s"])
    [7, 9]
    """
    return convert_by_vocab(vocab, tokens)


def convert_ids_to_tokens(inv_vocab: Mapping[int, str], ids: Iterable[int]) -> list[str]:
    """Return the token of each id, given the inverse vocabulary.

    >>> convert_ids_to_tokens({7: "hug", 9: "##s"}, [7, 9])
    ['hug', '##s']
    """
    return convert_by_vocab(inv_vocab, ids)
