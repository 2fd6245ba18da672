"""The pieces of a text, and their ids: the pattern, the look-up of a whole piece, the merges, special tokens.

Adds: the arguments of `Encoding`, checked, and converted to what its methods compute with.

Source: tiktoken/core.py and src/lib.rs.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from operator import index
from typing import TYPE_CHECKING, NoReturn

from tokenlab.algorithms.bpe.token_ends import token_ends
from tokenlab.algorithms.text.pre_tokenizers import SPLITTERS, PreTokenizer, split_r50k

if TYPE_CHECKING:
    import regex


_BY_PATTERN = {splitter.pattern: splitter for splitter in SPLITTERS.values()}

# Splits as r50k's pattern does, in a quarter less time: no possessive quantifiers, most frequent matches first.
FAST_R50K_PATTERN = r" \p{L}+|\p{L}+|'(?:[sdmt]|ll|ve|re)| ?[^\s\p{L}\p{N}]+| ?\p{N}+|\s+(?!\S)|\s+"


def encode_piece(piece: bytes, ranks: dict[bytes, int]) -> list[int]:
    """Return the id of a piece that is a token, or else the ids of its merged parts."""
    whole = ranks.get(piece)
    if whole is not None:
        return [whole]
    if not piece:
        raise ValueError(
            "pat_str matches the empty string, which has no ids; every alternative should match at least one character"
        )
    return byte_pair_merge(piece, ranks)


def byte_pair_merge(piece: bytes, ranks: Mapping[bytes, int]) -> list[int]:
    """Return the ids of a piece: merge the adjacent pair with the lowest rank, leftmost first, until none has a rank.

    Rust's core uses an array of parts for short pieces; here the priority queue is faster on pieces of every length.

    Raises:
        ValueError: a byte has no rank.

    Source: openai/tiktoken, src/lib.rs, _byte_pair_merge_large.

    >>> byte_pair_merge(b"abc", {b"a": 0, b"b": 1, b"c": 2, b"bc": 3, b"ab": 4})
    [0, 3]
    """
    ends, ids, start = token_ends(piece, ranks), [], 0
    while start < len(piece):
        end = ends[start]
        id = ranks.get(piece[start:end])
        if id is None:
            raise ValueError(
                f"the byte {piece[start]:#04x} has no rank, so the piece {piece!r:.60} cannot be encoded; "
                "mergeable_ranks should have all 256 bytes"
            )
        ids.append(id)
        start = end
    return ids


def splitter(pat_str: str) -> PreTokenizer:
    """Return the pre-tokenizer of a pattern."""
    return _BY_PATTERN.get(pat_str) or PreTokenizer("pat_str", {"pat_str": pat_str})


def finder(pat_str: str) -> Callable[[str], list[str]]:
    """Return a function from a text to its pieces; a ValueError for a pattern that is no regular expression."""
    import regex

    if pat_str == split_r50k.pattern:
        return regex.compile(FAST_R50K_PATTERN).findall
    try:
        return splitter(pat_str).find
    except regex.error as error:
        raise ValueError(f"pat_str={pat_str!r:.80} is not a regular expression: {error}") from None


@lru_cache(maxsize=128)
def any_of(texts: frozenset[str]) -> regex.Pattern[str]:
    """Return a pattern that finds these texts, and keeps them when it splits."""
    import regex

    # subtle: longest first, so that <a><b> is found even if <a> is also special.
    return regex.compile(f"({'|'.join(map(regex.escape, sorted(texts, key=lambda text: (-len(text), text))))})")


def well_formed(text: str) -> str:
    """Join surrogate pairs, and replace lone surrogates by U+FFFD."""
    try:
        return valid(text)
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def valid(text: str) -> str:
    """Return the text; a TypeError unless it is a str, a UnicodeEncodeError if it has a lone surrogate."""
    if not isinstance(text, str):
        raise TypeError(f"text={text!r:.60} is a {type(text).__name__}; give a string")
    if not text.isascii():
        text.encode()
    return text


def as_bytes(text_or_bytes: str | bytes) -> bytes:
    """Return the bytes; those of a str are UTF-8. Others are a TypeError."""
    if isinstance(text_or_bytes, str):
        return text_or_bytes.encode()
    if not isinstance(text_or_bytes, bytes):
        raise TypeError(f"{text_or_bytes!r:.60} is a {type(text_or_bytes).__name__}; give a string or bytes")
    return text_or_bytes


def checked_ranks(mergeable_ranks: dict[bytes, int]) -> dict[bytes, int]:
    """Return the ranks of tokens as bytes; a ValueError if two tokens share a rank, a TypeError for other types."""
    if not isinstance(mergeable_ranks, dict):
        raise TypeError(f"mergeable_ranks is a {type(mergeable_ranks).__name__}; give a dict from bytes to ranks")
    ranks = dict(zip(map(_token, mergeable_ranks), unsigned(mergeable_ranks.values()), strict=True))
    if len(set(ranks.values())) < len(ranks):
        raise ValueError(
            f"two tokens of mergeable_ranks have the same rank: {_duplicate_ids(ranks)}; a rank is also an id"
        )
    return ranks


def _token(token: object) -> bytes:
    if isinstance(token, bytes):
        return token
    if isinstance(token, tuple):
        return bytes(token)
    raise TypeError(f"the token {token!r:.60} in mergeable_ranks is a {type(token).__name__}; give bytes")


def _duplicate_ids(ranks: dict[bytes, int]) -> str:
    seen: dict[int, bytes] = {}
    return next(
        f"{seen[rank]!r} and {token!r} have {rank}"
        for token, rank in ranks.items()
        if seen.setdefault(rank, token) != token
    )


def valid_texts(texts: Iterable[str]) -> Iterable[str]:
    """Return the texts after checking that each is a string without lone surrogates."""
    "".join(texts).encode()
    return texts


def sequence(tokens: Sequence[int]) -> Sequence[int]:
    """Return a sequence of ids; a TypeError for a str, a dict, or an iterator."""
    if isinstance(tokens, str | dict) or not hasattr(tokens, "__getitem__"):
        raise TypeError(f"tokens={tokens!r:.60} is a {type(tokens).__name__}; give a list of ids")
    # subtle: array(typecode, bytes) would interpret bytes as raw memory.
    return list(tokens) if isinstance(tokens, bytes | bytearray) else tokens


def unsigned(numbers: Collection[int] | Sequence[int]) -> Sequence[int]:
    """Convert to 32-bit unsigned ints; raise OverflowError for any other number."""
    try:
        return array("I", numbers)
    except OverflowError:
        wrong = next(number for number in map(index, numbers) if not 0 <= number < 2**32)
        raise OverflowError(f"{wrong} is not an id: ids are integers from 0 to {2**32 - 1}") from None


def is_continuation(byte: int) -> bool:
    """Whether a byte is a UTF-8 continuation byte."""
    return 0x80 <= byte < 0xC0


def check_threads(num_threads: int) -> None:
    """Check the number of threads, which has no effect."""
    if num_threads is not None and num_threads <= 0:
        raise ValueError(f"num_threads={num_threads} is too small; give 1 or more")


def raise_disallowed(text: str) -> NoReturn:
    """Say which disallowed special token a text has, and how to allow it (ValueError)."""
    raise ValueError(
        f"the text contains {text!r}, which is disallowed. To encode it as its id: allowed_special={{{text!r}}}. "
        f"To encode it as ordinary text: disallowed_special=enc.special_tokens_set - {{{text!r}}}, "
        "or disallowed_special=() for all special tokens"
    )
