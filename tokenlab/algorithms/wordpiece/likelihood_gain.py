"""The likelihood criterion: the gain in log-likelihood that the first merge of each pair brings.

Adds: the log-likelihood of a corpus under a unigram model of its symbols, before and after each possible merge.
Leaves out: training with this criterion, and the language model of the paper, which need not be a unigram model.
Source: Schuster and Nakajima, Japanese and Korean Voice Search, 2012, section 4.

>>> gains = likelihood_gains({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})
>>> {pair: round(gain, 1) for pair, gain in gains.items() if gain > 20}
{('##u', '##g'): 28.0, ('p', '##u'): 23.0, ('##u', '##n'): 21.4}
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from math import log

from tokenlab.algorithms.bpe.tie_break import Pair
from tokenlab.algorithms.bpe.train import WordCounts, count_pairs, replace_pair
from tokenlab.algorithms.text.count_words import Word
from tokenlab.algorithms.wordpiece.pieces import TrainingState, join
from tokenlab.algorithms.wordpiece.train import count_symbols


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
