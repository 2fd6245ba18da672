"""`DisjunctiveConstraint`: one of several phrases, stored in a trie.

Source: transformers 4.26.1, generation/beam_constraints.py. There copies share the matched tokens, so of two
alternative next tokens, the second one counts as an interruption.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from tokenlab.libraries.transformers.generation.constraints.constraint import (
    PhraseConstraint,
    check_token_id,
    check_token_ids,
)

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
        self.token_ids = [check_token_ids("nested_token_ids", token_ids) for token_ids in nested_token_ids]
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
