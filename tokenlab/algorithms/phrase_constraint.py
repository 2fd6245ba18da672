"""How far a demanded phrase has come, token by token.

Adds: the state of one constraint. Leaves out: several constraints, and the search that pushes them on.
Source: transformers 4.26.1, PhrasalConstraint and ConstraintListState.

>>> print(progress.record([1, 1, 2], [1, 1, 1, 2]))
1. 1 goes on with the phrase: 1 of 3 is there
2. 1 goes on with the phrase: 2 of 3 are there
3. 1 breaks the phrase: it begins anew with the next token
4. 2 does not begin the phrase
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from tokenlab.steps import step, stepwise


@step
class Went:
    """What one token did to the phrase."""

    token: int
    before: int  # how many of its tokens were there
    after: int
    of: int

    def __str__(self) -> str:
        """Say whether it went on, broke or was whole already."""
        if self.before == self.of:
            return f"{self.token} changes nothing: the phrase is whole"
        if self.after:
            are = "is" if self.after == 1 else "are"
            return f"{self.token} goes on with the phrase: {self.after} of {self.of} {are} there"
        if self.before:
            return f"{self.token} breaks the phrase: it begins anew with the next token"
        return f"{self.token} does not begin the phrase"


@stepwise
def progress(phrase: Sequence[int], tokens: Sequence[int]) -> Generator[Went, None, int]:
    """How many tokens of the phrase are there after these tokens.

    Args:
        phrase: the ids that should follow one another.
        tokens: what was written.

    >>> progress([1, 2, 5], [7, 1, 2]), progress([1, 2, 5], [1, 2, 9]), progress([1, 2, 5], [1, 2, 5, 9])
    (2, 0, 3)
    """
    done = 0
    for token in tokens:
        before = done
        if done < len(phrase):
            # subtle: the token that breaks a phrase is not tried as its first one.
            done = done + 1 if token == phrase[done] else 0
        yield Went(token, before, done, len(phrase))
    return done
