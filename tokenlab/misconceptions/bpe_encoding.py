"""Four misconceptions about encoding with BPE, each as a wrong program; and their segmentations compared with BPE's.

Each program takes a piece and the learned merges or vocabulary, and returns tokens, as the encoders in `algorithms` do.

>>> greedy_longest_match("abc", {"a", "b", "c", "ab", "bc"}), left_to_right_merge("abc", [("b", "c"), ("a", "b")])
(('ab', 'c'), ('ab', 'c'))
>>> print(compare_segmentations.record("abc", [("b", "c"), ("a", "b")], mine="ab c"))
1. your segmentation: ab c, 2 tokens
2. BPE, by rank: a bc, 2 tokens
3. longest match: ab c, 2 tokens
4. left to right: ab c, 2 tokens
5. fewest tokens: a bc, 2 tokens
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Sequence
from random import Random
from typing import AnyStr

from tokenlab.algorithms.bpe.encode import encode_in_order
from tokenlab.algorithms.bpe.tie_break import Pair
from tokenlab.algorithms.bpe.train import merged_symbol
from tokenlab.algorithms.text.count_words import Word, to_symbols
from tokenlab.misconceptions.misconception import Misconception
from tokenlab.printing.printable import Parts, count_noun, symbol_parts
from tokenlab.steps.recording import step, stepwise


def greedy_longest_match(piece: AnyStr, vocabulary: Collection[AnyStr]) -> tuple[AnyStr, ...]:
    """Take, from the left, the longest token that matches, as WordPiece does and BPE does not."""
    tokens: list[AnyStr] = []
    start = 0
    while start < len(piece):
        ends = range(len(piece), start, -1)
        end = next((end for end in ends if piece[start:end] in vocabulary), start + 1)
        tokens.append(piece[start:end])
        start = end
    return tuple(tokens)


def left_to_right_merge(piece: str | bytes, merges: Sequence[Pair]) -> Word:
    """Make the leftmost possible merge, regardless of its rank, until no merge is possible."""
    known = set(merges)
    split = list(to_symbols(piece))
    place = 0
    while place < len(split) - 1:
        pair = (split[place], split[place + 1])
        if pair in known:
            split[place : place + 2] = [merged_symbol(pair)]
            place = max(0, place - 1)
        else:
            place += 1
    return tuple(split)


def single_pass_shuffled_merges(piece: str | bytes, merges: Sequence[Pair], seed: int = 0) -> Word:
    """Apply the merges once, in random order: a merge is lost if it comes before the merge that makes its part."""
    shuffled = list(merges)
    Random(seed).shuffle(shuffled)
    return encode_in_order(piece, shuffled)


def min_tokens_dp(piece: AnyStr, vocabulary: Collection[AnyStr]) -> tuple[AnyStr, ...]:
    """Segment the piece into as few tokens as possible, which is not the goal of BPE.

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
        "The pair with the lowest rank is merged first. The length of its token does not matter.",
        (greedy_longest_match,),
    ),
    Misconception(
        7,
        "any known merge may be made, from the left",
        "The pair with the lowest rank is merged first, even if another pair is further left.",
        (left_to_right_merge,),
    ),
    Misconception(
        8,
        "the order of the merge list does not matter",
        "One pass is correct only in the order of training: a merge comes after the merges that create its symbols.",
        (single_pass_shuffled_merges,),
    ),
    Misconception(
        9,
        "BPE finds the fewest tokens",
        "BPE repeats the merges of training. It does not search for the segmentation with the fewest tokens.",
        (min_tokens_dp,),
    ),
]
BY_RANK = "BPE, by rank"


@step
class SegmentedBy:
    """The segmentation of the word by a rule."""

    rule: str
    tokens: Word
    unknown: frozenset[str]

    def sentence(self) -> Parts:
        """Name the rule and the tokens."""
        return [f"{self.rule}: ", *symbol_parts(self.tokens), f", {count_noun(len(self.tokens), 'token')}"]


@stepwise
def compare_segmentations(word: str, merges: Sequence[Pair], mine: str = "") -> Generator[SegmentedBy, None, Word]:
    """Segment a word by hand (`mine`), by BPE, and by rules that are mistaken for BPE.

    Args:
        word: the word to encode.
        merges: ranked pairs, in an order that training can produce: the parts of a merge come before it.
        mine: your segmentation, as tokens separated by spaces.

    Raises:
        ValueError: the tokens of `mine`, joined, are not the word.

    >>> compare_segmentations("abc", [("b", "c"), ("a", "b")])
    ('a', 'bc')
    """
    if mine and "".join(mine.split()) != word:
        raise ValueError(f"mine={mine!r} should be the word {word!r} with spaces between its tokens")
    vocabulary = {*word, *map(str, map(merged_symbol, merges))}
    by_rank = encode_in_order(word, merges)  # pairs have ranks here, as in training
    if mine:
        yield SegmentedBy("your segmentation", tuple(mine.split()), frozenset(mine.split()) - vocabulary)
    yield SegmentedBy(BY_RANK, by_rank, frozenset())
    yield SegmentedBy("longest match", greedy_longest_match(word, vocabulary), frozenset())
    yield SegmentedBy("left to right", left_to_right_merge(word, merges), frozenset())
    yield SegmentedBy("fewest tokens", min_tokens_dp(word, vocabulary), frozenset())
    return by_rank
