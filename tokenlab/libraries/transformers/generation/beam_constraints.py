"""The constraints of a call, and `ConstraintListState`, the progress of a beam on all of them.

Adds: several constraints, of which one at a time is in progress; the bank, a number that measures the progress; and
`build_constraints`, which refuses constraints that cannot be fulfilled.
Leaves out: single constraints (`phrase_constraints`), beams (`beam_search`), settings that cannot be combined with
constraints (`argument_checks`).

Source: transformers 4.26.1, generation/beam_constraints.py and generation/utils.py (`generate`). There `reset` does not
clear `completed`, and `copy` does not copy it. Words are appended to the caller's list of constraints; ids outside the
vocabulary fail inside the first step; empty lists are accepted, or fail later; and a phrase that is both forbidden and
constrained is generated, with a score of -infinity.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import Any

from tokenlab.libraries.transformers.generation.argument_checks import (
    GenerationSettings,
    check_token_ids,
    check_word_ids,
)
from tokenlab.libraries.transformers.generation.beam_steps import ConstraintProgress
from tokenlab.libraries.transformers.generation.phrase_constraints import (
    Constraint,
    DisjunctiveConstraint,
    DisjunctiveTrie,
    PhrasalConstraint,
    advancing_tokens,
    check_token_id,
    is_proper_prefix,
)
from tokenlab.printing.errors import warn

__all__ = ["Constraint", "ConstraintListState", "DisjunctiveConstraint", "DisjunctiveTrie", "PhrasalConstraint"]
TOKENIZE_HINT = "tokenizer(words, add_special_tokens=False).input_ids makes one"


class ConstraintListState:
    """The completed constraints, the one in progress, and the pending ones.

    Args:
        constraints: the constraints, in any order; a token starts the first one that it advances.

    Raises:
        ValueError: there are none.

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


def build_constraints(config: GenerationSettings, vocab_size: float, ends: Sequence[int] = ()) -> list[Any]:
    """Return the given constraints, and one for each forced word.

    Raises:
        ValueError: an empty list, an element that is no constraint or no id, an id outside the vocabulary, or a phrase
            that settings forbid.

    >>> from tokenlab.libraries.transformers.generation.configuration_utils import GenerationConfig
    >>> [type(each).__name__ for each in build_constraints(GenerationConfig(force_words_ids=[[5, 6], [[7], [8]]]), 9)]
    ['PhrasalConstraint', 'DisjunctiveConstraint']
    >>> build_constraints(GenerationConfig(force_words_ids=[[5], [9]]), 9)
    Traceback (most recent call last):
    ...
    ValueError: the constraint [9] contains 9, but the model's ids are 0-8; are the ids those of this model's tokenizer?
    """
    words = _given_words(config.force_words_ids)
    constraints = [*_given_constraints(config.constraints, with_words=bool(words)), *map(_constraint_for_word, words)]
    for constraint in constraints:
        for phrase in constraint_phrases(constraint):
            _check_ids(phrase, vocab_size, ends)
    for one, other in permutations(constraints, 2):
        _warn_of_prefix(one, other)
    for constraint in constraints:
        _check_not_forbidden(constraint, config)
    return constraints


def constraint_phrases(constraint: Any) -> list[list[int]]:
    """Return the phrases of a constraint; [] for a user-defined one.

    >>> constraint_phrases(PhrasalConstraint([5, 6])), constraint_phrases(DisjunctiveConstraint([[7], [8, 9]]))
    ([[5, 6]], [[7], [8, 9]])
    """
    if isinstance(constraint, PhrasalConstraint):
        return [constraint.token_ids]
    return constraint.token_ids if isinstance(constraint, DisjunctiveConstraint) else []


