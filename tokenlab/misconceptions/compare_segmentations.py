"""Compare segmentations of a word: your own, BPE's, and those of rules that are often mistaken for BPE.

>>> print(compare_segmentations.record("abc", [("b", "c"), ("a", "b")], mine="ab c"))
1. your segmentation: ab c, 2 tokens
2. BPE, by rank: a bc, 2 tokens
3. longest match: ab c, 2 tokens
4. left to right: ab c, 2 tokens
5. fewest tokens: a bc, 2 tokens
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from tokenlab.algorithms.bpe.encode import encode_in_order
from tokenlab.algorithms.bpe.tie_break import Pair
from tokenlab.algorithms.bpe.train import merged_symbol
from tokenlab.algorithms.text.count_words import Word
from tokenlab.misconceptions.bpe_encoding import greedy_longest_match, left_to_right_merge, min_tokens_dp
from tokenlab.printing.printable import Parts, count_noun, symbol_parts
from tokenlab.steps.recording import step, stepwise

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
