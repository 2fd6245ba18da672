"""Phrasal constraint: the progress on a phrase, token by token.

Adds: the state of one constraint. Leaves out: several constraints, and the search that advances them.
Source: transformers 4.26.1, PhrasalConstraint and ConstraintListState.

>>> print(constraint_progress.record([1, 1, 2], [1, 1, 1, 2]))
1. 1 continues the phrase: 1 of 3 matched
2. 1 continues the phrase: 2 of 3 matched
3. 1 interrupts the phrase: matching restarts at the next token
4. 2 does not start the phrase
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from tokenlab.steps.recording import step, stepwise


@step
class ConstraintUpdated:
    """The effect of one token on the phrase."""

    token: int
    before: int  # number of matched tokens before it
    after: int
    phrase_length: int

    def __str__(self) -> str:
        if self.before == self.phrase_length:
            return f"{self.token} changes nothing: the phrase is complete"
        if self.after:
            return f"{self.token} continues the phrase: {self.after} of {self.phrase_length} matched"
        if self.before:
            return f"{self.token} interrupts the phrase: matching restarts at the next token"
        return f"{self.token} does not start the phrase"


@stepwise
def constraint_progress(phrase: Sequence[int], tokens: Sequence[int]) -> Generator[ConstraintUpdated, None, int]:
    """Return the number of matched tokens of the phrase.

    Args:
        phrase: the ids of the phrase, which have to be consecutive.
        tokens: the generated ids.

    >>> constraint_progress([1, 2, 5], [7, 1, 2]), constraint_progress([1, 2, 5], [1, 2, 9])
    (2, 0)
    >>> constraint_progress([1, 2, 5], [1, 2, 5, 9])
    3
    """
    matched = 0
    for token in tokens:
        before = matched
        if matched < len(phrase):
            # subtle: the token that interrupts a phrase is not tried as its first one.
            matched = matched + 1 if token == phrase[matched] else 0
        yield ConstraintUpdated(token, before, matched, len(phrase))
    return matched