def _given_constraints(given: Any, with_words: bool) -> list[Any]:
    if given is None:
        return []
    if isinstance(given, Constraint):
        raise ValueError(f"constraints is one {type(given).__name__}; give a list: constraints=[that]")
    if not isinstance(given, list | tuple) or (not given and not with_words):
        raise ValueError(
            f"constraints={given!r} should be a list of constraints with at least one, such as "
            "[PhrasalConstraint(ids)]; None means no constraint"
        )
    for constraint in given:
        constraint_length(constraint)
    return list(given)


def _given_words(given: Any) -> list[Any]:
    if given is None:
        return []
    if not isinstance(given, list) or not given or not all(isinstance(word, list) and word for word in given):
        raise ValueError(
            f"force_words_ids={given!r} should be a list with a list of ids for each word, or with a list of such "
            f"lists for alternatives, and none may be empty; {TOKENIZE_HINT}, and None means no constraint"
        )
    return given


def _constraint_for_word(word: list[Any]) -> Constraint:
    """Return a `PhrasalConstraint` for ids, a `DisjunctiveConstraint` for lists of ids."""
    nested = [isinstance(each, list) for each in word]
    if any(nested) and not all(nested):
        raise ValueError(
            f"force_words_ids holds {word!r}, which mixes ids and lists of ids; give one list of ids, or a list of such"
        )
    try:
        return DisjunctiveConstraint(word) if nested[0] else PhrasalConstraint(word)
    except ValueError as error:
        raise ValueError(f"force_words_ids holds {word!r}: {error}") from None


def _warn_of_prefix(one: Any, other: Any) -> None:
    """Warn if the phrase of one constraint is a prefix of the phrase of another."""
    short, long = constraint_phrases(one), constraint_phrases(other)
    if long and all(any(is_proper_prefix(phrase, start) for start in short) for phrase in long):
        shown, shown_long = (each[0] if len(each) == 1 else each for each in (short, long))
        warn(
            f"the constraint {shown} is a prefix of {shown_long}; an output with the longer one contains both, "
            "but may have to contain the shorter one twice"
        )


def _check_not_forbidden(constraint: Any, config: GenerationSettings) -> None:
    """Refuse a constraint if all of its phrases are forbidden."""
    reasons = [forbidden_reason(phrase, config) for phrase in constraint_phrases(constraint)]
    if reasons and all(reasons):
        phrase = constraint_phrases(constraint)[0]
        raise ValueError(f"the constraint {phrase} cannot be fulfilled, since {reasons[0]}; leave out one of them")


def forbidden_reason(phrase: list[int], config: GenerationSettings) -> str:
    """Return the reason why a phrase can never be generated, or "".

    >>> from tokenlab.libraries.transformers.generation.configuration_utils import GenerationConfig
    >>> forbidden_reason([4, 5, 6], GenerationConfig(bad_words_ids=[[7], [5, 6]]))
    'bad_words_ids forbids [5, 6]'
    """
    suppressed = set(check_token_ids("suppress_tokens", config.suppress_tokens or (), empty=True)) & set(phrase)
    if suppressed:
        return f"suppress_tokens forbids {min(suppressed)}"
    words = check_word_ids("bad_words_ids", config.bad_words_ids) if config.bad_words_ids is not None else []
    for word in words:
        if any(phrase[place : place + len(word)] == word for place in range(len(phrase))):
            return f"bad_words_ids forbids {word}"
    return ""


def _check_ids(phrase: list[int], vocab_size: float, ends: Sequence[int]) -> None:
    if max(phrase) >= vocab_size:
        raise ValueError(
            f"the constraint {phrase} contains {max(phrase)}, but the model's ids are 0-{vocab_size - 1}; "
            "are the ids those of this model's tokenizer?"
        )
    end = next((id for id in phrase if id in ends), None)
    if end is not None:
        warn(
            f"the constraint {phrase} contains {end}, which ends an output: a beam that ends with it does not count as "
            "complete, so only outputs of the maximum length can contain it; "
            "tokenizer(words, add_special_tokens=False).input_ids has none"
        )
