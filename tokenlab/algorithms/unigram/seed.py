"""The seed vocabulary of Unigram training: more substrings than needed, from which training selects.

Adds: sorting all suffixes, so that suffixes with a common prefix are adjacent: a prefix shared by neighbours is a
substring that occurs more than once. Only maximal repeats are kept: any longer substring would occur less often.
sentencepiece searches whole lines, where a word that is always followed by a space is not a maximal repeat; here it is
one if it ends words often.
Leaves out: a suffix array in linear time; sorting truncated strings is fast enough.
Source: Kudo 2018, section 3.2; sentencepiece's unigram_model_trainer.cc, MakeSeedSentencePieces.

>>> seed_scores({"hug": 10, "pug": 5, "hugs": 5})
{'h': 15, 'u': 20, 'g': 20, 'p': 5, 's': 5, 'hug': 45, 'ug': 40}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import AnyStr

from tokenlab.printing.printable import Symbol

# Measured on held-out text: with a lower minimum, a small corpus is memorized; with a higher one, whole words are lost.
MIN_WORD_END_COUNT = 6


def seed_scores(words: Mapping[AnyStr, int], seed_size: int = 1_000_000, longest: int = 16) -> dict[AnyStr, int]:
    """Return the characters with their counts, then the substrings with the highest scores: count times length.

    Args:
        words: the count of each word; no substring crosses a word boundary.
        seed_size: the maximum number of substrings, in addition to the characters.
        longest: the maximum length of a substring, in characters.
    """
    repeated = maximal_repeats(words, longest)
    scores = {piece: count * len(piece) for piece, count in repeated.items()}
    best = sorted(scores, key=lambda piece: (-scores[piece], piece))[:seed_size]
    return character_counts(words) | {piece: scores[piece] for piece in best}


def character_counts(words: Mapping[AnyStr, int]) -> dict[AnyStr, int]:
    """Return the count of each character, in the order of first occurrence."""
    counts: Counter[AnyStr] = Counter()
    for word, count in words.items():
        for at in range(len(word)):  # a slice of bytes is bytes; an item of bytes would be an int
            counts[word[at : at + 1]] += count
    return dict(counts)


def maximal_repeats(words: Mapping[AnyStr, int], longest: int = 16) -> dict[AnyStr, int]:
    """Return the maximal repeats with their counts: substrings of 2 or more characters that occur at least twice.

    A repeat is maximal if every longer substring that contains it occurs less often.

    >>> maximal_repeats({"banana": 1, "ban": 1})
    {'an': 3, 'ana': 2, 'ban': 2}
    """
    counts = {piece: count for piece, count in repeats(words, longest) if 2 <= len(piece) <= longest and count > 1}
    # subtle: `repeats` leaves out substrings always followed by one character; here those always preceded by one go.
    always_preceded = {piece[1:] for piece, count in counts.items() if counts.get(piece[1:]) == count}
    return {piece: counts[piece] for piece in sorted(counts.keys() - always_preceded)}


def repeats(words: Mapping[AnyStr, int], longest: int) -> Iterator[tuple[AnyStr, int]]:
    """Yield each substring with two different continuations (the word end counts), or that ends words often.

    The suffixes are read in sorted order: a prefix is open while the suffixes start with it, and its count is known
    when it is closed. The prefixes that are open at the same time are prefixes of one another, so a stack holds them.
    """
    suffixes = _suffixes(words, longest + 1)  # subtle: one more, to see whether the longest have two continuations
    ordered = sorted(suffixes)
    if not ordered:
        return
    opened = [(0, 0)]  # a stack of (length of the prefix, count so far)
    followers = ordered[1:] + [ordered[0][:0]]  # noqa: RUF005  # mypy loses the type after *
    for suffix, following in zip(ordered, followers, strict=True):
        shared, count = _common_prefix_length(suffix, following), suffixes[suffix]
        if shared < len(suffix) and count >= MIN_WORD_END_COUNT:
            yield suffix, count
        while opened[-1][0] > shared:
            length, count_so_far = opened.pop()
            count += count_so_far
            yield suffix[:length], count
        if opened[-1][0] == shared:
            count += opened.pop()[1]
        opened.append((shared, count))


def _suffixes(words: Mapping[AnyStr, int], longest: int) -> Counter[AnyStr]:
    """Return the count of each suffix, truncated to `longest` characters."""
    counts: Counter[AnyStr] = Counter()
    for word, count in words.items():
        for start in range(len(word)):
            counts[word[start : start + longest]] += count
    return counts


def _common_prefix_length(one: Symbol, other: Symbol) -> int:
    """Return the length of the longest common prefix of two strings."""
    for length, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return length
    return min(len(one), len(other))
