"""Sampling a token: a random number falls into the interval of one token, and intervals are as long as probabilities.

Adds: the draw, and the renormalization after a filter. Leaves out: the filters.
Source: transformers 4.26.1, generation/utils.py, `sample` (softmax of the remaining logits, then torch.multinomial).

>>> print(sample_token.record([0.5, 0.25, 0.25], number=0.6))
1. token 0 reaches from 0 to 0.5: not there
2. token 1 reaches from 0.5 to 0.75: 0.6 is there
"""

from __future__ import annotations

from collections.abc import Collection, Generator

from tokenlab.algorithms.vectors import Row, Vector
from tokenlab.printing.printed_numbers import format_short
from tokenlab.steps.recording import step, stepwise


@step
class Interval:
    """The interval of a token between 0 and 1, and whether the number is in it."""

    token: int
    start: float
    end: float
    number: float
    drawn: bool

    def __str__(self) -> str:
        found = f"{format_short(self.number)} is there" if self.drawn else "not there"
        return f"token {self.token} reaches from {format_short(self.start)} to {format_short(self.end)}: {found}"


@stepwise
def sample_token(probabilities: Vector, number: float) -> Generator[Interval, None, int]:
    """Return the token whose interval contains the number; the end of an interval belongs to the next one.

    Args:
        probabilities: the probability of each id; their sum is 1.
        number: a random number in [0, 1), such as `random.random()`.

    Raises:
        ValueError: the number is not in [0, 1), or no probability is above 0.

    >>> sample_token([0.5, 0.5], 0.49), sample_token([0.5, 0.5], 0.5)
    (0, 1)
    """
    if not 0 <= number < 1:
        raise ValueError(f"number={number!r} should be at least 0 and below 1; random.random() gives such a number")
    possible = [token for token, probability in enumerate(probabilities) if probability > 0]
    if not possible:
        raise ValueError("probabilities: no token has a probability above 0; at least one is needed")
    start = 0.0
    for token in possible:
        end = start + probabilities[token]
        # subtle: rounding may leave the sum a little below 1; the last interval extends to 1.
        drawn = number < end or token == possible[-1]
        yield Interval(token, start, end, number, drawn)
        if drawn:
            break
        start = end
    return token


def renormalized(probabilities: Vector, kept: Collection[int]) -> Row:
    """Set the probabilities of all but the kept tokens to 0, and scale the others to sum to 1.

    Raises:
        ValueError: no kept token has a probability above 0.

    >>> renormalized([0.5, 0.25, 0.25], kept=[0, 2])
    (0.6666666666666666, 0.0, 0.3333333333333333)
    """
    mass = sum(probabilities[token] for token in kept)
    if not mass:
        raise ValueError(f"kept={sorted(kept)} has no token with a probability above 0; keep at least one such token")
    return tuple(p / mass if token in kept else 0.0 for token, p in enumerate(probabilities))
