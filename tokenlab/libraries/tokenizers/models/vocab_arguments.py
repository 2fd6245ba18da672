"""Checks of vocabularies and merges: of arguments, of fields in tokenizer.json, and of files.

Adds: messages that name the entry; the exception types of the library.
Leaves out: whether the parts of a merge are in the vocabulary (`bpe`).

Source: tokenizers 0.23.3, bindings/python/src/models.rs, and read_file of the models.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NoReturn, TypeAlias

from tokenlab.libraries.tokenizers.components.arguments import (
    UNSIGNED_32,
    check_text,
    check_unsigned_32,
    refuse_surrogates,
)
from tokenlab.printing.errors import warn
from tokenlab.storage.files import read_text

Merge: TypeAlias = tuple[str, str]


def check_vocab(vocab: Any) -> dict[str, int] | str:
    """Return a given vocabulary, or the path of a file with one; a TypeError for a token or an id of another type.

    >>> check_vocab({"a": -1})
    Traceback (most recent call last):
    ...
    TypeError: vocab['a']=-1 should be from 0 to 4294967295
    """
    if isinstance(vocab, str):
        return refuse_surrogates("vocab", vocab)
    if not isinstance(vocab, dict):
        raise TypeError(f"vocab={vocab!r:.60} should be a dict of tokens and ids, or a file name")
    if _are_ids(vocab.values()) and _are_texts(vocab):
        return dict(vocab)
    try:
        return {
            check_text("a token of vocab", token): check_unsigned_32(f"vocab[{token!r:.40}]", id)
            for token, id in vocab.items()
        }
    except (UnicodeEncodeError, OverflowError) as error:  # the library raises a TypeError for any of these
        raise TypeError(str(error)) from None


def check_merges(merges: Any) -> list[Merge] | str:
    """Return given merges, or the path of a file with them; a TypeError unless they are tuples of two texts.

    >>> check_merges([["a", "b"]])
    Traceback (most recent call last):
    ...
    TypeError: merges[0]=['a', 'b'] should be a tuple of two tokens, such as ('a', 'b')
    """
    if isinstance(merges, str):
        return refuse_surrogates("merges", merges)
    if isinstance(merges, bytes | Mapping) or not isinstance(merges, Sequence):
        raise TypeError(f"merges={merges!r:.60} should be a list of pairs such as [('a', 'b')], or a file name")
    if _are_pairs(merges, tuple) and _are_texts(chain.from_iterable(merges)):
        return list(merges)
    for number, pair in enumerate(merges):
        if not isinstance(pair, tuple) or len(pair) != 2 or not all(isinstance(part, str) for part in pair):
            raise TypeError(f"merges[{number}]={pair!r:.60} should be a tuple of two tokens, such as ('a', 'b')")
        refuse_surrogates(f"merges[{number}]", "".join(pair))
    return list(merges)


# These checks of a whole vocabulary run in C. Only if one fails, each token is checked, for the message.


def _are_texts(values: Iterable[Any]) -> bool:
    """Whether all values are texts that UTF-8 can encode."""
    try:
        "".join(values).encode()
    except (TypeError, UnicodeEncodeError):
        return False
    return True


def _are_ids(values: Collection[Any]) -> bool:
    return set(map(type, values)) <= {int} and min(values, default=0) >= 0 and max(values, default=0) <= UNSIGNED_32


def _are_pairs(values: Collection[Any], kind: type) -> bool:
    return set(map(type, values)) <= {kind} and set(map(len, values)) <= {2}


def vocab_field(fields: Mapping[str, Any]) -> dict[str, int]:
    """Return the field "vocab" of tokenizer.json; anything but an object of tokens and ids raises a ValueError."""
    vocab = fields.get("vocab")
    if not isinstance(vocab, dict):
        raise ValueError(f'the field "vocab" of the model should be an object of tokens and ids, not {vocab!r:.60}')
    if _are_ids(vocab.values()):
        return vocab
    for token, id in vocab.items():
        if isinstance(id, bool) or not isinstance(id, int) or not 0 <= id <= UNSIGNED_32:
            raise ValueError(f'in "vocab", the token {token!r:.60} has the id {id!r:.60}; ids are integers from 0')
    return vocab


def merges_field(fields: Mapping[str, Any]) -> list[Merge]:
    """Return the field "merges" of tokenizer.json: pairs, or in files of older versions texts with a space.

    Raises:
        ValueError: the field is missing, or has a malformed merge.

    >>> merges_field({"merges": ["a b"]}), merges_field({"merges": [["a", "b"]]})
    ([('a', 'b')], [('a', 'b')])
    """
    merges = fields.get("merges")
    if not isinstance(merges, list):
        raise ValueError(f'the field "merges" of the model should be a list of pairs, not {merges!r:.60}')
    if _are_pairs(merges, list) and set(map(type, chain.from_iterable(merges))) <= {str}:
        return list(map(tuple, merges))
    if merges and all(isinstance(merge, str) for merge in merges):
        return list(split_merges(merges, 'the field "merges"'))
    for number, pair in enumerate(merges):
        if not isinstance(pair, list | tuple) or [type(part) for part in pair] != [str, str]:
            raise ValueError(f'"merges"[{number}] is {pair!r:.60}; give a list of two tokens, such as ["a", "b"]')
    return [(left, right) for left, right in merges]


def split_merges(lines: Sequence[str], source: str) -> Iterator[Merge]:
    """Split the lines of merges.txt at their space; skip lines that start with #version.

    Raises:
        ValueError: a line has not exactly one space.

    >>> list(split_merges(["#version: 0.2", "a b"], "merges.txt"))
    [('a', 'b')]
    """
    for number, line in enumerate(lines, start=1):
        if line.startswith("#version"):
            continue
        parts = line.split(" ")
        if len(parts) != 2:
            spaces = "no space" if len(parts) == 1 else f"{len(parts) - 1} spaces"
            raise ValueError(f"{source}, line {number}: {line!r:.60} has {spaces}; give two tokens with one space")
        yield parts[0], parts[1]


def text_lines(path: str) -> list[str]:
    r"""Return the lines of a file, which end with \n or \r\n."""
    lines = read_text(check_text("path", path)).split("\n")
    last = lines.pop()
    return [line.removesuffix("\r") for line in lines] + ([last] if last else [])


def read_vocab_json(path: str) -> dict[str, int]:
    """Return the vocabulary in a JSON file; as in the library, entries whose value is not a number are ignored.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is not UTF-8, not a JSON object, or an id is not an integer from 0.
    """

    def refuse(constant: str) -> NoReturn:
        raise ValueError(f"{constant} is not JSON")

    text = read_text(check_text("path", path))
    try:
        entries = json.loads(text, parse_constant=refuse)
    except ValueError as error:
        raise ValueError(f"{path} is not valid JSON: {error}; it may be truncated, or another kind of file") from None
    if not isinstance(entries, dict):
        raise ValueError(f"{path} should have a JSON object of tokens and ids, not {entries!r:.60}")
    ignored = [token for token, id in entries.items() if isinstance(id, bool) or not isinstance(id, int | float)]
    if ignored:
        warn(
            f"{path}: {len(ignored)} entries are ignored because their value is not a number, first {ignored[0]!r:.60}"
        )
    vocab = {token: id for token, id in entries.items() if isinstance(id, int) and not isinstance(id, bool)}
    for token, id in entries.items():
        if isinstance(id, float) or (token in vocab and not 0 <= id <= UNSIGNED_32):
            raise ValueError(
                f"{path}: the token {token!r:.60} has the id {id}; ids are integers from 0 to {UNSIGNED_32}"
            )
        if not token.isascii():
            refuse_surrogates(f"{path}: the token", token, ValueError)
    return vocab
