"""How many inputs a hypothesis test draws: its own number, twice as many with `--hypothesis-profile=long`."""

from __future__ import annotations

from hypothesis import settings

USUAL, LONG = 30, 60  # per test, without a number of its own


def examples(number: int) -> settings:
    """Draw this many inputs, and in the long profile as many times more as other tests do.

    >>> examples(30).max_examples * USUAL // settings().max_examples
    30
    """
    return settings(max_examples=number * settings().max_examples // USUAL)
