"""The seed of Unigram training: more substrings than are wanted, so that training can choose.

Adds: sorting all suffixes, so that suffixes which start alike are neighbours: what neighbours share is a substring that
occurs more than once. Of those, only maximal ones are kept: any longer one would occur less often.
sentencepiece looks in whole lines, where a word that always has a blank behind it is no repeat; here it is one if it
ends words often.
Leaves out: a suffix array in linear time; sorted strings, cut to a useful length, are quick enough.
Source: Kudo 2018, section 3.2; sentencepiece's unigram_model_trainer.cc, MakeSeedSentencePieces.

>>> seed_scores({"hug": 10, "pug": 5, "hugs": 5})
{'h': 15, 'u': 20, 'g': 20, 'p': 5, 's': 5, 'hug': 45, 'ug': 40}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

# Measured on text not trained on: with less, a small corpus is learned by heart; with more, whole words are missed.
ENDING = 6


def seed_scores(words: Mapping[str, int], seed_size: int = 1_000_000, longest: int = 16) -> dict[str, int]:
    """The characters with their counts, then the substrings with the highest scores: count times length.

    Args:
        words: how often each word occurs; no substring reaches across the end of a word.
        seed_size: how many substrings are kept besides the characters.
        longest: how many characters a substring may have.
    """
    repeated = maximal_repeats(words, longest)
    scores = {piece: count * len(piece) for piece, count in repeated.items()}
    best = sorted(scores, key=lambda piece: (-scores[piece], piece))[:seed_size]
    return alphabet_of(words) | {piece: scores[piece] for piece in best}


def alphabet_of(words: Mapping[str, int]) -> dict[str, int]:
    """How often each character occurs, in the order of first occurrence."""
    counts: Counter[str] = Counter()
    for word, count in words.items():
        for character in word:
            counts[character] += count
    return dict(counts)


def maximal_repeats(words: Mapping[str, int], longest: int = 16) -> dict[str, int]:
    """Each substring of at least two characters that occurs twice, and of which no longer one occurs as often.

    >>> maximal_repeats({"banana": 1, "ban": 1})
    {'an': 3, 'ana': 2, 'ban': 2}
    """
    counts = {piece: count for piece, count in repeats(words, longest) if 2 <= len(piece) <= longest and count > 1}
    # subtle: `repeats` leaves out what always has the same character behind it; here goes what has it in front.
    always_after_one = {piece[1:] for piece, count in counts.items() if counts.get(piece[1:]) == count}
    return {piece: counts[piece] for piece in sorted(counts.keys() - always_after_one)}


def repeats(words: Mapping[str, int], longest: int) -> Iterator[tuple[str, int]]:
    """Each substring that goes on in two ways (an end is one of them), or that ends words often, with its count.

    The suffixes are sorted and read from the first to the last: a beginning is open while suffixes go on having it, and
    its count is known when it is closed. Those that are open at one time are beginnings of one another.
    """
    suffixes = _suffixes(words, longest + 1)  # subtle: one more, to see whether the longest go on in two ways
    ordered = sorted(suffixes)
    opened = [(0, 0)]  # how long the beginning is, and how often it was met so far
    for suffix, following in zip(ordered, [*ordered[1:], ""], strict=True):
        shared, count = _shared(suffix, following), suffixes[suffix]
        if shared < len(suffix) and count >= ENDING:
            yield suffix, count
        while opened[-1][0] > shared:
            length, met = opened.pop()
            count += met
            yield suffix[:length], count
        if opened[-1][0] == shared:
            count += opened.pop()[1]
        opened.append((shared, count))


def _suffixes(words: Mapping[str, int], longest: int) -> Counter[str]:
    """How often each suffix occurs, cut to its first characters."""
    counts: Counter[str] = Counter()
    for word, count in words.items():
        for start in range(len(word)):
            counts[word[start : start + longest]] += count
    return counts


def _shared(one: str, other: str) -> int:
    """How many characters two strings share at their beginning."""
    for length, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return length
    return min(len(one), len(other))
