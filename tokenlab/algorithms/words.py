"""Counting words: what a tokenizer's trainer learns from is not the text but each different word and its count.

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
from tokenlab.algorithms.split import SPLITTERS, Splitter
from tokenlab.errors import by_name, whole_number
from tokenlab.visible import Symbol

Word: TypeAlias = tuple[Symbol, ...]
Split: TypeAlias = Callable[[str], Iterable[str]]


def count_words(
    texts: str | Iterable[str],
    split: str | Split = "whitespace",
    symbols: Literal["characters", "bytes"] = "characters",
    processes: int = 1,
) -> Counter[Word]:
    """How often each word occurs, in the order in which the words are first met.

    Args:
        texts: a text, or any iterable of texts, which is read once and never held as a whole.
        split: a name ("whitespace", "gpt2") or a function from a text to its words.
        symbols: what a word is a tuple of; bytes are those of UTF-8.
        processes: how many processes split and count; the result is the same.

    Raises:
        TypeError: something among the texts is not a string.
        ValueError: a name that is not known, or a lone surrogate where bytes are asked for.

    >>> count_words(["Ä"], symbols="bytes")
    Counter({(b'\\xc3', b'\\x84'): 1})
    """
    words_of = _words_of(split)
    to_symbols = by_name("symbols", symbols, _TO_SYMBOLS)
    whole_number("processes", processes, at_least=1)
    one = isinstance(texts, str | bytes) or not isinstance(texts, Iterable)
    checked = map(_text, [texts] if one else texts)
    if processes == 1:
        counts = Counter(chain.from_iterable(map(words_of, checked)))
    else:
        _check_sendable(words_of)
        counts = _count_in_processes(words_of, checked, processes)
    return Counter({to_symbols(word): count for word, count in counts.items() if word})


def count_words_in_files(
    *paths: str | Path,
    split: str | Split = "whitespace",
    symbols: Literal["characters", "bytes"] = "characters",
    processes: int = 1,
) -> Counter[Word]:
    """How often each word occurs in UTF-8 files, which are split line by line, as tokenizers' trainer does.

    Raises:
        FileNotFoundError, PermissionError: a file cannot be read.
        ValueError: no file, one that is not UTF-8 (file and position are named), or as `count_words`.
    """
    if not paths:
        raise ValueError('no file is given; name one or more, such as count_words_in_files("corpus.txt")')
    return count_words(files.read_lines(*paths), split, symbols, processes)


def characters(word: str) -> Word:
    """A word as the tuple of its characters.

    >>> characters("hug")
    ('h', 'u', 'g')
    """
    # Interned, so that there is one object for all 日 of a corpus: tuple(word) would make one for each.
    return tuple(map(sys.intern, word))


def _words_of(split: str | Split) -> Split:
    if isinstance(split, Splitter):
        return split.words
    if callable(split):
        return split
    if isinstance(split, str):
        return by_name("split", split, SPLITTERS).words
    raise TypeError(f"split={split!r:.60} is neither a name nor a function; try 'whitespace'")


def _check_sendable(words_of: Split) -> None:
    """Another process finds a function by its name, which one inside a function, or without a name, does not have."""
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


def _bytes_of(word: str) -> Word:
    try:
        return tuple(bytes([byte]) for byte in word.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise ValueError(
            f"the word {word!r} has a lone surrogate at position {error.start}, which UTF-8 cannot write; "
            'replace it with text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")'
        ) from None


_TO_SYMBOLS: dict[str, Callable[[str], Word]] = {"characters": characters, "bytes": _bytes_of}


def _count_in_processes(words_of: Split, texts: Iterator[str], processes: int) -> Counter[str]:
    """Count batches side by side and add them up in their order; only a few batches are in memory at a time."""
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
