"""Counting words: a tokenizer's trainer learns from the distinct words and their counts, not from the text itself.

Adds: words as tuples of symbols (characters or bytes), counted in one pass over a text of any length.

>>> count_words("hug pug hug")
Counter({('h', 'u', 'g'): 2, ('p', 'u', 'g'): 1})
"""

from __future__ import annotations

import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import chain
from pathlib import Path
from typing import Literal, TypeAlias

from tokenlab import files
from tokenlab.algorithms.text.pretokenize import SPLITTERS, PreTokenizer
from tokenlab.errors import check_integer, lookup
from tokenlab.printable import Symbol

Word: TypeAlias = tuple[Symbol, ...]
Split: TypeAlias = Callable[[str], Iterable[str]]


def count_words(
    texts: str | Iterable[str],
    split: str | Split = "whitespace",
    symbols: Literal["characters", "bytes"] = "characters",
    processes: int = 1,
) -> Counter[Word]:
    """Return the count of each word, in the order of first occurrence.

    Args:
        texts: a text, or an iterable of texts, which is read once and never kept in memory as a whole.
        split: the name of a pre-tokenizer ("whitespace", "gpt2") or a function from a text to its words.
        symbols: the elements of a word, which is a tuple; bytes are the bytes of UTF-8.
        processes: the number of processes that split and count; the result does not depend on it.

    Raises:
        TypeError: a text is not a string.
        ValueError: an unknown name, or a lone surrogate where bytes are requested.

    >>> count_words(["Ä"], symbols="bytes")
    Counter({(b'\\xc3', b'\\x84'): 1})
    """
    words_of = _words_of(split)
    split_word = lookup("symbols", symbols, _SPLIT_WORD)
    check_integer("processes", processes, at_least=1)
    one = isinstance(texts, str | bytes) or not isinstance(texts, Iterable)
    checked = map(_text, [texts] if one else texts)
    if processes == 1:
        counts = Counter(chain.from_iterable(map(words_of, checked)))
    else:
        _check_sendable(words_of)
        counts = _count_in_processes(words_of, checked, processes)
    return Counter({split_word(word): count for word, count in counts.items() if word})


def count_words_in_files(
    *paths: str | Path,
    split: str | Split = "whitespace",
    symbols: Literal["characters", "bytes"] = "characters",
    processes: int = 1,
) -> Counter[Word]:
    """Return the count of each word in UTF-8 files, which are split line by line, as by tokenizers' trainer.

    Raises:
        FileNotFoundError, PermissionError: a file cannot be read.
        ValueError: no file is given, a file is not UTF-8 (the message has its name and the position), or as
            `count_words`.
    """
    if not paths:
        raise ValueError('no file is given; name one or more, such as count_words_in_files("corpus.txt")')
    return count_words(files.read_lines(*paths), split, symbols, processes)


def characters(word: str) -> Word:
    """Return the characters of a word as a tuple.

    >>> characters("hug")
    ('h', 'u', 'g')
    """
    # Interned, so that a corpus has one object for all 日; tuple(word) would create one for each.
    return tuple(map(sys.intern, word))


def to_symbols(word: Word | str | bytes) -> Word:
    """Split a str into characters and bytes into single bytes; return a tuple of symbols unchanged.

    >>> to_symbols(b"ab")
    (b'a', b'b')
    """
    if isinstance(word, bytes):
        return tuple(word[at : at + 1] for at in range(len(word)))
    return characters(word) if isinstance(word, str) else tuple(word)


def _words_of(split: str | Split) -> Split:
    if isinstance(split, PreTokenizer):
        return split.words
    if callable(split):
        return split
    if isinstance(split, str):
        return lookup("split", split, SPLITTERS).words
    raise TypeError(f"split={split!r:.60} is neither a name nor a function; try 'whitespace'")


def _check_sendable(words_of: Split) -> None:
    """Check that another process can import the function by name, which nested functions and lambdas do not allow."""
    name = getattr(words_of, "__qualname__", "")
    if "<" in name:
        raise ValueError(
            f"split={name} cannot be sent to another process; define it at the top of a module, or take processes=1"
        )


def _text(text: object) -> str:
    if isinstance(text, str):
        return text
    raise TypeError(
        f"texts should be a string or strings, but {text!r:.60} among them is of type {type(text).__name__}; "
        "decode bytes first, and read a file with count_words_in_files"
    )


def utf8(word: str) -> bytes:
    """Return the word in UTF-8.

    Raises:
        ValueError: it has a lone surrogate.

    >>> utf8("é")
    b'\\xc3\\xa9'
    """
    try:
        return word.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(
            f"the word {word!r} has a lone surrogate at position {error.start}, which UTF-8 cannot write; "
            'replace it with text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")'
        ) from None


def _bytes_of(word: str) -> Word:
    return to_symbols(utf8(word))


_SPLIT_WORD: dict[str, Callable[[str], Word]] = {"characters": characters, "bytes": _bytes_of}


def _count_in_processes(words_of: Split, texts: Iterator[str], processes: int) -> Counter[str]:
    """Count batches in parallel and add them up in order; only a few batches are in memory at a time."""
    counts: Counter[str] = Counter()
    waiting: deque[Future[Counter[str]]] = deque()
    with ProcessPoolExecutor(processes) as pool:
        for batch in _batches(texts):
            waiting.append(pool.submit(_count_batch, words_of, batch))
            if len(waiting) > 2 * processes:
                counts.update(waiting.popleft().result())
        for counted in waiting:
            counts.update(counted.result())
    return counts


def _batches(texts: Iterator[str], characters: int = 1_000_000) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if size >= characters:
            yield batch
            batch, size = [], 0
    yield batch


def _count_batch(words_of: Split, batch: list[str]) -> Counter[str]:
    return Counter(chain.from_iterable(map(words_of, batch)))
