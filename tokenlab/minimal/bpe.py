"""Byte-pair encoding on one page: learn merges from a text, encode, decode.

Run it: python -m tokenlab.minimal.bpe "that hat"

A word begins with "▁", which represents the space before it, so that decoding knows where words begin.
Leaves out: speed (each round counts all pairs again), bytes (see `gpt2_tokenizer.py`), special and unknown tokens.
Sources: Sennrich, Haddow and Birch 2016, section 3.2; ties as in huggingface/tokenizers, models/bpe/trainer.rs.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

Symbols: TypeAlias = tuple[str, ...]  # a word that is split into symbols: single characters, or results of merges
Pair: TypeAlias = tuple[str, str]

TEXT = "the cat sat on the mat. the rat and the cat saw that the hat is on the mat."


def words_of(text: str) -> list[str]:
    """Split a text at whitespace; each word begins with "▁".

    >>> words_of("the  cat")
    ['▁the', '▁cat']
    """
    return [f"▁{word}" for word in text.split()]


def count_pairs(split_words: Mapping[Symbols, int]) -> Counter[Pair]:
    """Count the pairs of adjacent symbols; a pair counts as often as its word occurs.

    >>> count_pairs({("▁", "h", "a"): 5, ("h", "a"): 2})
    Counter({('h', 'a'): 7, ('▁', 'h'): 5})
    """
    counts: Counter[Pair] = Counter()
    for symbols, count in split_words.items():
        for pair in pairwise(symbols):
            counts[pair] += count
    return counts


def merge(symbols: Symbols, pair: Pair) -> Symbols:
    """Join each occurrence of the pair in a word, from the left.

    >>> merge(("a", "a", "a", "b"), ("a", "a"))
    ('aa', 'a', 'b')
    """
    merged: list[str] = []
    for symbol in symbols:
        if merged and (merged[-1], symbol) == pair:
            merged[-1] += symbol
        else:
            merged.append(symbol)
    return tuple(merged)


def train(text: str, vocab_size: int) -> tuple[list[str], list[Pair]]:
    """Return the vocabulary and the merges: repeatedly join the most frequent pair, until the vocabulary is full.

    The vocabulary begins with the characters in the order of their code points. Of pairs with equal counts, the one
    whose left symbol has the lower id is merged; then the right symbol decides.

    >>> train("hug hug hugs", 7)
    (['g', 'h', 's', 'u', '▁', 'hu', '▁hu'], [('h', 'u'), ('▁', 'hu')])
    """
    counts = Counter(words_of(text))
    split_words = {tuple(word): count for word, count in counts.items()}
    ids = {symbol: id for id, symbol in enumerate(sorted(set("".join(counts))))}
    merges: list[Pair] = []
    while len(ids) < vocab_size and (pairs := count_pairs(split_words)):
        best = min(pairs, key=lambda pair: (-pairs[pair], ids[pair[0]], ids[pair[1]]))
        split_words = {merge(symbols, best): count for symbols, count in split_words.items()}
        ids.setdefault("".join(best), len(ids))  # two merges may make the same symbol
        merges.append(best)
    return list(ids), merges


def encode_word(word: Iterable[str], ranks: Mapping[Pair, int]) -> Symbols:
    """Apply the merges to one word: always the earliest learned one that is possible.

    >>> encode_word("hugs", {("h", "u"): 0, ("hu", "g"): 1})
    ('hug', 's')
    """
    symbols = tuple(word)
    while pairs := [pair for pair in pairwise(symbols) if pair in ranks]:
        symbols = merge(symbols, min(pairs, key=ranks.__getitem__))
    return symbols


def encode(text: str, merges: Sequence[Pair]) -> list[str]:
    """Return the tokens of a text.

    >>> encode("hugs hu", [("h", "u"), ("hu", "g"), ("▁", "hug")])
    ['▁hug', 's', '▁', 'hu']
    """
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    return [symbol for word in words_of(text) for symbol in encode_word(word, ranks)]


def decode(tokens: Iterable[str]) -> str:
    """Return the text of tokens, with one space where there was whitespace.

    >>> decode(["▁hug", "s", "▁", "hu"])
    'hugs hu'
    """
    return "".join(tokens).replace("▁", " ").removeprefix(" ")


if __name__ == "__main__":
    vocabulary, merges = train(TEXT, 40)
    print(*(" + ".join(pair) for pair in merges), sep=", ")
    tokens = encode(" ".join(sys.argv[1:]) or "that cat", merges)
    print(tokens, decode(tokens))
