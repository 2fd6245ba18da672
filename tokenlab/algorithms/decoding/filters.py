"""Filters of the distribution of the next token: top-k, top-p (nucleus), min-p and typical sampling.

Adds: a fixed number of tokens (top-k); the *nucleus*, the smallest set of most probable tokens with a given cumulative
probability (top-p): few tokens if the entropy is low, many if it is high; the tokens with at least a share of the
probability of the most probable one (min-p); the tokens whose surprisal is closest to the entropy (typical sampling),
which may leave out the most probable token. Leaves out: the draw (`sample_token`).
Source: Fan et al., arXiv:1805.04833, section 5.4 (top-k); Holtzman et al., arXiv:1904.09751, section 3.1 (top-p);
Nguyen et al., arXiv:2407.01082, section 3 (min-p); Meister et al., arXiv:2202.00666, section 4 (typical); transformers
4.26.1, generation/logits_process.py, which has no min-p.

>>> print(top_p_filter.record([0.2, 0.5, 0.3], top_p=0.7))
1. token 1 (0.5) is kept; together 0.5
2. token 2 (0.3) is kept; together 0.8
3. token 0 (0.2) is removed: the nucleus is complete
>>> print(typical_filter.record([0.5, 0.3, 0.1, 0.1], mass=0.2))
1. token 1 (0.3) is 0.04 from the entropy 1.17, and is kept; together 0.3
2. token 0 (0.5) is 0.48 from the entropy 1.17, and is removed: the mass is reached
3. token 2 (0.1) is 1.13 from the entropy 1.17, and is removed: the mass is reached
4. token 3 (0.1) is 1.13 from the entropy 1.17, and is removed: the mass is reached
"""

from __future__ import annotations

from collections.abc import Generator
from math import inf, log

from tokenlab.algorithms.vectors import Vector
from tokenlab.printing.errors import check_not_empty
from tokenlab.printing.printed_numbers import format_number, format_short
from tokenlab.steps.recording import step, stepwise


def top_k_filter(scores: Vector, top_k: int) -> tuple[int, ...]:
    """Return the kept ids in ascending order: the `top_k` best, and tokens that tie with the last of them.

    Args:
        scores: the logit or the probability of each id.
        top_k: the number of tokens to keep.

    Raises:
        ValueError: top_k is below 1, or there are no scores.

    >>> top_k_filter([1, 3, 2, 0], 2), top_k_filter([1, 3, 1, 0], 2)
    ((1, 2), (0, 1, 2))
    """
    if top_k < 1:
        raise ValueError(f"top_k={top_k!r} should be at least 1, which keeps only the best")
    check_not_empty("scores", scores, "the logit or the probability of at least one id")
    last = sorted(scores, reverse=True)[:top_k][-1]
    return tuple(token for token, score in enumerate(scores) if score >= last)


@step
class TokenConsidered:
    """A token was considered, in descending order of probability."""

    token: int
    probability: float
    cumulative_probability: float  # of the tokens kept so far
    kept: bool

    def __str__(self) -> str:
        kept = f"is kept; together {format_short(self.cumulative_probability)}"
        status = kept if self.kept else "is removed: the nucleus is complete"
        return f"token {self.token} ({format_short(self.probability)}) {status}"


@stepwise
def top_p_filter(probabilities: Vector, top_p: float) -> Generator[TokenConsidered, None, tuple[int, ...]]:
    """Return the ids of the nucleus in ascending order.

    Args:
        probabilities: the probability of each id.
        top_p: the cumulative probability that the nucleus has at least.

    Raises:
        ValueError: top_p is not in (0, 1].

    >>> top_p_filter([0.5, 0.25, 0.25], 0.5), top_p_filter([0.5, 0.3, 0.2], 0.7)
    ((0,), (0, 1))
    """
    if not 0 < top_p <= 1:
        raise ValueError(f"top_p={top_p!r} should be above 0 and at most 1; 1 keeps every token")
    cumulative = 0.0
    kept = []
    for token in by_probability(probabilities):
        complete = cumulative >= top_p  # subtle: without this token, so the one that reaches top_p is kept
        if not complete:
            kept.append(token)
            cumulative += probabilities[token]
        yield TokenConsidered(token, probabilities[token], cumulative, not complete)
    return tuple(sorted(kept))


