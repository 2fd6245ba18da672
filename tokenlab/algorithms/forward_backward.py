"""Forward and backward: what all segmentations weigh together, and how probable each piece is among them.

Adds: the probability of each edge of the lattice, and so how often each piece is expected, without listing a path.
Leaves out: what training makes of the expected counts (`unigram_em`).
Source: Kudo 2018, "Subword Regularization", section 3.2; sentencepiece's unigram_model.cc, Lattice::PopulateMarginal.

>>> print(forward_backward.record("ab", {"a": -1.0, "b": -1.0, "ab": -2.0}))
1. forward to 1: 1 edge arrives, all ways here weigh 0.368
2. forward to 2: 2 edges arrive, all ways here weigh 0.271
3. backward to 1: 1 edge leaves, all ways from here weigh 0.368
4. backward to 0: 2 edges leave, all ways from here weigh 0.271
5. a from 0 to 1 has probability 0.500
6. ab from 0 to 2 has probability 0.500
7. b from 1 to 2 has probability 0.500
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from math import exp, inf, log

from tokenlab import plain
from tokenlab.algorithms.lattice import Edge, Lattice, build_lattice
from tokenlab.algorithms.trie import Trie
from tokenlab.algorithms.unigram_vocabulary import Vocabulary
from tokenlab.steps import step, stepwise
from tokenlab.visible import visible


@step
class SummedForward:
    """All ways from the start to a position, over the `arriving` edges that end there; the mass is a logarithm."""

    end: int
    log_mass: float
    arriving: int

    def __str__(self) -> str:
        """Say what the ways to here weigh."""
        edges = "1 edge arrives" if self.arriving == 1 else f"{self.arriving} edges arrive"
        return f"forward to {self.end}: {edges}, all ways here weigh {exp(self.log_mass):.3g}"


@step
class SummedBackward:
    """All ways from a position to the end, over the `leaving` edges that start there; the mass is a logarithm."""

    start: int
    log_mass: float
    leaving: int

    def __str__(self) -> str:
        """Say what the ways from here weigh."""
        edges = "1 edge leaves" if self.leaving == 1 else f"{self.leaving} edges leave"
        return f"backward to {self.start}: {edges}, all ways from here weigh {exp(self.log_mass):.3g}"


@step
class Weighed:
    """The share of all segmentations' probability that goes through an edge."""

    start: int
    end: int
    piece: str
    probability: float

    def __str__(self) -> str:
        """Say how probable the edge is."""
        return f"{visible(self.piece)} from {self.start} to {self.end} has probability {self.probability:.3f}"


@plain.register
@dataclass(frozen=True, slots=True)
class Marginals:
    """What the segmentations of a text weigh.

    `log_total` is the log probability of the text, all segmentations together; `expected` how often each piece occurs
    on average; `probabilities` the probability of each edge; `forward` and `backward` the log masses at each position.
    """

    log_total: float
    expected: dict[str, float]
    probabilities: dict[Edge, float]
    forward: list[float]
    backward: list[float]


@stepwise
def forward_backward(
    text: str, vocabulary: Vocabulary | Trie[float], unknown: float | None = None
) -> Generator[SummedForward | SummedBackward | Weighed, None, Marginals]:
    """How probable each edge of the lattice is, and how often each piece is expected.

    Raises:
        TypeError, ValueError: as `build_lattice`.

    >>> marginals = forward_backward("aa", {"a": -1.0, "aa": -2.0})
    >>> {piece: round(count, 9) for piece, count in marginals.expected.items()}
    {'a': 1.0, 'aa': 0.5}
    """
    return (yield from edge_probabilities.steps(build_lattice(text, vocabulary, unknown)))


@stepwise
def edge_probabilities(lattice: Lattice) -> Generator[SummedForward | SummedBackward | Weighed, None, Marginals]:
    """The same for a lattice that is there already.

    >>> round(edge_probabilities(build_lattice("aa", {"a": -1.0, "aa": -2.0})).log_total, 3)
    -1.307
    """
    forward = yield from forward_masses(lattice)
    backward = yield from backward_masses(lattice)
    expected: dict[str, float] = {}
    probabilities: dict[Edge, float] = {}
    for edge in lattice.edges:
        share = exp(forward[edge.start] + edge.log_prob + backward[edge.end] - forward[-1])
        probabilities[edge] = share
        expected[edge.piece] = expected.get(edge.piece, 0.0) + share
        yield Weighed(edge.start, edge.end, edge.piece, share)
    return Marginals(forward[-1], expected, probabilities, forward, backward)


def forward_masses(lattice: Lattice, alpha: float = 1.0) -> Generator[SummedForward, None, list[float]]:
    """The logarithm of what all ways from the start to each position weigh, each probability to the power `alpha`."""
    masses = [0.0] + [-inf] * len(lattice.text)
    for end, arriving in enumerate(lattice.edges_to):
        if arriving:
            masses[end] = log_sum_exp(masses[edge.start] + alpha * edge.log_prob for edge in arriving)
            yield SummedForward(end, masses[end], len(arriving))
    return masses


def backward_masses(lattice: Lattice) -> Generator[SummedBackward, None, list[float]]:
    """The logarithm of what all ways from each position to the end weigh."""
    masses = [-inf] * len(lattice.text) + [0.0]
    for start in reversed(range(len(lattice.text))):
        if leaving := lattice.edges_from[start]:
            masses[start] = log_sum_exp(edge.log_prob + masses[edge.end] for edge in leaving)
            yield SummedBackward(start, masses[start], len(leaving))
    return masses


def log_sum_exp(logarithms: Iterable[float]) -> float:
    """The logarithm of a sum, from the logarithms of what is summed; minus infinity for nothing.

    >>> log_sum_exp([-1000.0, -1000.0])
    -999.3068528194401
    """
    values = list(logarithms)
    # subtle: exp(-1000) is 0, but exp of the distances to the largest is not; without it the sum would vanish.
    largest = max(values, default=-inf)
    return largest if largest == -inf else largest + log(sum(exp(value - largest) for value in values))
