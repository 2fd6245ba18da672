"""`PhrasalConstraint`: these tokens, one right after the other.

Leaves out: what a token that breaks the phrase could begin: after 1 1, the phrase 1 1 2 is not found in 1 1 1 2.

Source: transformers 4.26.1, generation/beam_constraints.py. There `reset` leaves the first token as if it were written.
"""

from __future__ import annotations

import copy
from typing import Any

from tokenlab.transformers.generation.constraints import Constraint, checked_phrase, checked_token


class PhrasalConstraint(Constraint):
    """An output holds this phrase.

    Args:
        token_ids: the ids of its tokens.

    Raises:
        ValueError: no list of ids, or an empty one.

    >>> phrase = PhrasalConstraint([5, 6, 7])
    >>> phrase.update(5), phrase.advance(), phrase.remaining()
    ((True, False, False), 6, 2)
    >>> phrase.update(9), phrase.remaining()  # one token breaks it
    ((False, False, True), 3)
    """

    def __init__(self, token_ids: list[int]) -> None:
        self.token_ids = checked_phrase("token_ids", token_ids)
        self.seqlen = len(self.token_ids)
        self.fulfilled_idx = -1  # of the last token that is there
        self.completed = False

    def advance(self) -> int | None:
        """The next id of the phrase, or None after the last."""
        return None if self.completed else self.token_ids[self.fulfilled_idx + 1]

    def does_advance(self, token_id: int) -> bool:
        """Whether it is the next one."""
        return checked_token(token_id) == self.advance()

    def update(self, token_id: int) -> tuple[bool, bool, bool]:
        """Take note of a token: the next one of the phrase, or one that breaks it.

        Returns:
            stepped, completed, reset.
        """
        if not self.does_advance(token_id):
            self.reset()
            return False, False, True
        self.fulfilled_idx += 1
        self.completed = self.remaining() == 0
        return True, self.completed, False

    def reset(self) -> None:
        """None of its tokens is there."""
        self.completed = False
        self.fulfilled_idx = -1

    def remaining(self) -> int:
        """How many of its tokens are not there yet."""
        return self.seqlen - (self.fulfilled_idx + 1)

    def copy(self, stateful: bool = False) -> Any:
        """The same phrase; as far along as this one if stateful."""
        other = copy.copy(self)
        if not stateful:
            other.reset()
        return other
