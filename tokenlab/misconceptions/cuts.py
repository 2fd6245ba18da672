"""One word cut by several rules, one beneath the other: the learner's own, BPE's, and two that are often taken for it.

>>> print(cut_in_several_ways.record("abc", [("b", "c"), ("a", "b")], mine="ab c"))
1. your own cut: ab c, 2 tokens
2. BPE, by rank: a bc, 2 tokens
3. longest match: ab c, 2 tokens
4. left to right: ab c, 2 tokens
5. fewest tokens: a bc, 2 tokens
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from tokenlab.algorithms.bpe_encode import encode_by_rank, ranks_of
from tokenlab.algorithms.bpe_start import join
from tokenlab.algorithms.tie_break import Pair
from tokenlab.algorithms.words import Word
from tokenlab.misconceptions.bpe_encode import greedy_longest_match, left_to_right_merge, min_tokens_dp
from tokenlab.steps import step, stepwise
from tokenlab.visible import visible

BY_RANK = "BPE, by rank"


@step
class CutBy:
    """The tokens that a rule cuts a word into."""

    rule: str
    tokens: Word
    unknown: frozenset[str]

    def __str__(self) -> str:
        """Say the rule, and what comes of it."""
        number = f"{len(self.tokens)} token{'s' if len(self.tokens) != 1 else ''}"
        return f"{self.rule}: {' '.join(map(visible, self.tokens))}, {number}"


@stepwise
def cut_in_several_ways(word: str, merges: Sequence[Pair], mine: str = "") -> Generator[CutBy, None, Word]:
    """Cut a word by the learner's rule (`mine`, with blanks), by BPE, and by rules that are mistaken for it.

    Raises:
        ValueError: the learner's cut, joined, is not the word.

    >>> cut_in_several_ways("abc", [("b", "c"), ("a", "b")])
    ('a', 'bc')
    """
    if mine and "".join(mine.split()) != word:
        raise ValueError(f"mine={mine!r} should be the word {word!r} with blanks where you cut it")
    vocabulary = {*word, *map(str, map(join, merges))}
    by_rank = encode_by_rank(word, ranks_of(merges))
    if mine:
        yield CutBy("your own cut", tuple(mine.split()), frozenset(mine.split()) - vocabulary)
    yield CutBy(BY_RANK, by_rank, frozenset())
    yield CutBy("longest match", greedy_longest_match(word, vocabulary), frozenset())
    yield CutBy("left to right", left_to_right_merge(word, merges), frozenset())
    yield CutBy("fewest tokens", min_tokens_dp(word, vocabulary), frozenset())
    return by_rank
