"""Typical sampling: keep the tokens that are about as surprising as one would expect, until they have a share.

Adds: a cut at both ends; what is much likelier than expected may go, too. Leaves out: the draw (`draw_token`).
Source: Meister et al., Locally Typical Sampling, arXiv:2202.00666, section 4; transformers 4.26.1,
generation/logits_process.py, TypicalLogitsWarper.

>>> print(keep_typical.record([0.5, 0.3, 0.1, 0.1], mass=0.2))
1. token 1 (0.3) is 0.04 from the expected surprise 1.17, and is kept; together 0.3
2. token 0 (0.5) is 0.48 from the expected surprise 1.17, and is cut off: enough are there
3. token 2 (0.1) is 1.13 from the expected surprise 1.17, and is cut off: enough are there
4. token 3 (0.1) is 1.13 from the expected surprise 1.17, and is cut off: enough are there
"""

from __future__ import annotations

from collections.abc import Generator
from math import inf, log

from tokenlab.algorithms.attention_head import Vector
from tokenlab.steps import step, stepwise


@step
class Compared:
    """A token's surprise was compared with the expected one, the nearest first."""

    token: int
    probability: float
    distance: float
    expected: float
    mass: float  # of all that are kept so far
    kept: bool

    def __str__(self) -> str:
        """Say how far away it is, and what became of it."""
        fate = f"kept; together {self.mass:.6g}" if self.kept else "cut off: enough are there"
        where = f"{self.distance:.2f} from the expected surprise {self.expected:.2f}"
        return f"token {self.token} ({self.probability:.6g}) is {where}, and is {fate}"


@stepwise
def keep_typical(probabilities: Vector, mass: float) -> Generator[Compared, None, tuple[int, ...]]:
    """The tokens that are kept, in the order of their ids.

    Args:
        probabilities: of each token, by its id.
        mass: the share that the kept ones have at least.

    Raises:
        ValueError: the share is not in (0, 1).

    >>> keep_typical([0.5, 0.3, 0.1, 0.1], 0.2), keep_typical([0.25, 0.25, 0.25, 0.25], 0.2)
    ((1,), (0, 1, 2, 3))
    """
    if not 0 < mass < 1:
        raise ValueError(f"mass={mass!r} should be above 0 and below 1; close to 1 it keeps nearly every token")
    expected = expected_surprise(probabilities)
    distances = [abs(surprise(probability) - expected) for probability in probabilities]
    together, farthest = 0.0, -1.0
    kept = []
    for token in sorted(range(len(probabilities)), key=distances.__getitem__):
        # subtle: what is as far away as the last one that was needed is kept with it.
        keeps = together < mass or distances[token] <= farthest
        if keeps:
            kept.append(token)
            together, farthest = together + probabilities[token], distances[token]
        yield Compared(token, probabilities[token], distances[token], expected, together, keeps)
    return tuple(sorted(kept))


def surprise(probability: float) -> float:
    """Minus the logarithm: nothing for what is certain, without end for what is impossible.

    >>> surprise(1), surprise(0)
    (0.0, inf)
    """
    return -log(probability) + 0.0 if probability else inf


def expected_surprise(probabilities: Vector) -> float:
    """The mean surprise of a token that is drawn, in nats: the entropy.

    >>> expected_surprise([1, 0]), round(expected_surprise([0.5, 0.5]), 3)
    (0.0, 0.693)
    """
    return sum(probability * surprise(probability) for probability in probabilities if probability)
