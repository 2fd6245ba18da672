"""Training WordPiece by a score: merge the two that stand together surprisingly often, not those that do most often.

Adds: the score, the count of a pair divided by the product of the counts of its two pieces; and a vocabulary as the
result, for an encoder that looks for the longest piece needs no merges.
Still missing: speed, which is `wordpiece_train_indexed`; and what Hugging Face's trainer does in truth, which is
`wordpiece_train_by_count`.
Source: Hugging Face's NLP course, chapter 6.6, a reconstruction; Google has not published its trainer.

>>> print(train.record({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, vocab_size=8))
1. ##g + ##s became ##gs: together 5 times, in all 20 and 5 times; no other pair scores as high as 5/(20 x 5) = 1/20
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Mapping
from fractions import Fraction
from typing import TypeAlias, TypeVar

from tokenlab.algorithms.bpe_start import WordCounts
from tokenlab.algorithms.bpe_train import Stopped, count_pairs
from tokenlab.algorithms.tie_break import Pair, Policy, choose, policy_of
from tokenlab.algorithms.wordpiece_pieces import PREFIX, Start, join, merge
from tokenlab.algorithms.words import Word
from tokenlab.steps import step, stepwise
from tokenlab.visible import Symbol, visible

K = TypeVar("K")
Vocabulary: TypeAlias = list[str]


@step
class Merged:
    """Everywhere in the words a pair became one piece; `alone` is how often each of its two pieces occurred in all."""

    pair: Pair
    piece: str
    count: int
    alone: tuple[int, int]
    ties: int

    @property
    def score(self) -> Fraction:
        """How surprising it is to find the two together."""
        return score(self.count, *self.alone)

    def __str__(self) -> str:
        """Say what was merged and why."""
        (left, right), (first, second) = map(visible, self.pair), self.alone
        fraction = f"{self.count}/({first} x {second}) = {self.score}"
        why = f"no other pair scores as high as {fraction}"
        if self.ties > 1:
            others = f"{self.ties - 1} other pair{'s have' if self.ties > 2 else ' has'}"
            why = f"{others} the score {fraction}, too, and the tie-break chose this one"
        return (
            f"{left} + {right} became {visible(self.piece)}: "
            f"together {times(self.count)}, in all {first:,} and {times(second)}; {why}"
        )


def times(count: int) -> str:
    """A count in words.

    >>> times(1), times(1200)
    ('once', '1,200 times')
    """
    return "once" if count == 1 else f"{count:,} times"


@stepwise
def train(
    word_counts: WordCounts,
    vocab_size: int,
    tie_break: str | Policy = "first_seen",
    prefix: str = PREFIX,
    min_frequency: int = 1,
    special_tokens: Iterable[str] = (),
) -> Generator[Merged | Stopped, None, Vocabulary]:
    """Learn a vocabulary of `vocab_size` entries: special tokens, the characters as pieces, and what merges make.

    Args:
        word_counts: how often each word occurs; a word is a string, or a tuple of characters.
        vocab_size: the size of the vocabulary that is wanted.
        tie_break: which of pairs with the same score is merged; a name in `tie_break.POLICIES`, or a function.
        prefix: the mark of a piece that does not begin a word.
        min_frequency: a pair that occurs less often is not merged.
        special_tokens: entries that come first in the vocabulary and are never merged.

    Raises:
        ValueError: no words, no prefix, a size that does not hold the alphabet, a policy that is not known.
        TypeError: an argument of another type.

    >>> train({"hug": 10, "pug": 5, "pun": 12}, vocab_size=7)
    ['##g', '##n', '##u', 'h', 'p', 'hu', 'hug']
    """
    policy = policy_of(tie_break)
    start = Start(word_counts, vocab_size, prefix, min_frequency, special_tokens)
    splits, vocabulary = start.splits, dict.fromkeys(start.ids)
    while len(vocabulary) < vocab_size:
        pairs, pieces = count_pairs(splits, start.counts), count_pieces(splits, start.counts)
        scores = {pair: score(count, pieces[pair[0]], pieces[pair[1]]) for pair, count in start.allowed(pairs).items()}
        if not scores:
            yield Stopped(len(vocabulary), vocab_size)
            break
        best = max(scores.values())
        tied = [pair for pair in scores if scores[pair] == best]
        pair = choose(tied, policy, vocabulary, splits)
        piece = join(pair, prefix)
        splits = {word: merge(split, pair, prefix) for word, split in splits.items()}
        vocabulary[piece] = None
        yield Merged(pair, piece, pairs[pair], (pieces[pair[0]], pieces[pair[1]]), len(tied))
    return list(map(str, vocabulary))


def count_pieces(splits: Mapping[K, Word], word_counts: Mapping[K, int]) -> Counter[Symbol]:
    """How often each piece occurs, weighted by the words' counts, also in a word that is one piece.

    >>> count_pieces({"hug": ("hu", "##g"), "hu": ("hu",)}, {"hug": 10, "hu": 1})
    Counter({'hu': 11, '##g': 10})
    """
    counts: Counter[Symbol] = Counter()
    for word, split in splits.items():
        for piece in split:
            counts[piece] += word_counts[word]
    return counts


def score(together: int, left: int, right: int) -> Fraction:
    """How often two pieces stand together, divided by the product of how often each occurs.

    It is a fraction, not a float, so that equal scores are equal.

    >>> score(5, 20, 5)
    Fraction(1, 20)
    """
    return Fraction(together, left * right)
