"""A draw: a number between 0 and 1 falls into the stretch of one token, and each stretch is as long as it is likely.

Adds: how chance chooses a token, and what the others get if some are cut off. Leaves out: which are cut off.
Source: transformers 4.26.1, generation/utils.py, `sample` (softmax of what is left, then torch.multinomial).

>>> print(draw.record([0.5, 0.25, 0.25], number=0.6))
1. token 0 reaches from 0 to 0.5: not there
2. token 1 reaches from 0.5 to 0.75: 0.6 is there
"""

from __future__ import annotations

from collections.abc import Collection, Generator

from tokenlab.algorithms.attention_head import Row, Vector
from tokenlab.steps import step, stepwise


@step
class Stretch:
    """Where a token's stretch lies between 0 and 1, and whether the number is in it."""

    token: int
    start: float
    end: float
    number: float
    drawn: bool

    def __str__(self) -> str:
        """Say from where to where."""
        found = f"{self.number:.6g} is there" if self.drawn else "not there"
        return f"token {self.token} reaches from {self.start:.6g} to {self.end:.6g}: {found}"


@stepwise
def draw(probabilities: Vector, number: float) -> Generator[Stretch, None, int]:
    """The token in whose stretch the number falls; the end of a stretch belongs to the next one.

    Args:
        probabilities: of each token, by its id; they sum to one.
        number: at least 0 and below 1; `random.random()` gives one.

    Raises:
        ValueError: the number is not in [0, 1), or nothing can be drawn.

    >>> draw([0.5, 0.5], 0.49), draw([0.5, 0.5], 0.5)
    (0, 1)
    """
    if not 0 <= number < 1:
        raise ValueError(f"number={number!r} should be at least 0 and below 1; random.random() gives such a number")
    possible = [token for token, probability in enumerate(probabilities) if probability > 0]
    if not possible:
        raise ValueError("no token has a probability above 0; at least one has to be left")
    start = 0.0
    for token in possible:
        end = start + probabilities[token]
        # subtle: rounding may leave the sum a little below 1; the last one takes what is left.
        drawn = number < end or token == possible[-1]
        yield Stretch(token, start, end, number, drawn)
        if drawn:
            break
        start = end
    return token


def renormalized(probabilities: Vector, kept: Collection[int]) -> Row:
    """The kept tokens share what the others had, each by its probability; those have nothing.

    >>> renormalized([0.5, 0.25, 0.25], kept=[0, 2])
    (0.6666666666666666, 0.0, 0.3333333333333333)
    """
    mass = sum(probabilities[token] for token in kept)
    return tuple(p / mass if token in kept else 0.0 for token, p in enumerate(probabilities))


def likeliest(scores: Vector) -> int:
    """The token that greedy search writes: the best, and of equals the one with the lowest id.

    >>> likeliest([1, 3, 3])
    1
    """
    return max(range(len(scores)), key=lambda token: scores[token])
