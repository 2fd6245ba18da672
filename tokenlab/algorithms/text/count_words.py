"""Counting words: a tokenizer's trainer learns from the distinct words and their counts, not from the text itself.

Adds: words as tuples of symbols (characters or bytes), counted in one pass over a text of any length.

>>> count_words("hug pug hug")
Counter({('h', 'u', 'g'): 2, ('p', 'u', 'g'): 1})
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tokenlab.algorithms.text.pre_tokenizers import SPLITTERS, PreTokenizer
from tokenlab.printing.errors import check_integer, lookup
from tokenlab.printing.printable import Symbol

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

Word: TypeAlias = tuple[Symbol, ...]
Split: TypeAlias = Callable[[str], Iterable[str]]


def count_words(
    texts: str | Iterable[str],
    split: str | Split = "whitespace",
    symbols: Literal["characters", "bytes"] = "characters",
    processes: int = 1,
    executor: Any = None,
    progress: bool = False,
) -> Counter[Word]:
    """Return the count of each word, in the order of first occurrence.

    Args:
        texts: a text, or an iterable of texts, which is read once and never kept in memory as a whole. `CorpusFiles`
            are read and counted by their own executor.
        split: the name of a pre-tokenizer ("whitespace", "gpt2") or a function from a text to its words.
        symbols: the elements of a word, which is a tuple; bytes are the bytes of UTF-8.
        processes: the number of processes that split and count; the result does not depend on it.
        executor: splits and counts, instead of `processes`: a `concurrent.futures` pool or a Dask Client.
        progress: whether to show a progress bar.

    Raises:
        TypeError: a text is not a string, or the executor is not an executor.
        ValueError: an unknown name, a lone surrogate where bytes are requested, or both processes and an executor.
        BrokenExecutor: a process was killed.

    >>> count_words(["Ä"], symbols="bytes")
    Counter({(b'\\xc3', b'\\x84'): 1})
    """
    words_of = _words_of(split)
    split_word = lookup("symbols", symbols, _SPLIT_WORD)
    check_integer("processes", processes, at_least=1)
    if isinstance(texts, str) and processes == 1 and executor is None and not progress:
        return Counter({split_word(word): count for word, count in Counter(words_of(texts)).items() if word})
    # Imported here: neither encoders, which need this module for its types, nor a single text need it.
    from tokenlab.algorithms.corpus.corpus_files import CorpusFiles, CountedTexts, count_all

    corpus = texts if isinstance(texts, CorpusFiles) else None
    if processes > 1 and (executor is not None or (corpus and corpus.executor is not None)):
        raise ValueError(f"processes={processes} and an executor are given; leave out one of them")
    with _pool(processes) if processes > 1 else nullcontext(executor) as pool:
        if corpus is None:
            one = isinstance(texts, str | bytes) or not isinstance(texts, Iterable)
            counted = CountedTexts(map(_text, [texts] if one else texts), pool, progress).counted
        else:
            counted = corpus.with_options(pool, progress).counted
        counts = counted(partial(count_all, words_of))
    return Counter({split_word(word): count for word, count in counts.items() if word})


def _pool(processes: int) -> ProcessPoolExecutor:
    from concurrent.futures import ProcessPoolExecutor  # here, because it takes long to import

    return ProcessPoolExecutor(processes)


def count_words_in_files(
    *paths: str | Path,
    split: str | Split = "whitespace",
    symbols: Literal["characters", "bytes"] = "characters",
    processes: int = 1,
    executor: Any = None,
    progress: bool = False,
    field: str = "text",
) -> Counter[Word]:
    """Return the count of each word in UTF-8 files, which are split line by line, as by tokenizers' trainer.

    Args:
        paths: text, JSON lines or Parquet: files, patterns or URLs, as for `CorpusFiles`.
        field: the name of the field of JSON lines, or of the column of Parquet.

    The other arguments are those of `count_words`. The executor's workers read the files themselves.

    Raises:
        FileNotFoundError, PermissionError: a file cannot be read.
        ValueError: no file is given, a file is not UTF-8 (the message has its name and the position), or as
            `count_words`.
    """
    from tokenlab.algorithms.corpus.corpus_files import CorpusFiles

    return count_words(CorpusFiles(*paths, field=field), split, symbols, processes, executor, progress)


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


def words_to_symbols(words: Iterable[Word | str | bytes], end_of_word: str = "") -> dict[Any, Word]:
    """Map each word to its symbols; a marker is appended to the last symbol of each.

    >>> words_to_symbols(["hug", b"a"], "</w>")
    {'hug': ('h', 'u', 'g</w>'), b'a': (b'a</w>',)}
    """
    splits: dict[Any, Word] = {word: to_symbols(word) for word in words}
    for word, split in splits.items() if end_of_word else ():
        marker: Any = end_of_word.encode() if split and isinstance(split[-1], bytes) else end_of_word
        splits[word] = (*split[:-1], split[-1] + marker) if split else split
    return splits


def _words_of(split: str | Split) -> Split:
    if isinstance(split, PreTokenizer):
        return split.words
    if callable(split):
        return split
    if isinstance(split, str):
        return lookup("split", split, SPLITTERS).words
    raise TypeError(f"split={split!r:.60} is neither a name nor a function; try 'whitespace'")


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
