"""One round of expectation maximization (EM): expected counts over all segmentations, then new probabilities.

Adds: the E-step (expected counts, which are fractions) and the M-step (probabilities from these counts).
Still missing: removing pieces, which is `unigram.prune`.
Source: Kudo 2018, section 3.2; sentencepiece's unigram_model_trainer.cc, RunEStep and RunMStep.

>>> print(expectation_step.record({"ab": 10}, {"a": -1.0, "b": -1.0, "ab": -2.0}))
1. ab occurs 10 times; the expected counts are a 5.00, ab 5.00, b 5.00
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from math import inf, log
from typing import AnyStr, Generic

from tokenlab.algorithms.unigram.forward_backward import forward_backward
from tokenlab.algorithms.unigram.lattice import build_trie
from tokenlab.algorithms.unigram.vocabulary import Vocabulary
from tokenlab.printing.printable import Parts, SymbolPart, times
from tokenlab.steps import serialization as plain
from tokenlab.steps.recording import step, stepwise

THRESHOLD = 0.5  # sentencepiece's kExpectedFrequencyThreshold: a piece with a lower expected count is dropped
NAMED = 6  # expected counts in a sentence


@step
class WordExpected(Generic[AnyStr]):
    """A word has added to the expected counts: its count, times each piece's expected number of occurrences."""

    word: AnyStr
    count: int
    expected_counts: dict[AnyStr, float]
    log_likelihood: float

    def sentence(self) -> Parts:
        """Name the count of the word, and the expected counts of its pieces."""
        if not self.expected_counts:
            return [f"the empty word occurs {times(self.count)}: no piece counts"]
        counts = list(self.expected_counts.items())
        named: Parts = [part for piece, count in counts[:NAMED] for part in (", ", SymbolPart(piece), f" {count:.2f}")]
        more = f", and {len(counts) - NAMED} more" if len(counts) > NAMED else ""
        return [SymbolPart(self.word), f" occurs {times(self.count)}; the expected counts are ", *named[1:], more]


@plain.register_step_type
@dataclass(frozen=True, slots=True)
class Expected(Generic[AnyStr]):
    """The expected count of each piece, and the objective to minimize: the mean negative log-likelihood per word."""

    counts: dict[AnyStr, float]
    objective: float


@stepwise
def expectation_step(
    words: Mapping[AnyStr, int], vocabulary: Vocabulary[AnyStr]
) -> Generator[WordExpected[AnyStr], None, Expected[AnyStr]]:
    """E-step: return the expected count of each piece in the words, over all of their segmentations.

    Raises:
        TypeError, ValueError: as `build_lattice`: an invalid vocabulary, or one that does not cover a word.
        ValueError: there are no words, or all counts are 0, so there is no mean per word.

    >>> expected = expectation_step({"ab": 10}, {"a": -1.0, "b": -1.0, "ab": -2.0})
    >>> {piece: round(count, 9) for piece, count in expected.counts.items()}
    {'a': 5.0, 'b': 5.0, 'ab': 5.0}
    """
    trie = build_trie(vocabulary)
    total = sum(words.values())
    if not total:
        raise ValueError("words is empty or has only counts of 0; give at least one word with its count")
    counts = dict.fromkeys(vocabulary, 0.0)
    log_likelihood = 0.0
    for word, count in words.items():
        marginals = forward_backward(word, trie)
        expected_counts = {piece: count * number for piece, number in marginals.expected.items()}
        for piece, number in expected_counts.items():
            counts[piece] += number
        log_likelihood += count * marginals.log_likelihood
        yield WordExpected(word, count, expected_counts, marginals.log_likelihood)
    return Expected(counts, -log_likelihood / total)


def maximization_step(
    counts: Mapping[AnyStr, float], estimate: Callable[[float], float] | None = None, threshold: float = THRESHOLD
) -> dict[AnyStr, float]:
    """M-step: return log probabilities from expected counts, without the pieces whose count is below the threshold.

    A character is never dropped: its count is raised to the threshold.

    Args:
        counts: the expected count of each piece.
        estimate: `digamma` (default), as in sentencepiece; `math.log` gives the maximum-likelihood probabilities.
        threshold: the lowest count that is kept, above 0.

    Raises:
        ValueError: counts is empty, a count is negative, infinite or NaN, the threshold is 0, or no piece is left.

    >>> from math import exp
    >>> probabilities = maximization_step({"a": 2.0, "ab": 6.0, "abc": 0.4}, estimate=log)
    >>> {piece: round(exp(log_prob), 9) for piece, log_prob in probabilities.items()}
    {'a': 0.25, 'ab': 0.75}
    """
    _check(counts, threshold)
    estimate = estimate or digamma
    kept = {piece: max(count, threshold) for piece, count in counts.items() if count >= threshold or len(piece) == 1}
    if not kept:
        raise ValueError(f"counts has no character, and no count is at least threshold={threshold}: no piece is left")
    total = estimate(sum(kept.values()))
    return {piece: estimate(count) - total for piece, count in kept.items()}


def _check(counts: Mapping[AnyStr, float], threshold: float) -> None:
    if not counts:
        raise ValueError("counts is empty; give the expected count of at least one piece")
    for piece, count in counts.items():
        if not 0 <= count < inf:
            raise ValueError(f"counts[{piece!r:.60}]={count} is no expected count; give a finite number, 0 or more")
    if not 0 < threshold < inf:
        raise ValueError(f"threshold={threshold} should be above 0: a count of 0 has no probability")


def digamma(x: float) -> float:
    """Return the derivative of the log gamma function: close to log(x - 1/2), and far below it for small counts.

    In the M-step it corresponds to a Bayesian model with a sparse prior, which lowers rare pieces further.

    Source: Liang and Klein 2007, "Structured Bayesian Nonparametric Models with Variational Inference"; the series is
    the one in sentencepiece's Digamma.

    >>> round(digamma(1.0), 8), round(digamma(100.0) - log(99.5), 6)
    (-0.57721566, 4e-06)
    """
    steps = 0.0
    while x < 7:
        steps -= 1 / x
        x += 1
    # The series of digamma(y + 1/2) for large y, in powers of 1 / y ** 2.
    x -= 0.5
    square = 1 / x**2
    return steps + log(x) + square / 24 - 7 * square**2 / 960 + 31 * square**3 / 8064 - 127 * square**4 / 30720
