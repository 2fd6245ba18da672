"""WordPiece on one page: learn a vocabulary by the likelihood score, encode with the longest match, decode.

Run it: python -m tokenlab.minimal.wordpiece "hugs and hats"

A piece inside a word begins with "##". Leaves out: BERT's normalization, special tokens, speed. Hugging Face's
WordPieceTrainer learns other vocabularies: it is BPE with "##", and merges the most frequent pair.
Sources: Schuster and Nakajima 2012, section 3; google-research/bert, tokenization.py, WordpieceTokenizer.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import pairwise
from typing import TypeAlias

Pieces: TypeAlias = tuple[str, ...]
UNKNOWN, LONGEST = "[UNK]", 100  # a longer word is unknown
TEXT = "the hugs of the pug and the pun: a hug is fun, and a bun for the pug is fun too."


def words_of(text: str) -> list[str]:
    """Split a text at whitespace, and make each character that is no letter or digit a separate word.

    >>> words_of("It's fun.")
    ['It', "'", 's', 'fun', '.']
    """
    return "".join(one if one.isalnum() else f" {one} " for one in text).split()


def pieces_of(word: str) -> Pieces:
    """Return the characters of a word, all but the first with "##": ('h', '##u', '##g')."""
    return (*word[:1], *(f"##{character}" for character in word[1:]))


def merge(pieces: Pieces, pair: tuple[str, str]) -> Pieces:
    """Join each occurrence of the pair in a word, from the left.

    >>> merge(("h", "##u", "##g"), ("##u", "##g"))
    ('h', '##ug')
    """
    merged: list[str] = []
    for piece in pieces:
        if merged and (merged[-1], piece) == pair:
            merged[-1] += piece.removeprefix("##")
        else:
            merged.append(piece)
    return tuple(merged)


def train(word_counts: Mapping[str, int], vocab_size: int) -> list[str]:
    """Return the vocabulary: repeatedly join the pair with the highest count(pair) / (count(left) * count(right)).

    This score is high for pieces that rarely occur apart: joining them increases the likelihood most per occurrence.
    Of pairs with equal scores, the first one is joined.

    >>> train({"hug": 10, "pug": 5, "hugs": 5}, 8)
    ['##g', '##s', '##u', 'h', 'p', 'hu', 'pu', 'hug']
    """
    split_words = {pieces_of(word): count for word, count in word_counts.items()}
    vocabulary = dict.fromkeys(sorted({piece for pieces in split_words for piece in pieces}))
    while len(vocabulary) < vocab_size:
        single, pairs = Counter[str](), Counter[tuple[str, str]]()
        for pieces, count in split_words.items():
            for piece in pieces:
                single[piece] += count
            for pair in pairwise(pieces):
                pairs[pair] += count
        if not pairs:
            break
        best = max(pairs, key=lambda pair: pairs[pair] / (single[pair[0]] * single[pair[1]]))
        split_words = {merge(pieces, best): count for pieces, count in split_words.items()}
        vocabulary[best[0] + best[1].removeprefix("##")] = None  # two pairs may make the same piece
    return list(vocabulary)


def encode_word(word: str, vocabulary: Collection[str]) -> list[str]:
    """Cut the longest piece of the vocabulary from the left, again and again; the word is unknown if none fits.

    >>> encode_word("hugs", {"hu", "hug", "##s"}), encode_word("hum", {"hu"})
    (['hug', '##s'], ['[UNK]'])
    """
    if len(word) > LONGEST:
        return [UNKNOWN]
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        ends = [end for end in range(len(word), start, -1) if mark + word[start:end] in vocabulary]
        if not ends:
            return [UNKNOWN]  # subtle: the whole word, even if its beginning is known
        pieces.append(mark + word[start : ends[0]])
        start = ends[0]
    return pieces


def encode(text: str, vocabulary: Collection[str]) -> list[str]:
    """Return the pieces of a text.

    >>> encode("hugs, ok", {"hug", "##s", ","})
    ['hug', '##s', ',', '[UNK]']
    """
    return [piece for word in words_of(text) for piece in encode_word(word, vocabulary)]


def decode(pieces: Iterable[str]) -> str:
    """Return the text of pieces, with a space between two words; the original spaces are lost.

    >>> decode(["hug", "##s", ","])
    'hugs ,'
    """
    return " ".join(pieces).replace(" ##", "")


if __name__ == "__main__":
    vocabulary = train(Counter(words_of(TEXT)), 40)
    print(*vocabulary)
    pieces = encode(" ".join(sys.argv[1:]) or "hugs for a pun", {*vocabulary})
    print(pieces, decode(pieces))
