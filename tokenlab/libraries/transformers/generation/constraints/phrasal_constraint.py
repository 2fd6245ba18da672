"""`PhrasalConstraint`: a phrase, as consecutive tokens.

Leaves out: a restart with the token that interrupts the phrase, so the phrase 1 1 2 is not found in 1 1 1 2.

Source: transformers 4.26.1, generation/beam_constraints.py. There `reset` keeps the first token as matched.
"""

from __future__ import annotations

from tokenlab.libraries.transformers.generation.constraints.constraint import (
    PhraseConstraint,
    check_token_id,
    check_token_ids,
)


class PhrasalConstraint(PhraseConstraint):
    """An output contains this phrase.

    Args:
        token_ids: the ids of its tokens.

    Raises:
        ValueError: not a list of ids, or an empty list.

    >>> phrase = PhrasalConstraint([5, 6, 7])
    >>> phrase.update(5), phrase.advance(), phrase.remaining()
    ((True, False, False), 6, 2)
    >>> phrase.update(9), phrase.remaining()  # one token interrupts it
    ((False, False, True), 3)
    """

    def __init__(self, token_ids: list[int]) -> None:
        self.token_ids = check_token_ids("token_ids", token_ids)
        self.seqlen = len(self.token_ids)
        self.fulfilled_idx = -1  # index of the last matched token
        self.completed = False

    def advance(self) -> int | None:
        """Return the next id of the phrase, or None after the last."""
        return None if self.completed else self.token_ids[self.fulfilled_idx + 1]

    def does_advance(self, token_id: int) -> bool:
        """Return True for the next id of the phrase."""
        return check_token_id(token_id) == self.advance()

    def _match(self, token_id: int) -> bool:
        self.fulfilled_idx += 1
        return self.remaining() == 0

    def reset(self) -> None:
        """Discard all progress."""
        self.completed = False
        self.fulfilled_idx = -1

    def remaining(self) -> int:
        """Return the number of missing tokens."""
        return self.seqlen - (self.fulfilled_idx + 1)
