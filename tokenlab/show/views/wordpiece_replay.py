"""The state of WordPiece training after each step of a recording, which itself says only what each step merged."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from fractions import Fraction
from heapq import nlargest
from itertools import pairwise
from typing import Any

from tokenlab.algorithms import wordpiece_pieces, wordpiece_train_by_count
from tokenlab.algorithms.bpe_train import Stopped
from tokenlab.algorithms.tie_break import Pair
from tokenlab.algorithms.wordpiece_pieces import PREFIX, merge
from tokenlab.algorithms.wordpiece_train import score
from tokenlab.algorithms.words import Word
from tokenlab.steps import Recording
from tokenlab.visible import Symbol

BY_COUNT = "wordpiece_train_by_count.train_by_count"
WHAT_COUNTS = ("word_counts", "vocab_size", "prefix", "min_frequency", "special_tokens")


class Replay:
    """The words as they are split, how often each pair and each piece occurs in them, and the vocabulary."""

    def __init__(self, recording: Recording[Any, Any]) -> None:
        """Start before the first step."""
        self.by_count = recording.function.endswith(BY_COUNT)
        module = wordpiece_train_by_count if self.by_count else wordpiece_pieces
        names = (*WHAT_COUNTS, "initial_alphabet", "limit_alphabet") if self.by_count else WHAT_COUNTS
        given: Mapping[str, Any] = recording.arguments
        start = module.Start(**{name: given[name] for name in names if name in given})
        self.prefix: str = given.get("prefix", PREFIX)
        self.least = start.least
        self.counts = start.counts
        self.splits: dict[Word, Word] = dict(start.splits)
        self.vocabulary: dict[Symbol, None] = dict.fromkeys(start.ids)
        self.pairs: Counter[Pair] = Counter()
        self.pieces: Counter[Symbol] = Counter()
        self._where: dict[Pair, dict[Word, None]] = defaultdict(dict)
        for word in self.splits:
            self._count(word, +1)

    def take(self, step: Any) -> list[Word]:
        """Do what a step did; the words that it changed."""
        if isinstance(step, Stopped):
            return []
        changed = [word for word in self._where.pop(step.pair, ()) if step.pair in pairwise(self.splits[word])]
        for word in changed:
            self._count(word, -1)
            self.splits[word] = merge(self.splits[word], step.pair, self.prefix)
            self._count(word, +1)
        self.vocabulary[step.piece] = None
        return changed

    def allowed(self) -> Counter[Pair]:
        """The pairs that may be merged, with their counts."""
        return Counter({pair: count for pair, count in self.pairs.items() if count >= self.least})

    def score(self, pair: Pair) -> Fraction:
        """The score of a pair now."""
        return score(self.pairs[pair], self.pieces[pair[0]], self.pieces[pair[1]])

    def best(self, most: int) -> list[Pair]:
        """The pairs with the highest scores, or counts, best first."""
        allowed = self.allowed()
        if self.by_count:
            return [pair for pair, _ in allowed.most_common(most)]
        # As floats first: a fraction for each pair of a large corpus would take long.
        pieces = self.pieces
        near = nlargest(most + 30, allowed, key=lambda pair: allowed[pair] / (pieces[pair[0]] * pieces[pair[1]]))
        return sorted(near, key=self.score, reverse=True)[:most]

    def _count(self, word: Word, sign: int) -> None:
        split, times = self.splits[word], sign * self.counts[word]
        for piece in split:
            self.pieces[piece] += times
        for pair in pairwise(split):
            self.pairs[pair] += times
            if sign > 0:
                self._where[pair][word] = None
            elif not self.pairs[pair]:
                del self.pairs[pair]


def fraction(value: Fraction) -> str:
    """A score as a fraction, if it is a short one, and as a decimal.

    >>> fraction(Fraction(5, 100)), fraction(Fraction(1234, 56789012)), fraction(Fraction(1))
    ('1/20 = 0.05', '2.17e-05', '1')
    """
    decimal = f"{float(value):.3g}"
    return f"{value} = {decimal}" if 1 < value.denominator < 10_000 else decimal
