"""One round of expectation maximization: count the pieces of all segmentations, each by its share; then guess anew.

Adds: expected counts, which are fractions (E), and probabilities from them (M).
Still missing: what removes pieces, which is `unigram_prune`.
Source: Kudo 2018, section 3.2; sentencepiece's unigram_model_trainer.cc, RunEStep and RunMStep.

>>> print(expect.record({"ab": 10}, {"a": -1.0, "b": -1.0, "ab": -2.0}))
1. ab, 10 times: a counts 5.00, ab 5.00, b 5.00
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from math import inf, log

from tokenlab import plain
from tokenlab.algorithms.forward_backward import forward_backward
from tokenlab.algorithms.lattice import trie_of
from tokenlab.algorithms.unigram_vocabulary import Vocabulary
from tokenlab.steps import step, stepwise
from tokenlab.visible import visible

THRESHOLD = 0.5  # sentencepiece's kExpectedFrequencyThreshold: a piece that is expected less often is dropped


@step
class Shared:
    """A word gave each piece of its segmentations its share of the word's count."""

    word: str
    count: int
    shares: dict[str, float]
    log_total: float

    def __str__(self) -> str:
        """Say who got how much."""
        shares = [f"{visible(piece)} {share:.2f}" for piece, share in self.shares.items()]
        first, *others = shares
        times = f"{self.count} time{'s' if self.count > 1 else ''}"
        return f"{visible(self.word)}, {times}: {', '.join([first.replace(' ', ' counts ', 1), *others])}"


@plain.register
@dataclass(frozen=True, slots=True)
class Expected:
    """How often each piece is expected, and the objective: a word's mean negative log probability, to be made small."""

    counts: dict[str, float]
    objective: float


@stepwise
def expect(words: Mapping[str, int], vocabulary: Vocabulary) -> Generator[Shared, None, Expected]:
    """The E-step: how often each piece is expected in the words, over all of their segmentations.

    Raises:
        TypeError, ValueError: as `build_lattice`: no vocabulary, or one that does not cover a word.

    >>> expected = expect({"ab": 10}, {"a": -1.0, "b": -1.0, "ab": -2.0})
    >>> {piece: round(count, 9) for piece, count in expected.counts.items()}
    {'a': 5.0, 'b': 5.0, 'ab': 5.0}
    """
    trie = trie_of(vocabulary)
    counts = dict.fromkeys(vocabulary, 0.0)
    log_total = 0.0
    for word, count in words.items():
        marginals = forward_backward(word, trie)
        shares = {piece: count * share for piece, share in marginals.expected.items()}
        for piece, share in shares.items():
            counts[piece] += share
        log_total += count * marginals.log_total
        yield Shared(word, count, shares, marginals.log_total)
    return Expected(counts, -log_total / sum(words.values()))


def maximize(
    counts: Mapping[str, float], estimate: Callable[[float], float] | None = None, threshold: float = THRESHOLD
) -> dict[str, float]:
    """The M-step: log probabilities from expected counts; a piece that counts less than the threshold is dropped.

    A character is never dropped: it counts as much as the threshold at least.

    Args:
        counts: how often each piece is expected.
        estimate: `digamma`, as in sentencepiece, if nothing is given; `math.log` gives the most likely probabilities.
        threshold: the least count, above 0.

    Raises:
        ValueError: no counts, one that is negative, infinite or NaN, or a threshold of 0.

    >>> from math import exp
    >>> probabilities = maximize({"a": 2.0, "ab": 6.0, "abc": 0.4}, estimate=log)
    >>> {piece: round(exp(log_prob), 9) for piece, log_prob in probabilities.items()}
    {'a': 0.25, 'ab': 0.75}
    """
    _check(counts, threshold)
    estimate = estimate or digamma
    kept = {piece: max(count, threshold) for piece, count in counts.items() if count >= threshold or len(piece) == 1}
    total = estimate(sum(kept.values()))
    return {piece: estimate(count) - total for piece, count in kept.items()}


def _check(counts: Mapping[str, float], threshold: float) -> None:
    if not counts:
        raise ValueError("counts is empty; give the expected count of at least one piece")
    for piece, count in counts.items():
        if not 0 <= count < inf:
            raise ValueError(f"counts[{piece!r:.60}]={count} is no expected count; give a number that is 0 or more")
    if not 0 < threshold < inf:
        raise ValueError(f"threshold={threshold} should be above 0: a count of 0 has no probability")


def digamma(x: float) -> float:
    """The derivative of the logarithm of the gamma function: near log(x - 1/2), and far below it for small counts.

    As an M-step it is that of a Bayesian model with a sparse prior, which takes from the poor.

    Source: Liang and Klein 2007, "Structured Bayesian Nonparametric Models with Variational Inference"; the series is
    that of sentencepiece's Digamma.

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
