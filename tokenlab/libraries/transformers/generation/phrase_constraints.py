"""Constraints, conditions on an output that are updated one token at a time: a phrase, and one of several phrases.

Adds: the interface that a beam scorer uses, a test for user-defined classes, and a trie of phrases.
Leaves out: several constraints at once (`beam_constraints`); and a restart with the token that interrupts a phrase, so
the phrase 1 1 2 is not found in 1 1 1 2.

Source: transformers 4.26.1, generation/beam_constraints.py. There the test leaves the constraint complete, so a
user-defined constraint has no effect; and it fails if `advance` returns several tokens. `PhrasalConstraint.reset` keeps
the first token as matched. Copies of a `DisjunctiveConstraint` share the matched tokens, so of two alternative next
tokens, the second one counts as an interruption. Accepted there, or failing later: empty lists, a bool as an id, an
element that is no Constraint.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

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
    """Return the token id; a ValueError if it is not an integer.

    >>> check_token_id("5")
    Traceback (most recent call last):
    ...
    ValueError: token_id='5' is a str; give a whole number, such as 100
    """
    return token_id if type(token_id) is int else check_integer("token_id", token_id, at_least=None)


def check_phrase(argument: str, given: Any) -> list[int]:
    """Return the ids of a phrase; a ValueError unless it is a list of ids with at least one.

    >>> check_phrase("token_ids", [5, -1])
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
        self.token_ids = check_phrase("token_ids", token_ids)
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


T = TypeVar("T")
Trie = dict[int, "Trie"]


class DisjunctiveTrie:
    """A trie of phrases, which share their common prefixes.

    Args:
        nested_token_ids: the ids of each phrase.
        no_subsets: refuse a phrase that is a prefix of another.

    Raises:
        ValueError: a phrase is a prefix of another, or appears twice.

    >>> trie = DisjunctiveTrie([[1, 2, 5], [1, 3]])
    >>> trie.next_tokens([]), trie.next_tokens([1]), trie.reached_leaf([1, 3]), trie.max_height
    ([1], [2, 3], True, 3)
    """

    def __init__(self, nested_token_ids: list[list[int]], no_subsets: bool = True) -> None:
        self.max_height = max(map(len, nested_token_ids))
        self.trie: Trie = {}
        for token_ids in nested_token_ids:
            level = self.trie
            for token_id in token_ids:
                level = level.setdefault(token_id, {})
        if no_subsets and self.has_subsets(self.trie, nested_token_ids):
            short, long = next(prefix_pairs(nested_token_ids))
            twice = f"{short} appears twice" if short == long else f"{short} is a prefix of {long}"
            raise ValueError(
                f"nested_token_ids={nested_token_ids}: {twice}; an output with {long} contains {short}, "
                f"so leave out {long}"
            )

    def next_tokens(self, current_seq: Iterable[int]) -> list[int]:
        """Return the ids that may follow this prefix.

        Raises:
            KeyError: not a prefix of any phrase.
        """
        level = self.trie
        for token_id in current_seq:
            level = level[token_id]
        return list(level)

    def reached_leaf(self, current_seq: Iterable[int]) -> bool:
        """Return True if these ids are a complete phrase."""
        return not self.next_tokens(current_seq)

    def count_leaves(self, root: Trie) -> int:
        """Return the number of leaves below a node."""
        return sum(map(self.count_leaves, root.values())) if root else 1

    def has_subsets(self, trie: Trie, nested_token_ids: list[list[int]]) -> bool:
        """Return True if a phrase is a prefix of another, and so has no leaf."""
        return self.count_leaves(trie) != len(nested_token_ids)


class DisjunctiveConstraint(PhraseConstraint):
    """An output contains one of these phrases.

    Args:
        nested_token_ids: the ids of each phrase.

    Raises:
        ValueError: not a list of lists of ids, an empty list, or a phrase that is a prefix of another.

    >>> either = DisjunctiveConstraint([[1, 2, 5], [1, 3]])
    >>> either.update(1), either.advance(), either.remaining()  # of the longest phrase
    ((True, False, False), [2, 3], 2)
    >>> either.update(3), either.advance(), either.remaining()
    ((True, True, False), None, 0)
    """

    def __init__(self, nested_token_ids: list[list[int]]) -> None:
        if not isinstance(nested_token_ids, list) or not nested_token_ids:
            raise ValueError(
                f"nested_token_ids={nested_token_ids!r} should be a list with a list of ids for each phrase"
            )
        self.token_ids = [check_phrase("nested_token_ids", token_ids) for token_ids in nested_token_ids]
        self.trie = DisjunctiveTrie(self.token_ids)
        self.seqlen = self.trie.max_height
        self.current_seq: list[int] = []
        self.completed = False

    def advance(self) -> list[int] | None:
        """Return the ids that may follow, or None after a complete phrase."""
        return self.trie.next_tokens(self.current_seq) or None

    def does_advance(self, token_id: int) -> bool:
        """Return True if this id may follow."""
        return check_token_id(token_id) in (self.advance() or ())

    def _match(self, token_id: int) -> bool:
        # subtle: a new list, since copies share the old one.
        self.current_seq = [*self.current_seq, token_id]
        return self.trie.reached_leaf(self.current_seq)

    def reset(self) -> None:
        """Discard all progress."""
        self.completed = False
        self.current_seq = []

    def remaining(self) -> int:
        """Return the maximum number of missing tokens; a shorter phrase may need fewer."""
        return 0 if self.completed else self.seqlen - len(self.current_seq)


def is_proper_prefix(phrase: list[T], start: list[T]) -> bool:
    """Return True if start is a proper prefix of phrase.

    >>> is_proper_prefix([5, 6], [5]), is_proper_prefix([5], [5])
    (True, False)
    """
    return len(start) < len(phrase) and phrase[: len(start)] == start


def prefix_pairs(phrases: list[list[T]]) -> Iterator[tuple[list[T], list[T]]]:
    """Yield the pairs of a phrase and a longer or later one that starts with it.

    >>> list(prefix_pairs([[1, 2], [3], [1, 2, 5], [3]]))
    [([1, 2], [1, 2, 5]), ([3], [3])]
    """
    for place, one in enumerate(phrases):
        for other_place, other in enumerate(phrases):
            if is_proper_prefix(other, one) or (other == one and place < other_place):
                yield one, other
