"""Sampling a segmentation: sum forward, then draw backward, each piece by its share of what arrives.

Adds: every segmentation may come, with its probability to the power `alpha` over the sum of all: 0 makes them equally
likely, 1 leaves the model's probabilities, infinity leaves the best one.
Leaves out: what a model gains from seeing many segmentations of a word (subword regularization).
Source: Kudo 2018, "Subword Regularization", section 3.3; sentencepiece's unigram_model.cc, Lattice::Sample.

>>> print(sample.record("ab", {"a": -1.0, "b": -1.0, "ab": -2.0}, random=Random(3)))
1. forward to 1: 1 edge arrives, all ways here weigh 0.368
2. forward to 2: 2 edges arrive, all ways here weigh 0.271
3. at 2, drawn from 2 pieces: ab, which had probability 0.500
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from math import exp, inf, isinf
from random import Random

from tokenlab.algorithms.forward_backward import SummedForward, forward_masses, log_sum_exp
from tokenlab.algorithms.lattice import Edge, Lattice, build_lattice, pieces_of
from tokenlab.algorithms.n_best import Path, best_paths
from tokenlab.algorithms.trie import Trie
from tokenlab.algorithms.unigram_vocabulary import Vocabulary
from tokenlab.algorithms.viterbi import best_path
from tokenlab.steps import step, stepwise
from tokenlab.visible import visible


@step
class Drawn:
    """One of the pieces that end at a position was drawn, by its share of the mass that arrives there."""

    start: int
    end: int
    piece: str
    probability: float
    arriving: int

    def __str__(self) -> str:
        """Say where, of how many, and how probable it was."""
        of = "1 piece" if self.arriving == 1 else f"{self.arriving} pieces"
        return f"at {self.end}, drawn from {of}: {visible(self.piece)}, which had probability {self.probability:.3f}"


@stepwise
def sample(
    text: str,
    vocabulary: Vocabulary | Trie[float],
    alpha: float = 1.0,
    random: Random | None = None,
    unknown: float | None = None,
    join_unknown: bool = False,
) -> Generator[SummedForward | Drawn, None, tuple[str, ...]]:
    """The pieces of one segmentation, drawn by its probability to the power `alpha`.

    Args:
        text: what is cut.
        vocabulary: the log probability of each piece.
        alpha: 0 for any segmentation alike, 1 for the model's probabilities, infinity for the best one.
        random: where chance comes from.
        unknown: the log probability of a character that is no piece.
        join_unknown: whether neighbours that no piece covers become one.

    Raises:
        TypeError, ValueError: as `build_lattice`; an alpha below 0.

    >>> sample("hug", {"h": -2.0, "u": -2.0, "g": -2.0, "hu": -3.0, "ug": -2.5}, alpha=float("inf"))
    ('h', 'ug')
    """
    path = yield from sample_path.steps(build_lattice(text, vocabulary, unknown), alpha, random)
    return pieces_of(path, join_unknown)


@stepwise
def sample_path(
    lattice: Lattice, alpha: float = 1.0, random: Random | None = None
) -> Generator[SummedForward | Drawn, None, Path]:
    """A path through a lattice, drawn by its probability to the power `alpha`.

    >>> sample_path(build_lattice("ab", {"ab": -2.0}))[0].piece
    'ab'
    """
    check_alpha(alpha)
    if _only_the_best(lattice, alpha):
        return best_path(lattice)
    random = random or Random()
    masses = yield from forward_masses(lattice, alpha)
    path: list[Edge] = []
    end = len(lattice.text)
    while end:
        arriving = lattice.edges_to[end]
        shares = [exp(masses[edge.start] + alpha * edge.log_prob - masses[end]) for edge in arriving]
        [(edge, share)] = random.choices(list(zip(arriving, shares, strict=True)), weights=shares)
        yield Drawn(edge.start, end, edge.piece, share, len(arriving))
        path.append(edge)
        end = edge.start
    return tuple(reversed(path))


def sample_from_best(lattice: Lattice, k: int, alpha: float = 1.0, random: Random | None = None) -> Path:
    """One of the k best paths, drawn by its probability to the power `alpha`.

    Source: Kudo 2018, section 3.3; sentencepiece's unigram_model.cc, `nbest_size` of SampleEncode.

    >>> sample_from_best(build_lattice("ab", {"a": -1.0, "b": -1.0, "ab": -2.5}), k=1)[0].piece
    'a'
    """
    check_alpha(alpha)
    best = best_paths(lattice, k)
    if _only_the_best(lattice, alpha):
        return best[0][0]
    weights = powers([score for _, score in best], alpha)
    [(path, _)] = (random or Random()).choices(best, weights=weights)
    return path


def powers(log_probs: Sequence[float], alpha: float) -> list[float]:
    """Probabilities to the power `alpha`, made to sum to 1 again.

    >>> [round(share, 3) for share in powers([-1.0, -2.0], 0.0)]
    [0.5, 0.5]
    """
    raised = [alpha * log_prob for log_prob in log_probs]
    total = log_sum_exp(raised)
    return [exp(value - total) for value in raised]


def check_alpha(alpha: float) -> None:
    """Refuse an alpha that is below 0, or not a number."""
    if not alpha >= 0:
        raise ValueError(f"alpha={alpha!r} is no exponent for sampling; give 0 (all alike) to infinity (the best)")


def _only_the_best(lattice: Lattice, alpha: float) -> bool:
    """Whether alpha is infinite, or so large that a sum of exponents would be."""
    return alpha == inf or isinf(alpha * sum(abs(edge.log_prob) for edge in lattice.edges))
