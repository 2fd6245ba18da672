"""Four beliefs about encoding with BPE that are wrong, each as a program that somebody has written.

Each takes a piece and what training learned, and gives back tokens, as the encoders in `algorithms` do.

>>> greedy_longest_match("abc", {"a", "b", "c", "ab", "bc"}), left_to_right_merge("abc", [("b", "c"), ("a", "b")])
(('ab', 'c'), ('ab', 'c'))
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from random import Random
from typing import AnyStr

from tokenlab.algorithms.bpe_encode import encode_in_order, symbols_of
from tokenlab.algorithms.bpe_start import join
from tokenlab.algorithms.tie_break import Pair
from tokenlab.algorithms.words import Word
from tokenlab.misconceptions.bpe import Misconception

# 6. The longest token that fits is taken.


def greedy_longest_match(piece: AnyStr, vocabulary: Collection[AnyStr]) -> tuple[AnyStr, ...]:
    """Take, from the left, the longest token that the piece starts with; WordPiece does, BPE does not."""
    tokens: list[AnyStr] = []
    start = 0
    while start < len(piece):
        ends = range(len(piece), start, -1)
        end = next((end for end in ends if piece[start:end] in vocabulary), start + 1)
        tokens.append(piece[start:end])
        start = end
    return tuple(tokens)


# 7. Any merge that is known may be made, from the left.


def left_to_right_merge(piece: str | bytes, merges: Sequence[Pair]) -> Word:
    """Make the first merge that is possible from the left, whatever its rank, until there is none."""
    known = set(merges)
    split = list(symbols_of(piece))
    place = 0
    while place < len(split) - 1:
        pair = (split[place], split[place + 1])
        if pair in known:
            split[place : place + 2] = [join(pair)]
            place = max(0, place - 1)
        else:
            place += 1
    return tuple(split)


# 8. The order of the merge list does not matter.


def single_pass_shuffled_merges(piece: str | bytes, merges: Sequence[Pair], seed: int = 0) -> Word:
    """Go through the merges once, in some order: one that comes before the merge that makes its part is lost."""
    shuffled = list(merges)
    Random(seed).shuffle(shuffled)
    return encode_in_order(piece, shuffled)


# 9. BPE finds the fewest tokens.


def min_tokens_dp(piece: AnyStr, vocabulary: Collection[AnyStr]) -> tuple[AnyStr, ...]:
    """Cut the piece into as few tokens as possible, which BPE does not try to.

    >>> min_tokens_dp("abcd", {"a", "b", "c", "d", "bc", "ab", "cd"})
    ('ab', 'cd')
    """
    best: list[list[AnyStr]] = [[]]
    for end in range(1, len(piece) + 1):
        starts = [start for start in range(end) if piece[start:end] in vocabulary or end - start == 1]
        best.append(min([best[start] + [piece[start:end]] for start in starts], key=len))
    return tuple(best[-1])


MISCONCEPTIONS = [
    Misconception(
        6,
        "encoding takes the longest token that fits",
        "The pair with the lowest rank is merged first, wherever it stands and however short it is.",
        (greedy_longest_match,),
    ),
    Misconception(
        7,
        "any known merge may be made, from the left",
        "Of all pairs that can be merged the one with the lowest rank comes first, not the leftmost.",
        (left_to_right_merge,),
    ),
    Misconception(
        8,
        "the order of the merge list does not matter",
        "One pass through the list is right only in the order of training: parts come before what is made of them.",
        (single_pass_shuffled_merges,),
    ),
    Misconception(
        9,
        "BPE finds the fewest tokens",
        "BPE repeats what training did; a shorter split may exist, and it does not look for it.",
        (min_tokens_dp,),
    ),
]
