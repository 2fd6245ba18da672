"""Sampling a segmentation: forward filtering (sum forward), backward sampling (draw pieces from the end).

Adds: each segmentation is drawn with its probability to the power `alpha`, normalized: 0 gives the uniform
distribution, 1 the model's, and infinity always gives the best segmentation.
Leaves out: the use in training a model (subword regularization).
Source: Kudo 2018, "Subword Regularization", section 3.3; sentencepiece's unigram_model.cc, Lattice::Sample.

>>> print(sample_segmentation.record("ab", {"a": -1.0, "b": -1.0, "ab": -2.0}, random=Random(3)))
1. the sum over all paths to position 1 is 0.368, with 1 term: one per piece that ends there
2. the sum over all paths to position 2 is 0.271, with 2 terms: one per piece that ends there
3. ab was drawn at position 2 from 2 pieces, with probability 0.500
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from math import exp, inf, isinf, isnan
from random import Random
from typing import AnyStr, Generic

from tokenlab.algorithms.text.trie import Trie
from tokenlab.algorithms.unigram.forward_backward import ForwardSum, PathSums, forward_log_sums, log_sum_exp
from tokenlab.algorithms.unigram.lattice import Edge, Lattice, build_lattice, path_pieces
from tokenlab.algorithms.unigram.n_best import Path, best_paths
from tokenlab.algorithms.unigram.viterbi import best_path
from tokenlab.algorithms.unigram.vocabulary import Vocabulary
from tokenlab.printing.printable import Parts, SymbolPart, count_noun
from tokenlab.steps.recording import step, stepwise


@step
class PieceSampled(Generic[AnyStr]):
    """One of the `incoming` pieces that end at a position was drawn, by its share of the forward sum there."""

    start: int
    end: int
    piece: AnyStr
    probability: float
    incoming: int

    def sentence(self) -> Parts:
        """Name the piece, where it ends, and its probability."""
        of = f"at position {self.end} from {count_noun(self.incoming, 'piece')}"
        return [SymbolPart(self.piece, "new"), f" was drawn {of}, with probability {self.probability:.3f}"]

    def apply(self, sums: SampledPath[AnyStr]) -> None:
        """Add the edge of the piece to the path."""
        sums.drawn += [edge for edge in sums.lattice.edges_to[self.end] if edge.start == self.start]


@dataclass
class SampledPath(PathSums[AnyStr]):
    """What the steps are applied to: the forward sums so far, and the edges drawn so far, from the end."""

    drawn: list[Edge[AnyStr]] = field(default_factory=list)


@stepwise
def sample_segmentation(
    text: AnyStr,
    vocabulary: Vocabulary[AnyStr] | Trie[float],
    alpha: float = 1.0,
    random: Random | None = None,
    unknown: float | None = None,
    fuse_unknown: bool = False,
) -> Generator[ForwardSum | PieceSampled[AnyStr], None, tuple[AnyStr, ...]]:
    """Draw a segmentation with its probability to the power `alpha`, normalized; return its pieces.

    Args:
        text: the text to segment.
        vocabulary: the log probability of each piece.
        alpha: 0 for the uniform distribution, 1 for the model's, infinity for the best segmentation.
        random: the random number generator.
        unknown: the log probability of a character that is not a piece.
        fuse_unknown: whether adjacent unknown characters become one piece.

    Raises:
        TypeError, ValueError: as `build_lattice` and `sample_path`.

    >>> sample_segmentation("hug", {"h": -2.0, "u": -2.0, "g": -2.0, "hu": -3.0, "ug": -2.5}, alpha=float("inf"))
    ('h', 'ug')
    """
    path = yield from sample_path.steps(build_lattice(text, vocabulary, unknown), alpha, random)
    return path_pieces(path, fuse_unknown)


@stepwise
def sample_path(
    lattice: Lattice[AnyStr], alpha: float = 1.0, random: Random | None = None
) -> Generator[ForwardSum | PieceSampled[AnyStr], None, Path[AnyStr]]:
    """Draw a path through a lattice with its probability to the power `alpha`, normalized.

    Raises:
        ValueError: alpha is below 0, or alpha is 0 and an edge has the probability 0.

    >>> sample_path(build_lattice("ab", {"ab": -2.0}))[0].piece
    'ab'
    """
    check_alpha(alpha)
    if _only_the_best(lattice, alpha):
        return best_path(lattice)
    random = random or Random()
    log_sums = yield from forward_log_sums(lattice, alpha)
    path: list[Edge[AnyStr]] = []
    end = len(lattice.text)
    while end:
        incoming = lattice.edges_to[end]
        probabilities = [exp(log_sums[edge.start] + alpha * edge.log_prob - log_sums[end]) for edge in incoming]
        [(edge, probability)] = random.choices(list(zip(incoming, probabilities, strict=True)), weights=probabilities)
        yield PieceSampled(edge.start, end, edge.piece, probability, len(incoming))
        path.append(edge)
        end = edge.start
    return tuple(reversed(path))


def sample_from_best(
    lattice: Lattice[AnyStr], k: int, alpha: float = 1.0, random: Random | None = None
) -> Path[AnyStr]:
    """Draw one of the k best paths with its probability to the power `alpha`, normalized.

    Raises:
        ValueError: alpha or k is out of its range, or all of these paths have the probability 0.

    Source: Kudo 2018, section 3.3; sentencepiece's unigram_model.cc, `nbest_size` of SampleEncode.

    >>> sample_from_best(build_lattice("ab", {"a": -1.0, "b": -1.0, "ab": -2.5}), k=1)[0].piece
    'a'
    """
    check_alpha(alpha)
    best = best_paths(lattice, k)
    if _only_the_best(lattice, alpha):
        return best[0][0]
    weights = sharpened([score for _, score in best], alpha)
    [(path, _)] = (random or Random()).choices(best, weights=weights)
    return path


def sharpened(log_probs: Sequence[float], alpha: float) -> list[float]:
    """Return the probabilities to the power `alpha`, normalized to sum to 1; a probability of 0 stays 0.

    Raises:
        ValueError: all probabilities are 0.

    >>> [round(probability, 3) for probability in sharpened([-1.0, -2.0], 0.0)]
    [0.5, 0.5]
    """
    raised = [alpha * log_prob if log_prob > -inf else -inf for log_prob in log_probs]
    total = log_sum_exp(raised)
    if raised and total == -inf:
        raise ValueError("log_probs has only -inf, so the probabilities cannot sum to 1; give a finite one")
    return [exp(value - total) for value in raised]


def check_alpha(alpha: float) -> None:
    """Raise a ValueError if alpha is below 0 or NaN."""
    if not alpha >= 0:
        raise ValueError(f"alpha={alpha!r} is no exponent for sampling; give 0 (uniform) to infinity (the best)")


def _only_the_best(lattice: Lattice[AnyStr], alpha: float) -> bool:
    """Whether alpha is infinite, or so large that a sum of exponents would overflow."""
    exponents = alpha * sum(abs(edge.log_prob) for edge in lattice.edges) if alpha < inf else inf
    if isnan(exponents):
        raise ValueError(
            f"alpha={alpha} draws every path of the lattice equally often, but an edge has the probability 0; give a "
            "finite log probability as unknown="
        )
    return isinf(exponents)
