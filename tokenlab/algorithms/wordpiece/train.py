"""Train WordPiece with a score: merge the pair with the strongest association, not the most frequent pair.

Adds: the score, which is the count of a pair divided by the product of the counts of its two symbols (it orders pairs
as pointwise mutual information does). The result is a vocabulary: a longest-match encoder needs no merges.
Still missing: speed, see `wordpiece.train_indexed`; and the actual rule of Hugging Face's trainer, see
`wordpiece.train_by_frequency`.
Source: Hugging Face's LLM course, chapter 6.6, a reconstruction; Google has not released BERT's training code. The
criterion of Schuster and Nakajima, Japanese and Korean Voice Search, 2012, section 4, is the gain in log-likelihood
that a merge brings: `likelihood_gains` has the gain of each possible first merge, under a unigram model of the symbols;
the language model of the paper need not be a unigram model.

>>> print(train.record({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 1}, vocab_size=8))
1. ##g + ##s became ##gs: the pair occurred once, ##g 16 times and ##s once; the highest score is 1/(16 x 1) = 1/16
>>> gains = likelihood_gains({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})
>>> {pair: round(gain, 1) for pair, gain in gains.items() if gain > 20}
{('##u', '##g'): 28.0, ('p', '##u'): 23.0, ('##u', '##n'): 21.4}
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Generator, Mapping
from fractions import Fraction
from math import log
from typing import TypeAlias, TypeVar, Unpack

from tokenlab.algorithms.bpe.tie_break import Pair, Policy, choose, get_policy
from tokenlab.algorithms.bpe.train import Stopped, TrainingProgress, WordCounts, count_pairs, replace_pair
from tokenlab.algorithms.text.count_words import Word
from tokenlab.algorithms.wordpiece.pieces import Options, TrainingState, join
from tokenlab.printing.printable import Parts, Symbol, SymbolPart, merge_parts, times
from tokenlab.steps.recording import step, stepwise

K = TypeVar("K")
Vocabulary: TypeAlias = list[str]


@step
class Merged:
    """A pair was merged in all words; `symbol_counts` are the counts of its two symbols before the merge."""

    pair: Pair
    symbol: str
    count: int
    symbol_counts: tuple[int, int]
    ties: int

    @property
    def score(self) -> Fraction:
        """The count of the pair divided by the product of the counts of its symbols."""
        return score(self.count, *self.symbol_counts)

    def sentence(self) -> Parts:
        """Name the merge, and say why this pair was merged."""
        first, second = self.symbol_counts
        fraction = f"{self.count}/({first} x {second}) = {self.score}"
        why = f"the highest score is {fraction}"
        if self.ties > 1:
            others = f"{self.ties - 1} other pair{'s have' if self.ties > 2 else ' has'}"
            why = f"its score is {fraction}; {others} the same score, and the tie-break chose this one"
        left, right = map(SymbolPart, self.pair)
        counts: Parts = [f": the pair occurred {times(self.count)}, ", left, f" {times(first)} and ", right]
        return [*merge_parts(self.pair, self.symbol), *counts, f" {times(second)}; {why}"]

    def apply(self, progress: TrainingProgress) -> None:
        """Merge the pair in all words."""
        progress.merge(self.pair, self.symbol)


@stepwise
def train(
    word_counts: WordCounts, vocab_size: int, tie_break: str | Policy = "first_seen", **options: Unpack[Options]
) -> Generator[Merged | Stopped, None, Vocabulary]:
    """Learn a vocabulary of `vocab_size` entries: special tokens, the characters as symbols, and merged symbols.

    Args:
        word_counts: the count of each word; a word is a string, or a tuple of characters.
        vocab_size: the requested vocabulary size.
        tie_break: decides which of equally scored pairs is merged; a name in `tie_break.POLICIES`, or a function.
        options: `prefix`, `min_frequency`, `special_tokens`; see `pieces.Options`.

    Raises:
        ValueError: there are no words, the prefix is empty, vocab_size is smaller than the alphabet, or the policy is
            unknown.
        TypeError: an argument has the wrong type.

    >>> train({"hug": 10, "pug": 5, "pun": 12}, vocab_size=7)
    ['##g', '##n', '##u', 'h', 'p', 'hu', 'hug']
    """
    policy = get_policy(tie_break)
    start = TrainingState(word_counts, vocab_size, **options)
    splits, vocabulary = start.splits, dict.fromkeys(start.ids)
    while len(vocabulary) < vocab_size:
        pairs, symbols = count_pairs(splits, start.counts), count_symbols(splits, start.counts)
        scores = {
            pair: score(count, symbols[pair[0]], symbols[pair[1]]) for pair, count in start.allowed(pairs).items()
        }
        if not scores:
            yield Stopped(len(vocabulary), vocab_size)
            break
        best = max(scores.values())
        tied = [pair for pair in scores if scores[pair] == best]
        pair = choose(tied, policy, vocabulary, splits)
        symbol = join(pair, start.prefix)
        splits = {word: replace_pair(split, pair, symbol) for word, split in splits.items()}
        vocabulary[symbol] = None
        yield Merged(pair, symbol, pairs[pair], (symbols[pair[0]], symbols[pair[1]]), len(tied))
    return list(map(str, vocabulary))


def count_symbols(splits: Mapping[K, Word], word_counts: Mapping[K, int]) -> Counter[Symbol]:
    """Count the symbols, weighted by the counts of their words; a word that is a single symbol counts as well.

    >>> count_symbols({"hug": ("hu", "##g"), "hu": ("hu",)}, {"hug": 10, "hu": 1})
    Counter({'hu': 11, '##g': 10})
    """
    counts: Counter[Symbol] = Counter()
    for word, split in splits.items():
        for symbol in split:
            counts[symbol] += word_counts[word]
    return counts


def score(pair_count: int, left_count: int, right_count: int) -> Fraction:
    """Divide the count of a pair by the product of the counts of its symbols.

    The result is a Fraction, so equal scores compare equal.

    Raises:
        ValueError: a symbol has no count.

    >>> score(5, 20, 5)
    Fraction(1, 20)
    """
    if not (left_count and right_count):
        raise ValueError(
            f"left_count={left_count} and right_count={right_count} should be at least 1, because the pair contains "
            "both symbols"
        )
    return Fraction(pair_count, left_count * right_count)


def likelihood_gains(word_counts: WordCounts) -> dict[Pair, float]:
    """Return the gain in log-likelihood of each possible first merge, largest gain first.

    Raises:
        ValueError, TypeError: as `train.train`.
    """
    start = TrainingState(word_counts, sys.maxsize)
    before = log_likelihood(start.splits, start.counts)
    gains: dict[Pair, float] = {}
    for pair in count_pairs(start.splits, start.counts):
        merged = {word: replace_pair(split, pair, join(pair)) for word, split in start.splits.items()}
        gains[pair] = log_likelihood(merged, start.counts) - before
    return dict(sorted(gains.items(), key=lambda item: -item[1]))


def log_likelihood(splits: Mapping[Word, Word], word_counts: Mapping[Word, int]) -> float:
    """Return the sum of ln p over all symbols of the corpus; p is the relative frequency of a symbol.

    A symbol that does not occur adds nothing.

    >>> round(log_likelihood({("a", "b"): ("a", "##b")}, {("a", "b"): 2}), 3)
    -2.773
    """
    counts = count_symbols(splits, word_counts)
    return sum(count * log(count / counts.total()) for count in counts.values() if count)
