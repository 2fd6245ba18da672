"""`Constraint`: a condition on an output, updated one token at a time.

Adds: the interface that a beam scorer uses, and a test for user-defined classes.
Leaves out: phrases (`phrasal_constraint`), one of several phrases (`disjunctive_constraint`), several constraints at
once (`constraint_list_state`).

Source: transformers 4.26.1, generation/beam_constraints.py. There the test leaves the constraint complete, so a
user-defined constraint has no effect; and it fails if `advance` returns several tokens.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from typing import Any

from tokenlab.libraries.transformers.generation.argument_checks import check_integer

MAX_CONSTRAINT_LENGTH = 10_000  # maximum number of tokens of the test


class Constraint(ABC):
    """A constraint on an output, and its progress.

    A subclass whose `__init__` ends with `super().__init__()` is tested: the tokens that `advance` returns have
    to complete it.

    >>> class Twice(Constraint):  # a token, twice, with any tokens in between
    ...     def __init__(self, token):
    ...         self.token, self.seen = token, 0
    ...         super().__init__()
    ...     def advance(self):
    ...         return self.token if self.seen < 2 else None
    ...     def does_advance(self, token_id):
    ...         return self.seen < 2 and token_id == self.token
    ...     def update(self, token_id):
    ...         stepped = self.does_advance(token_id)
    ...         self.seen += stepped
    ...         return stepped, stepped and self.seen == 2, False
    ...     def reset(self):
    ...         self.seen = 0
    ...     def remaining(self):
    ...         return 2 - self.seen
    ...     def copy(self, stateful=False):
    ...         other = Twice(self.token)
    ...         other.seen = self.seen if stateful else 0
    ...         return other
    >>> Twice(5).remaining()
    2
    """

    def __init__(self) -> None:
        self.test()

    def test(self) -> None:
        """Check that the tokens of `advance` complete the constraint, then reset it.

        Raises:
            ValueError: a token of `advance` does not advance it, it never completes, or `remaining()` is wrong.
        """
        name = type(self).__name__
        for step in range(MAX_CONSTRAINT_LENGTH):
            if step == 1:
                self.reset()  # subtle: reset in the middle, like an interrupted phrase; it has to complete after that
            asked = advancing_tokens(self.advance())
            if not asked:
                raise ValueError(f"{name}.advance() returns no id before update has returned completed; return an id")
            refused = [token for token in asked if not self.does_advance(token)]
            if refused:
                raise ValueError(f"{name}.advance() returns {refused[0]}, but does_advance({refused[0]}) is False")
            _, completed, _ = self.update(asked[0])
            if completed:
                break
        else:
            raise ValueError(
                f"{name}: update has not returned completed after {MAX_CONSTRAINT_LENGTH} tokens of advance()"
            )
        if self.remaining() != 0:
            raise ValueError(f"{name} is complete, but remaining() returns {self.remaining()}; it should return 0")
        self.reset()

    @abstractmethod
    def advance(self) -> Any:
        """Return the id that advances the constraint, a list of alternative ids, or None."""

    @abstractmethod
    def does_advance(self, token_id: int) -> bool:
        """Return True if this token advances the constraint; the state does not change."""

    @abstractmethod
    def update(self, token_id: int) -> tuple[bool, bool, bool]:
        """Update the state with a generated token.

        Returns:
            stepped (the token advances it), completed (by this token), reset (its progress is lost).
        """

    @abstractmethod
    def reset(self) -> None:
        """Discard all progress."""

    @abstractmethod
    def remaining(self) -> int:
        """Return the number of missing tokens."""

    @abstractmethod
    def copy(self, stateful: bool = False) -> Any:
        """Return a copy, with the same progress if stateful."""


class PhraseConstraint(Constraint):
    """A constraint of consecutive tokens: any token that does not advance it resets it."""

    completed: bool

    @abstractmethod
    def _match(self, token_id: int) -> bool:
        """Match the next token; return True if it completes the constraint."""

    def update(self, token_id: int) -> tuple[bool, bool, bool]:
        """Match a token that may follow; any other token resets the constraint.

        Returns:
            stepped, completed, reset.
        """
        if not self.does_advance(token_id):
            self.reset()
            return False, False, True
        self.completed = self._match(token_id)
        return True, self.completed, False

    def copy(self, stateful: bool = False) -> Any:
        """Return a copy, with the same progress if stateful."""
        other = copy.copy(self)
        # subtle: a method that was replaced on this object is bound to it, and would report its progress.
        for name in [name for name in vars(self) if callable(getattr(type(self), name, None))]:
            delattr(other, name)
        if not stateful:
            other.reset()
        return other


def advancing_tokens(advance: Any) -> list[int]:
    """Return the value of `advance` as a list.

    >>> advancing_tokens(3), advancing_tokens([1, 2]), advancing_tokens(None)
    ([3], [1, 2], [])
    """
    if advance is None:
        return []
    return [int(advance)] if hasattr(advance, "__index__") else [int(token) for token in advance]


def check_token_id(token_id: Any) -> int:
    """Return the token id.

    Raises:
        ValueError: not an integer.

    >>> check_token_id("5")
    Traceback (most recent call last):
    ...
    ValueError: token_id='5' is a str; give a whole number, such as 100
    """
    return token_id if type(token_id) is int else check_integer("token_id", token_id, at_least=None)


def check_token_ids(argument: str, given: Any) -> list[int]:
    """Return the ids of a phrase.

    Raises:
        ValueError: not a list, an empty list, or an element that is not an id.

    >>> check_token_ids("token_ids", [5, -1])
    Traceback (most recent call last):
    ...
    ValueError: token_ids=[5, -1] should contain only ids: token_ids=-1 is too small; give 0 or more
    """
    if not isinstance(given, list) or not given:
        raise ValueError(
            f"{argument}={given!r} should be a list of ids with at least one; "
            "tokenizer(words, add_special_tokens=False).input_ids makes one"
        )
    try:
        return [check_integer(argument, id, at_least=0) for id in given]
    except ValueError as error:
        raise ValueError(f"{argument}={given!r} should contain only ids: {error}") from None
