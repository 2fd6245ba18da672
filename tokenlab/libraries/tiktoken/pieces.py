"""The pieces of a text, and their ids: the pattern, the look-up of a whole piece, the merges, special tokens.

Source: tiktoken/core.py and src/lib.rs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

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
