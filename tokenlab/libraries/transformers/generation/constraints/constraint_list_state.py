"""`ConstraintListState`: the progress of one beam on all constraints.

Adds: several constraints, of which one at a time is in progress; and the bank, a number that measures the progress.
Leaves out: beams (`constrained_beam_scorer`).

Source: transformers 4.26.1, generation/beam_constraints.py. There `reset` does not clear `completed`, and `copy`
does not copy it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tokenlab.libraries.transformers.generation.constraints.constraint import (
    Constraint,
    advancing_tokens,
    check_token_id,
)
from tokenlab.libraries.transformers.generation.constraints.constraint_steps import ConstraintProgress


class ConstraintListState:
    """The completed constraints, the one in progress, and the pending ones.

    Args:
        constraints: the constraints, in any order; a token starts the first one that it advances.

    Raises:
        ValueError: there are none.

    >>> from tokenlab.libraries.transformers.generation.constraints.phrasal_constraint import PhrasalConstraint
    >>> state = ConstraintListState([PhrasalConstraint([1, 2, 5]), PhrasalConstraint([7, 8])])
    >>> state.add(7), state.get_bank(), state.advance()  # subtle: the same bank as if 8 were the last of three tokens
    ((False, True), 2, [8])
    >>> state.add(8), state.get_bank(), state.advance()
    ((True, True), 3, [1])
    """

    def __init__(self, constraints: Sequence[Constraint]) -> None:
        if not constraints:
            raise ValueError(f"constraints={constraints!r} is empty; give at least one, or search without")
        self.constraints = constraints
        self.max_seqlen = max(map(constraint_length, constraints))
        self.n_constraints = len(constraints)
        self.init_state()

    def init_state(self) -> None:
        """Make all constraints pending."""
        self.completed = False
        # By number. subtle: the values are never changed, only replaced, so copies may share them.
        self._complete: dict[int, Any] = {}
        self._in_progress: tuple[int, Any] | None = None
        self._pending: dict[int, Any] = {
            number: constraint.copy(stateful=False) for number, constraint in enumerate(self.constraints)
        }

    @property
    def complete_constraints(self) -> list[Any]:
        """The completed constraints, in the order of completion."""
        return list(self._complete.values())

    @property
    def inprogress_constraint(self) -> Any:
        """The constraint in progress, or None."""
        return None if self._in_progress is None else self._in_progress[1]

    @property
    def pending_constraints(self) -> list[Any]:
        """The pending constraints."""
        return list(self._pending.values())

    def get_bank(self) -> int:
        """Return the bank: the length of the longest constraint for each completed one, plus the one in progress.

        subtle: a constraint in progress counts the longest length less its missing tokens, so a short one starts high.
        """
        return len(self._complete) * self.max_seqlen + self._done()

    def _done(self) -> int:
        return 0 if self._in_progress is None else self.max_seqlen - int(self._in_progress[1].remaining())

    def progress(self) -> ConstraintProgress:
        """Return the progress as a step."""
        number = None if self._in_progress is None else self._in_progress[0]
        return ConstraintProgress(tuple(self._complete), tuple(self._pending), number, self._done(), self.max_seqlen)

    def advance(self) -> list[int] | None:
        """Return the ids that advance the constraint in progress, or else any pending one; None if there are none."""
        asking = self._pending.values() if self._in_progress is None else [self._in_progress[1]]
        return [token for constraint in asking for token in advancing_tokens(constraint.advance())] or None

    def reset(self, token_ids: Iterable[int] | None) -> None:
        """Start again with these tokens."""
        self.init_state()
        for token in token_ids or ():
            self.add(token)
            if self.completed:
                break

    def add(self, token_id: int) -> tuple[bool, bool]:
        """Update the state with a generated token.

        Returns:
            complete (this token completes a constraint, or all were complete), stepped (it advances a constraint).
        """
        token_id = check_token_id(token_id)
        if self.completed:
            return True, False
        if self._in_progress is not None:
            complete, stepped = self._advance_in_progress(*self._in_progress, token_id)
        else:
            complete, stepped = self._start_pending(token_id)
        self.completed = not self._pending and self._in_progress is None
        return complete, stepped

    def _advance_in_progress(self, number: int, constraint: Any, token_id: int) -> tuple[bool, bool]:
        """Update only the constraint in progress."""
        constraint = constraint.copy(stateful=True)
        stepped, complete, reset = constraint.update(token_id)
        self._in_progress = (number, constraint)
        if reset:
            # subtle: the token that interrupts it is not tried again, not even as its first token.
            self._in_progress = None
            self._pending[number] = constraint.copy(stateful=False)
        elif complete:
            self._in_progress = None
            self._complete[number] = constraint
        return complete, stepped

    def _start_pending(self, token_id: int) -> tuple[bool, bool]:
        """Update the first pending constraint that the token advances."""
        number = next((number for number, one in self._pending.items() if one.does_advance(token_id)), None)
        if number is None:
            return False, False
        constraint = self._pending[number].copy(stateful=True)
        stepped, complete, _ = constraint.update(token_id)
        if not stepped:
            raise ValueError(
                f"{type(constraint).__name__}: does_advance({token_id}) is True, but update({token_id}) returns "
                "stepped=False; they have to agree"
            )
        self._pending = {other: those for other, those in self._pending.items() if other != number}
        if complete:
            self._complete[number] = constraint
        else:
            self._in_progress = (number, constraint)
        return complete, stepped

    def copy(self, stateful: bool = True) -> ConstraintListState:
        """Return a copy, with the same progress if stateful."""
        other = object.__new__(type(self))  # subtle: a search copies thousands; copy.copy takes ten times as long
        vars(other).update(vars(self))
        if stateful:
            other._complete, other._pending = dict(self._complete), dict(self._pending)
        else:
            other.init_state()
        return other


def constraint_length(constraint: Any) -> int:
    """Return the maximum number of tokens of a constraint: its `seqlen`, or `remaining()` without progress.

    Raises:
        ValueError: not a Constraint.

    >>> from tokenlab.libraries.transformers.generation.constraints.phrasal_constraint import PhrasalConstraint
    >>> constraint_length(PhrasalConstraint([5, 6]))
    2
    """
    if not isinstance(constraint, Constraint):
        raise ValueError(
            f"constraints holds {constraint!r}, a {type(constraint).__name__}; give a Constraint, "
            "such as PhrasalConstraint(ids); force_words_ids takes ids themselves"
        )
    length = getattr(constraint, "seqlen", None)
    return int(constraint.copy(stateful=False).remaining() if length is None else length)
