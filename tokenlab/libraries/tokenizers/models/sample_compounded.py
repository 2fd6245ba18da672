"""Sample a segmentation as Hugging Face tokenizers does: `alpha` is applied again at each position.

Adds: the distribution of `Unigram(alpha=...)`. Its forward sums are raised to the power alpha at every position, so
early pieces are exponentiated repeatedly; `sample_segmentation` raises each piece's probability once, as Kudo 2018
does. For alpha = 1 both are the same.
Source: huggingface/tokenizers, models/unigram/lattice.rs, Lattice::sample and sample_nbest.

>>> from tokenlab.algorithms.unigram.lattice import build_lattice
>>> lattice = build_lattice("ab", {"a": -1.0, "b": -1.0, "ab": -2.0})
>>> [round(log_sum, 3) for log_sum in compounded_log_sums(lattice, 0.5)]
[0.0, -0.5, -0.174]
"""

from __future__ import annotations

from math import exp, inf, isfinite
from operator import itemgetter
from random import Random
from typing import AnyStr

from tokenlab.algorithms.unigram.forward_backward import log_sum_exp
from tokenlab.algorithms.unigram.lattice import Lattice
from tokenlab.algorithms.unigram.n_best import Path, best_paths


def compounded_log_sums(lattice: Lattice[AnyStr], alpha: float) -> list[float]:
    """Return the forward sum of each position as a logarithm, multiplied by alpha (finite) at each position."""
    log_sums = [0.0]
    for incoming in lattice.edges_to[1:]:
        log_sums.append(log_sum_exp([alpha * (edge.log_prob + log_sums[edge.start]) for edge in incoming]))
    return log_sums


def sample_compounded(lattice: Lattice[AnyStr], alpha: float, random: Random) -> Path[AnyStr]:
    """Draw a path through a lattice: the pieces from the last to the first, by their shares of the forward sums.

    Raises:
        ValueError: all probabilities at a position are 0, or one is infinite (the library stops with a panic).

    >>> from tokenlab.algorithms.unigram.lattice import build_lattice
    >>> sample_compounded(build_lattice("ab", {"ab": -2.0}), 0.5, Random())[0].piece
    'ab'
    """
    log_sums = compounded_log_sums(lattice, alpha)
    path = []
    end = len(lattice.text)
    while end:
        incoming = lattice.edges_to[end]
        weights = [power(log_sums[edge.start] + alpha * edge.log_prob - log_sums[end]) for edge in incoming]
        if not 0 < sum(weights) < inf:
            raise ValueError(
                f"alpha={alpha}: the probabilities of the pieces before character {end} cannot be represented; "
                "choose an alpha nearer to 1, set nbest_size, or split the text into shorter parts"
            )
        [edge] = random.choices(incoming, weights)
        path.append(edge)
        end = edge.start
    return tuple(reversed(path))


def sample_from_best_unscaled(lattice: Lattice[AnyStr], k: int, alpha: float, random: Random) -> Path[AnyStr]:
    """Draw one of the k best paths with its probability to the power `alpha`; the best if all of these are 0.

    Raises:
        ValueError: a probability is infinite (the library stops with a panic).

    >>> from tokenlab.algorithms.unigram.lattice import build_lattice
    >>> sample_from_best_unscaled(build_lattice("a", {"a": -1e6}), 3, 1.0, Random())[0].piece
    'a'
    """
    if k == 1:
        return best_path_with_next(lattice)
    best = best_paths(lattice, k)
    weights = [power(alpha * score) for _, score in best]
    if not isfinite(sum(weights)):
        raise ValueError(f"alpha={alpha}: the probabilities of the {k} best segmentations are too large; lower alpha")
    if not sum(weights):
        return best[0][0]
    [(path, _)] = random.choices(best, weights)
    return path


def best_path_with_next(lattice: Lattice[AnyStr]) -> Path[AnyStr]:
    """Return the most probable path; each edge chooses its predecessor by the sum that includes its own score.

    `best_path` compares the sums before the next edge is added. Of paths that are equally good but for rounding, the
    two may choose different ones.

    Source: huggingface/tokenizers, models/unigram/lattice.rs, Lattice::viterbi.

    >>> from tokenlab.algorithms.unigram.lattice import build_lattice
    >>> [edge.piece for edge in best_path_with_next(build_lattice("ab", {"a": -1.0, "b": -1.0, "ab": -2.5}))]
    ['a', 'b']
    """
    arriving: list[list[tuple[float, Path[AnyStr]]]] = [[] for _ in lattice.edges_from]
    arriving[0] = [(0.0, ())]
    for edge in lattice.edges:
        totals = [total + edge.log_prob for total, _ in arriving[edge.start]]
        best = totals.index(max(totals))
        _, path = arriving[edge.start][best]
        arriving[edge.end].append((totals[best], path + (edge,)))  # noqa: RUF005  # mypy loses the type after *
    return max(arriving[-1], key=itemgetter(0))[1]


def power(exponent: float) -> float:
    """Return e to an exponent; infinity if the result is too large."""
    try:
        return exp(exponent)
    except OverflowError:
        return inf
