"""The forward-backward algorithm: the likelihood of a text, and the posterior probability of each edge.

Adds: the posterior of each edge of the lattice, and so the expected count of each piece, without listing a path.
Leaves out: the M-step, which uses the expected counts (`expectation_maximization`).
Source: Kudo 2018, "Subword Regularization", section 3.2; sentencepiece's unigram_model.cc, Lattice::PopulateMarginal.

>>> print(forward_backward.record("ab", {"a": -1.0, "b": -1.0, "ab": -2.0}))
1. the sum over all paths to position 1 is 0.368, with 1 term: one per piece that ends there
2. the sum over all paths to position 2 is 0.271, with 2 terms: one per piece that ends there
3. the sum over all paths from position 1 to the end is 0.368, with 1 term: one per piece that starts there
4. the sum over all paths from position 0 to the end is 0.271, with 2 terms: one per piece that starts there
5. a from 0 to 1 has the posterior probability 0.500
6. ab from 0 to 2 has the posterior probability 0.500
7. b from 1 to 2 has the posterior probability 0.500
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass, field
from math import exp, inf, log
from typing import Any, AnyStr, Generic

from tokenlab.algorithms.text.trie import Trie
from tokenlab.algorithms.unigram.lattice import Edge, Lattice, build_lattice
from tokenlab.algorithms.unigram.vocabulary import Vocabulary
from tokenlab.printing.printable import Parts, SymbolPart, count_noun
from tokenlab.steps import serialization as plain
from tokenlab.steps.recording import step, stepwise


@step
class ForwardSum:
    """The forward sum of a position: the log of the summed probability of all paths from the start to it.

    `incoming` is the number of edges that end there.
    """

    end: int
    log_sum: float
    incoming: int

    def sentence(self) -> Parts:
        """Name the sum and its terms."""
        total = f"the sum over all paths to position {self.end} is {exp(self.log_sum):.3g}"
        return [f"{total}, with {count_noun(self.incoming, 'term')}: one per piece that ends there"]

    def apply(self, sums: PathSums[Any]) -> None:
        """Enter the forward sum of the position."""
        sums.forward[self.end] = self.log_sum


@step
class BackwardSum:
    """The backward sum of a position: the log of the summed probability of all paths from it to the end.

    `outgoing` is the number of edges that start there.
    """

    start: int
    log_sum: float
    outgoing: int

    def sentence(self) -> Parts:
        """Name the sum and its terms."""
        total = f"the sum over all paths from position {self.start} to the end is {exp(self.log_sum):.3g}"
        return [f"{total}, with {count_noun(self.outgoing, 'term')}: one per piece that starts there"]

    def apply(self, sums: PathSums[Any]) -> None:
        """Enter the backward sum of the position."""
        sums.backward[self.start] = self.log_sum


@step
class EdgePosterior(Generic[AnyStr]):
    """The posterior probability of an edge: the share of the text's probability whose paths contain it."""

    start: int
    end: int
    piece: AnyStr
    probability: float

    def sentence(self) -> Parts:
        """Name the piece, its place, and its posterior probability."""
        place = f" from {self.start} to {self.end}"
        return [SymbolPart(self.piece, "new"), f"{place} has the posterior probability {self.probability:.3f}"]

    def apply(self, sums: PathSums[AnyStr]) -> None:
        """Enter the posterior of the edge, and add it to the expected count of its piece."""
        sums.posteriors[self.start, self.end] = self.probability
        sums.expected[self.piece] = sums.expected.get(self.piece, 0.0) + self.probability


