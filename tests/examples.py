"""How many inputs a hypothesis test draws: its own number, or as the profile says, a third or twice of it."""

from __future__ import annotations

from hypothesis import settings

QUICK, USUAL, LONG = 10, 30, 60  # per test, without a number of its own


def examples(number: int) -> settings:
    """Draw this many inputs, and in another profile as many times more or fewer as other tests do.

    >>> examples(30).max_examples * USUAL // settings().max_examples
    30
    """
    return settings(max_examples=number * settings().max_examples // USUAL)
