"""Top-p: keep the fewest likeliest tokens that have at least so much of the probability together, the *nucleus*.

Adds: a cut that takes few tokens where the model is sure, and many where it is not. Leaves out: a draw (`draw_token`).
Source: Holtzman et al., The Curious Case of Neural Text Degeneration, arXiv:1904.09751, section 3.1; transformers
4.26.1, generation/logits_process.py, TopPLogitsWarper.

>>> print(keep_top_p.record([0.2, 0.5, 0.3], top_p=0.7))
1. token 1 (0.5) is kept; together 0.5
2. token 2 (0.3) is kept; together 0.8
3. token 0 (0.2) is cut off: enough are there
"""

from __future__ import annotations

from collections.abc import Generator

from tokenlab.algorithms.attention_head import Vector
from tokenlab.steps import step, stepwise


@step
class Sorted:
    """A token was looked at, the likeliest first."""

    token: int
    probability: float
    mass: float  # of all that are kept so far
    kept: bool

    def __str__(self) -> str:
        """Say whether it is kept, and how much is kept by now."""
        fate = f"is kept; together {self.mass:.6g}" if self.kept else "is cut off: enough are there"
        return f"token {self.token} ({self.probability:.6g}) {fate}"


@stepwise
def keep_top_p(probabilities: Vector, top_p: float) -> Generator[Sorted, None, tuple[int, ...]]:
    """The tokens that are kept, in the order of their ids.

    Args:
        probabilities: of each token, by its id.
        top_p: the share that the kept ones have at least.

    Raises:
        ValueError: the share is not in (0, 1].

    >>> keep_top_p([0.5, 0.25, 0.25], 0.5), keep_top_p([0.5, 0.3, 0.2], 0.7)
    ((0,), (0, 1))
    """
    if not 0 < top_p <= 1:
        raise ValueError(f"top_p={top_p!r} should be above 0 and at most 1; 1 keeps every token")
    mass = 0.0
    kept = []
    for token in by_likelihood(probabilities):
        enough = mass >= top_p  # subtle: asked before the token is added, so the one that crosses the share is kept
        if not enough:
            kept.append(token)
            mass += probabilities[token]
        yield Sorted(token, probabilities[token], mass, not enough)
    return tuple(sorted(kept))


def by_likelihood(probabilities: Vector) -> list[int]:
    """All tokens, the likeliest first; of equals the one that is cut off last in the library: the higher id.

    >>> by_likelihood([0.1, 0.45, 0.45])
    [2, 1, 0]
    """
    return sorted(range(len(probabilities)), key=lambda token: (probabilities[token], token), reverse=True)
