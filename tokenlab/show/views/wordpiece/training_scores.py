"""The scores of WordPiece training at each step of a recording, and the pairs with the highest scores or counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from heapq import nlargest
from typing import Any

from tokenlab.algorithms.bpe.tie_break import Pair
from tokenlab.algorithms.bpe.train import TrainingProgress
from tokenlab.algorithms.wordpiece.pieces import TrainingState
from tokenlab.algorithms.wordpiece.train import score
from tokenlab.algorithms.wordpiece.train_by_frequency import FrequencyTrainingState, train_by_frequency
from tokenlab.steps.recording import Recording

BY_FREQUENCY = f"{train_by_frequency.__module__}.{train_by_frequency.__qualname__}"


class WordPieceProgress(TrainingProgress):
    """The progress of WordPiece training, with the scores of the pairs."""

    start: TrainingState | FrequencyTrainingState

    def __init__(self, recording: Recording[Any, Any]) -> None:
        self.by_frequency = recording.function == BY_FREQUENCY
        given: Mapping[str, Any] = recording.arguments
        state = FrequencyTrainingState if self.by_frequency else TrainingState
        start = state(given["word_counts"], given["vocab_size"], **given.get("options", {}))
        super().__init__(start, start.counts)

    def allowed(self) -> Counter[Pair]:
        """Return the pairs that may be merged, with their counts."""
        return Counter(self.start.allowed(self.pairs))

    def score(self, pair: Pair) -> Fraction:
        """Return the current score of a pair."""
        return score(self.pairs[pair], self.symbols[pair[0]], self.symbols[pair[1]])

    def best(self, num_pairs: int) -> list[Pair]:
        """Return the pairs with the highest scores (or counts), best first."""
        allowed = self.allowed()
        if self.by_frequency:
            return [pair for pair, _ in allowed.most_common(num_pairs)]
        # Floats first: exact fractions for all pairs of a large corpus would be slow.
        symbols = self.symbols
        near = nlargest(num_pairs + 30, allowed, key=lambda pair: allowed[pair] / (symbols[pair[0]] * symbols[pair[1]]))
        return sorted(near, key=self.score, reverse=True)[:num_pairs]


def fraction(value: Fraction) -> str:
    """Format a score as a decimal, and also as a fraction if that is short.

    >>> fraction(Fraction(5, 100)), fraction(Fraction(1234, 56789012)), fraction(Fraction(1))
    ('1/20 = 0.05', '2.17e-05', '1')
    """
    decimal = f"{float(value):.3g}"
    return f"{value} = {decimal}" if 1 < value.denominator < 10_000 else decimal