@dataclass
class PathSums(Generic[AnyStr]):
    """What the steps are applied to: the log sums at each position so far, the posteriors, and the expected counts."""

    lattice: Lattice[AnyStr]
    forward: dict[int, float] = field(default_factory=lambda: {0: 0.0})
    backward: dict[int, float] = field(default_factory=dict)
    posteriors: dict[tuple[int, int], float] = field(default_factory=dict)
    expected: dict[AnyStr, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Enter the backward sum of the end."""
        self.backward[len(self.lattice.text)] = 0.0


@plain.register_step_type
@dataclass(frozen=True, slots=True)
class Marginals(Generic[AnyStr]):
    """The result of forward-backward on a text.

    `log_likelihood` is the log probability of the text, summed over all segmentations; `expected` is the expected
    count of each piece; `probabilities` is the posterior of each edge; `forward` and `backward` are the log sums at
    each position.
    """

    log_likelihood: float
    expected: dict[AnyStr, float]
    probabilities: dict[Edge[AnyStr], float]
    forward: list[float]
    backward: list[float]


@stepwise
def forward_backward(
    text: AnyStr, vocabulary: Vocabulary[AnyStr] | Trie[float], unknown: float | None = None
) -> Generator[ForwardSum | BackwardSum | EdgePosterior[AnyStr], None, Marginals[AnyStr]]:
    """Return the posterior probability of each edge of the lattice, and the expected count of each piece.

    Raises:
        TypeError, ValueError: as `build_lattice` and `edge_posteriors`.

    >>> marginals = forward_backward("aa", {"a": -1.0, "aa": -2.0})
    >>> {piece: round(count, 9) for piece, count in marginals.expected.items()}
    {'a': 1.0, 'aa': 0.5}
    """
    return (yield from edge_posteriors.steps(build_lattice(text, vocabulary, unknown)))


@stepwise
def edge_posteriors(
    lattice: Lattice[AnyStr],
) -> Generator[ForwardSum | BackwardSum | EdgePosterior[AnyStr], None, Marginals[AnyStr]]:
    """Run forward-backward on a lattice.

    Raises:
        ValueError: every path has the probability 0, because `unknown` is -inf.

    >>> round(edge_posteriors(build_lattice("aa", {"a": -1.0, "aa": -2.0})).log_likelihood, 3)
    -1.307
    """
    forward = yield from forward_log_sums(lattice)
    if forward[-1] == -inf:
        raise ValueError(
            "every path through the lattice has the probability 0, so its edges have no posterior probability; give a "
            "finite log probability as unknown="
        )
    backward = yield from backward_log_sums(lattice)
    expected: dict[AnyStr, float] = {}
    probabilities: dict[Edge[AnyStr], float] = {}
    for edge in lattice.edges:
        posterior = exp(forward[edge.start] + edge.log_prob + backward[edge.end] - forward[-1])
        probabilities[edge] = posterior
        expected[edge.piece] = expected.get(edge.piece, 0.0) + posterior
        yield EdgePosterior(edge.start, edge.end, edge.piece, posterior)
    return Marginals(forward[-1], expected, probabilities, forward, backward)


def forward_log_sums(lattice: Lattice[AnyStr], alpha: float = 1.0) -> Generator[ForwardSum, None, list[float]]:
    """Compute the log sum of all paths from the start to each position, each to the finite power `alpha`."""
    log_sums = [0.0] + [-inf] * len(lattice.text)
    for end, incoming in enumerate(lattice.edges_to):
        if incoming:
            log_sums[end] = log_sum_exp(log_sums[edge.start] + alpha * edge.log_prob for edge in incoming)
            yield ForwardSum(end, log_sums[end], len(incoming))
    return log_sums


def backward_log_sums(lattice: Lattice[AnyStr]) -> Generator[BackwardSum, None, list[float]]:
    """Compute the log sum over all paths from each position to the end."""
    log_sums = [-inf] * len(lattice.text) + [0.0]
    for start in reversed(range(len(lattice.text))):
        if outgoing := lattice.edges_from[start]:
            log_sums[start] = log_sum_exp(edge.log_prob + log_sums[edge.end] for edge in outgoing)
            yield BackwardSum(start, log_sums[start], len(outgoing))
    return log_sums


def log_sum_exp(logarithms: Iterable[float]) -> float:
    """Return the logarithm of a sum, given the logarithms of its terms; minus infinity for an empty sum.

    >>> log_sum_exp([-1000.0, -1000.0])
    -999.3068528194401
    """
    values = list(logarithms)
    # subtle: exp(-1000) underflows to 0; exp of the differences from the largest does not.
    largest = max(values, default=-inf)
    return largest if largest == -inf else largest + log(sum(exp(value - largest) for value in values))
