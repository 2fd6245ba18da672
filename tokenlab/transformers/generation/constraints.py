"""`Constraint`: something that an output has to hold, told one token at a time.

Adds: what a beam scorer asks of it, and a test that each class of one's own goes through.
Leaves out: phrases (`phrasal_constraint`), one of several phrases (`disjunctive_constraint`), several constraints at
once (`constraint_list_state`).

Source: transformers 4.26.1, generation/beam_constraints.py. There the test leaves the constraint complete, so that no
class of one's own is ever demanded; and it fails where `advance` answers several tokens.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from tokenlab.errors import whole_number

LONGEST = 10_000  # tokens after which the test gives up


class Constraint(ABC):
    """What is demanded, and how much of it is there already.

    A class of one's own that calls `super().__init__()`, when everything else is set, is tested: whoever writes what
    `advance` answers comes to an end.

    >>> class Twice(Constraint):  # a token, twice, whatever stands between
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
        """See whether writing what it asks for fulfils it; afterwards nothing of it is fulfilled.

        Raises:
            ValueError: it asks for what does not advance it, never ends, or is wrong about what remains.
        """
        name = type(self).__name__
        for step in range(LONGEST):
            if step == 1:
                self.reset()  # subtle: in the middle, as where a phrase breaks off; from there, too, it has to end
            asked = tokens_of(self.advance())
            if not asked:
                raise ValueError(f"{name}.advance() asks for nothing, and update has not said completed; answer an id")
            refused = [token for token in asked if not self.does_advance(token)]
            if refused:
                raise ValueError(f"{name}.advance() asks for {refused[0]}, and does_advance({refused[0]}) is False")
            _, completed, _ = self.update(asked[0])
            if completed:
                break
        else:
            raise ValueError(f"{name}: after {LONGEST} tokens that it asked for, update still does not say completed")
        if self.remaining() != 0:
            raise ValueError(f"{name} is complete, and remaining() says {self.remaining()}; it should say 0 then")
        self.reset()

    @abstractmethod
    def advance(self) -> Any:
        """The id that would advance it, a list of several of which one does, or None if there is none."""

    @abstractmethod
    def does_advance(self, token_id: int) -> bool:
        """Whether this token would advance it; nothing is changed."""

    @abstractmethod
    def update(self, token_id: int) -> tuple[bool, bool, bool]:
        """Take note of a token that was written.

        Returns:
            stepped (it is one step nearer), completed (by this token), reset (what was there already is lost).
        """

    @abstractmethod
    def reset(self) -> None:
        """Nothing of it is there."""

    @abstractmethod
    def remaining(self) -> int:
        """How many tokens it still asks for."""

    @abstractmethod
    def copy(self, stateful: bool = False) -> Any:
        """One that demands the same; with what is there already if stateful."""


def tokens_of(advance: Any) -> list[int]:
    """What `advance` answers, as a list.

    >>> tokens_of(3), tokens_of([1, 2]), tokens_of(None)
    ([3], [1, 2], [])
    """
    if advance is None:
        return []
    return [int(advance)] if hasattr(advance, "__index__") else [int(token) for token in advance]


def checked_token(token_id: Any) -> int:
    """The id, if it is one.

    Raises:
        ValueError: it is none.

    >>> checked_token("5")
    Traceback (most recent call last):
    ...
    ValueError: token_id='5' is a str; give a whole number, such as 100
    """
    if type(token_id) is int:
        return token_id
    try:
        return whole_number("token_id", token_id)
    except TypeError as error:
        raise ValueError(str(error)) from None


def checked_phrase(argument: str, given: Any) -> list[int]:
    """The ids of a phrase.

    Raises:
        ValueError: no list, an empty one, or something in it that is no id.

    >>> checked_phrase("token_ids", [5, -1])
    Traceback (most recent call last):
    ...
    ValueError: token_ids=[5, -1] should hold ids alone: token_ids=-1 is too small; give 0 or more
    """
    if not isinstance(given, list) or not given:
        raise ValueError(
            f"{argument}={given!r} should be a list of ids with at least one; "
            "tokenizer(words, add_special_tokens=False).input_ids makes one"
        )
    return _ids(argument, given)


def _ids(argument: str, given: Sequence[Any]) -> list[int]:
    try:
        return [whole_number(argument, id, at_least=0) for id in given]
    except (TypeError, ValueError) as error:
        raise ValueError(f"{argument}={given!r} should hold ids alone: {error}") from None
