"""`ConstraintListState`: how far one beam is with all that is demanded.

Adds: several constraints, of which one at a time is in progress; and the bank, one number for how far that is.
Leaves out: beams (`constrained_beam_scorer`).

Source: transformers 4.26.1, generation/beam_constraints.py. There `reset` leaves a complete list complete, and `copy`
forgets that it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tokenlab.transformers.generation.constraint_steps import Standing
from tokenlab.transformers.generation.constraints import Constraint, checked_token, tokens_of


class ConstraintListState:
    """Constraints that are complete, the one in progress, and those that are pending.

    Args:
        constraints: what is demanded, in any order; where several could take a token, the first one does.

    Raises:
        ValueError: there are none.

    >>> from tokenlab.transformers.generation.phrasal_constraint import PhrasalConstraint
    >>> state = ConstraintListState([PhrasalConstraint([1, 2, 5]), PhrasalConstraint([7, 8])])
    >>> state.add(7), state.get_bank(), state.advance()  # subtle: as far as if 8 were the last of three tokens
    ((False, True), 2, [8])
    >>> state.add(8), state.get_bank(), state.advance()
    ((True, True), 3, [1])
    """

    def __init__(self, constraints: Sequence[Constraint]) -> None:
        if not constraints:
            raise ValueError(f"constraints={constraints!r} demands nothing; give at least one, or search without")
        self.constraints = constraints
        self.max_seqlen = max(map(length_of, constraints))
        self.n_constraints = len(constraints)
        self.init_state()

    def init_state(self) -> None:
        """All are pending."""
        self.completed = False
        # By their numbers. subtle: what stands here is never changed, only replaced, so that copies may share it.
        self._complete: dict[int, Any] = {}
        self._in_progress: tuple[int, Any] | None = None
        self._pending: dict[int, Any] = {
            number: constraint.copy(stateful=False) for number, constraint in enumerate(self.constraints)
        }

    @property
    def complete_constraints(self) -> list[Any]:
        """Those that are there, in the order in which they came."""
        return list(self._complete.values())

    @property
    def inprogress_constraint(self) -> Any:
        """The one of which some tokens are there, or None."""
        return None if self._in_progress is None else self._in_progress[1]

    @property
    def pending_constraints(self) -> list[Any]:
        """Those of which nothing is there."""
        return list(self._pending.values())

    def get_bank(self) -> int:
        """How far it is: the length of the longest constraint for each complete one, and more for the one in progress.

        subtle: that is the longest length, too, without what remains; so a shorter constraint has a head start.
        """
        return len(self._complete) * self.max_seqlen + self._done()

    def _done(self) -> int:
        return 0 if self._in_progress is None else self.max_seqlen - int(self._in_progress[1].remaining())

    def standing(self) -> Standing:
        """What is to be seen of it."""
        number = None if self._in_progress is None else self._in_progress[0]
        return Standing(tuple(self._complete), tuple(self._pending), number, self._done(), self.max_seqlen)

    def advance(self) -> list[int] | None:
        """The ids that would advance it, of the one in progress or else the first ones of all; None if none would."""
        asking = self._pending.values() if self._in_progress is None else [self._in_progress[1]]
        return [token for constraint in asking for token in tokens_of(constraint.advance())] or None

    def reset(self, token_ids: Iterable[int] | None) -> None:
        """Begin again, with these tokens."""
        self.init_state()
        for token in token_ids or ():
            self.add(token)
            if self.completed:
                break

    def add(self, token_id: int) -> tuple[bool, bool]:
        """Take note of a token that was written.

        Returns:
            complete (a constraint by this token, or all before it), stepped (a constraint is nearer).
        """
        token_id = checked_token(token_id)
        if self.completed:
            return True, False
        if self._in_progress is not None:
            complete, stepped = self._go_on(*self._in_progress, token_id)
        else:
            complete, stepped = self._begin(token_id)
        self.completed = not self._pending and self._in_progress is None
        return complete, stepped

    def _go_on(self, number: int, constraint: Any, token_id: int) -> tuple[bool, bool]:
        """Tell a token to the constraint in progress alone."""
        constraint = constraint.copy(stateful=True)
        stepped, complete, reset = constraint.update(token_id)
        self._in_progress = (number, constraint)
        if reset:
            # subtle: the token that broke it is not tried again, not even as its first one.
            self._in_progress = None
            self._pending[number] = constraint.copy(stateful=False)
        elif complete:
            self._in_progress = None
            self._complete[number] = constraint
        return complete, stepped

    def _begin(self, token_id: int) -> tuple[bool, bool]:
        """Let the first pending constraint that the token advances have it."""
        number = next((number for number, one in self._pending.items() if one.does_advance(token_id)), None)
        if number is None:
            return False, False
        constraint = self._pending[number].copy(stateful=True)
        stepped, complete, _ = constraint.update(token_id)
        if not stepped:
            raise ValueError(
                f"{type(constraint).__name__}: does_advance({token_id}) says yes, and update({token_id}) that it "
                "has not stepped; both have to say the same"
            )
        self._pending = {other: those for other, those in self._pending.items() if other != number}
        if complete:
            self._complete[number] = constraint
        else:
            self._in_progress = (number, constraint)
        return complete, stepped

    def copy(self, stateful: bool = True) -> ConstraintListState:
        """The same demands; as far along as this one if stateful."""
        other = object.__new__(type(self))  # subtle: a search copies thousands; copy.copy takes ten times as long
        vars(other).update(vars(self))
        if stateful:
            other._complete, other._pending = dict(self._complete), dict(self._pending)
        else:
            other.init_state()
        return other


def length_of(constraint: Any) -> int:
    """How many tokens it asks for at the most: what it says itself, or what remains of a new one.

    Raises:
        ValueError: it is no constraint.

    >>> from tokenlab.transformers.generation.phrasal_constraint import PhrasalConstraint
    >>> length_of(PhrasalConstraint([5, 6]))
    2
    """
    if not isinstance(constraint, Constraint):
        raise ValueError(
            f"constraints holds {constraint!r}, a {type(constraint).__name__}; give a Constraint, "
            "such as PhrasalConstraint(ids); force_words_ids takes ids themselves"
        )
    length = getattr(constraint, "seqlen", None)
    return int(constraint.copy(stateful=False).remaining() if length is None else length)
