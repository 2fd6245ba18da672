"""`DisjunctiveConstraint`: one of several phrases, whichever comes easiest; their tokens stand in a trie.

Source: transformers 4.26.1, generation/beam_constraints.py. There copies share the tokens that were written, so that of
two ways on, the second one counted as a break.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from tokenlab.transformers.generation.constraints import Constraint, checked_phrase, checked_token

T = TypeVar("T")
Trie = dict[int, "Trie"]


class DisjunctiveTrie:
    """Phrases that begin alike share their beginning.

    Args:
        nested_token_ids: the ids of each phrase.
        no_subsets: refuse a phrase that is the beginning of another.

    Raises:
        ValueError: there is one, or one stands there twice.

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
            short, long = next(beginnings(nested_token_ids))
            twice = f"{short} stands there twice" if short == long else f"{short} is the beginning of {long}"
            raise ValueError(
                f"nested_token_ids={nested_token_ids}: {twice}; whoever writes one has written the other, "
                f"so leave out {long}"
            )

    def next_tokens(self, current_seq: Iterable[int]) -> list[int]:
        """The ids that go on from these.

        Raises:
            KeyError: no phrase begins with them.
        """
        level = self.trie
        for token_id in current_seq:
            level = level[token_id]
        return list(level)

    def reached_leaf(self, current_seq: Iterable[int]) -> bool:
        """Whether these are a whole phrase."""
        return not self.next_tokens(current_seq)

    def count_leaves(self, root: Trie) -> int:
        """How many phrases end beneath a node."""
        return sum(map(self.count_leaves, root.values())) if root else 1

    def has_subsets(self, trie: Trie, nested_token_ids: list[list[int]]) -> bool:
        """Whether a phrase is the beginning of another: it has no leaf of its own then."""
        return self.count_leaves(trie) != len(nested_token_ids)


class DisjunctiveConstraint(Constraint):
    """An output holds one of these phrases.

    Args:
        nested_token_ids: the ids of each.

    Raises:
        ValueError: no list of lists of ids, an empty one, or one phrase is the beginning of another.

    >>> either = DisjunctiveConstraint([[1, 2, 5], [1, 3]])
    >>> either.update(1), either.advance(), either.remaining()  # as if it were the longest
    ((True, False, False), [2, 3], 2)
    >>> either.update(3), either.advance(), either.remaining()
    ((True, True, False), None, 0)
    """

    def __init__(self, nested_token_ids: list[list[int]]) -> None:
        if not isinstance(nested_token_ids, list) or not nested_token_ids:
            raise ValueError(
                f"nested_token_ids={nested_token_ids!r} should be a list with a list of ids for each phrase"
            )
        self.token_ids = [checked_phrase("nested_token_ids", token_ids) for token_ids in nested_token_ids]
        self.trie = DisjunctiveTrie(self.token_ids)
        self.seqlen = self.trie.max_height
        self.current_seq: list[int] = []
        self.completed = False

    def advance(self) -> list[int] | None:
        """The ids that go on, or None after a whole phrase."""
        return self.trie.next_tokens(self.current_seq) or None

    def does_advance(self, token_id: int) -> bool:
        """Whether it is one of those that go on."""
        return checked_token(token_id) in (self.advance() or ())

    def update(self, token_id: int) -> tuple[bool, bool, bool]:
        """Take note of a token: one that goes on, or one that breaks the phrase.

        Returns:
            stepped, completed, reset.
        """
        if not self.does_advance(token_id):
            self.reset()
            return False, False, True
        # subtle: a new list, since copies still have the old one.
        self.current_seq = [*self.current_seq, token_id]
        self.completed = self.trie.reached_leaf(self.current_seq)
        return True, self.completed, False

    def reset(self) -> None:
        """No token of any phrase is there."""
        self.completed = False
        self.current_seq = []

    def remaining(self) -> int:
        """How many tokens are missing at the most; a shorter phrase may need fewer."""
        return 0 if self.completed else self.seqlen - len(self.current_seq)

    def copy(self, stateful: bool = False) -> Any:
        """The same phrases; as far along as this one if stateful."""
        other = copy.copy(self)
        if not stateful:
            other.reset()
        return other


def begins_longer(phrase: list[T], start: list[T]) -> bool:
    """Whether a phrase begins with another one and goes on.

    >>> begins_longer([5, 6], [5]), begins_longer([5], [5])
    (True, False)
    """
    return len(start) < len(phrase) and phrase[: len(start)] == start


def beginnings(phrases: list[list[T]]) -> Iterator[tuple[list[T], list[T]]]:
    """Pairs of a phrase and a later or longer one that begins with it.

    >>> list(beginnings([[1, 2], [3], [1, 2, 5], [3]]))
    [([1, 2], [1, 2, 5]), ([3], [3])]
    """
    for place, one in enumerate(phrases):
        for other_place, other in enumerate(phrases):
            if begins_longer(other, one) or (other == one and place < other_place):
                yield one, other