def by_probability(probabilities: Vector) -> list[int]:
    """Return all ids, most probable first; ties are in descending order of ids, as in the library.

    >>> by_probability([0.1, 0.45, 0.45])
    [2, 1, 0]
    """
    return sorted(range(len(probabilities)), key=lambda token: (probabilities[token], token), reverse=True)


def min_p_filter(probabilities: Vector, min_p: float) -> tuple[int, ...]:
    """Return the kept ids in ascending order: those with at least `min_p` times the highest probability.

    Args:
        probabilities: the probability of each id.
        min_p: the share of the highest probability; 0 keeps every token.

    Raises:
        ValueError: min_p is not in [0, 1].

    >>> min_p_filter([0.5, 0.3, 0.2], 0.5), min_p_filter([0.25, 0.25, 0.25, 0.25], 0.5)
    ((0, 1), (0, 1, 2, 3))
    """
    if not 0 <= min_p <= 1:
        raise ValueError(f"min_p={min_p!r} should be at least 0 and at most 1; 1 keeps only the most probable token")
    limit = min_p * max(probabilities, default=0.0)  # subtle: relative, so an uncertain model keeps many tokens
    return tuple(token for token, probability in enumerate(probabilities) if probability >= limit)


@step
class SurprisalCompared:
    """A token's surprisal was compared with the entropy, in ascending order of distance."""

    token: int
    probability: float
    distance: float
    entropy: float
    cumulative_probability: float  # of the tokens kept so far
    kept: bool

    def __str__(self) -> str:
        status = (
            f"kept; together {format_short(self.cumulative_probability)}"
            if self.kept
            else "removed: the mass is reached"
        )
        where = f"{format_number(self.distance)} from the entropy {format_number(self.entropy)}"
        return f"token {self.token} ({format_short(self.probability)}) is {where}, and is {status}"


@stepwise
def typical_filter(probabilities: Vector, mass: float) -> Generator[SurprisalCompared, None, tuple[int, ...]]:
    """Return the kept ids in ascending order.

    Args:
        probabilities: the probability of each id.
        mass: the cumulative probability that the kept tokens have at least.

    Raises:
        ValueError: mass is not in (0, 1).

    >>> typical_filter([0.5, 0.3, 0.1, 0.1], 0.2), typical_filter([0.25, 0.25, 0.25, 0.25], 0.2)
    ((1,), (0, 1, 2, 3))
    """
    if not 0 < mass < 1:
        raise ValueError(f"mass={mass!r} should be above 0 and below 1; close to 1 it keeps nearly every token")
    expected = entropy(probabilities)
    distances = [abs(surprisal(probability) - expected) for probability in probabilities]
    together, farthest = 0.0, -1.0
    kept = []
    for token in sorted(range(len(probabilities)), key=distances.__getitem__):
        # subtle: tokens that tie with the last one that was needed are kept as well.
        keeps = together < mass or distances[token] <= farthest
        if keeps:
            kept.append(token)
            together, farthest = together + probabilities[token], distances[token]
        yield SurprisalCompared(token, probabilities[token], distances[token], expected, together, keeps)
    return tuple(sorted(kept))


def surprisal(probability: float) -> float:
    """Return the surprisal, -ln p, in nats: 0 for p = 1, infinite for p = 0.

    >>> surprisal(1), surprisal(0)
    (0.0, inf)
    """
    return -log(probability) + 0.0 if probability else inf


def entropy(probabilities: Vector) -> float:
    """Return the entropy, the expected surprisal of a drawn token, in nats.

    >>> entropy([1, 0]), round(entropy([0.5, 0.5]), 3)
    (0.0, 0.693)
    """
    return sum(probability * surprisal(probability) for probability in probabilities if probability)
