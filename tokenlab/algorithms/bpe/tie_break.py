"""Tie-breaking in BPE training: which of several equally frequent pairs is merged, a rule that few tutorials state.

A policy maps a tied pair to a key; the smallest key wins. The named policies are those of real trainers; your own
function can be a policy as well.

>>> min([Tied(("b", "a"), (1, 0), (0, 0)), Tied(("a", "b"), (0, 1), (0, 1))], key=lowest_id).pair
('a', 'b')
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from tokenlab.printing.errors import lookup
from tokenlab.printing.printable import Symbol

Pair: TypeAlias = tuple[Symbol, Symbol]


class Tied(NamedTuple):
    """A tied pair and the information that a policy may use."""

    pair: Pair
    ids: tuple[int, int]  # of its two symbols in the vocabulary
    first: tuple[int, int]  # first occurrence: the index of the word, and the offset in the word


Policy: TypeAlias = Callable[[Tied], Any]


def first_seen(tied: Tied) -> tuple[int, int]:
    """Prefer the pair that occurs first in the words as they are split now (tiktoken/_educational.py, minbpe).

    >>> first_seen(Tied(("a", "b"), ids=(0, 1), first=(2, 0)))
    (2, 0)
    """
    return tied.first


def lowest_id(tied: Tied) -> tuple[int, int]:
    """Prefer the pair with the smaller ids (huggingface/tokenizers, models/bpe/trainer.rs, `impl Ord for Merge`).

    >>> lowest_id(Tied(("a", "b"), ids=(0, 1), first=(2, 0)))
    (0, 1)
    """
    return tied.ids


def lexicographic_max(tied: Tied) -> tuple[tuple[int, ...], ...]:
    """Prefer the lexicographically largest pair (Stanford CS336, assignment 1).

    >>> min([Tied(("a", "b"), (0, 1), (0, 0)), Tied(("b", "a"), (1, 0), (0, 1))], key=lexicographic_max).pair
    ('b', 'a')
    """
    return _reversed(tied.pair[0]), _reversed(tied.pair[1])


def sentencepiece(tied: Tied) -> tuple[int, Symbol, int]:
    """Prefer the shorter merged symbol, then the smaller one (sentencepiece, bpe_model_trainer.cc, `Trainer::Train`).

    >>> sentencepiece(Tied(("ab", "c"), ids=(3, 2), first=(0, 0)))
    (3, 'abc', 2)
    """
    left, right = tied.pair
    merged: Symbol = left + right  # type: ignore[operator]  # both are str or both are bytes
    return len(merged), merged, len(left)


def _reversed(symbol: Symbol) -> tuple[int, ...]:
    # subtle: the end is 1 and codes are negated, so that "ab" comes before its prefix "a".
    codes = symbol if isinstance(symbol, bytes) else map(ord, symbol)
    return (*(-code for code in codes), 1)


POLICIES: dict[str, Policy] = {
    policy.__name__: policy for policy in (first_seen, lowest_id, lexicographic_max, sentencepiece)
}


def get_policy(tie_break: str | Policy) -> Policy:
    """Return the policy with the given name, or the given function.

    Raises:
        ValueError: no policy has that name.
        TypeError: tie_break is neither a name nor a function.
    """
    if isinstance(tie_break, str):
        return lookup("tie_break", tie_break, POLICIES)
    if not callable(tie_break):
        raise TypeError(f"tie_break={tie_break!r} is neither a name nor a function; try 'first_seen'")
    return tie_break


def choose(
    tied: Sequence[Pair], policy: Policy, vocabulary: Iterable[Symbol], splits: Mapping[Any, tuple[Symbol, ...]]
) -> Pair:
    """Return the pair that the policy prefers among the tied pairs.

    >>> choose([("u", "g"), ("h", "u")], lowest_id, ["g", "h", "u"], {"hug": ("h", "u", "g")})
    ('h', 'u')
    """
    if len(tied) == 1:
        return tied[0]
    ids = {symbol: id for id, symbol in enumerate(vocabulary)}
    first: dict[Pair, tuple[int, int]] = {}
    for index, split in enumerate(splits.values()):
        before = 0
        for left, right in zip(split, split[1:], strict=False):
            first.setdefault((left, right), (index, before))
            before += len(left)
    return min(
        (Tied(pair, (ids[pair[0]], ids[pair[1]]), first[pair]) for pair in tied), key=checked_policy(policy)
    ).pair


def checked_policy(policy: Policy) -> Policy:
    """Wrap a policy to raise a TypeError if it returns None, as a function without a `return` does."""

    def key(tied: Tied) -> Any:
        value = policy(tied)
        if value is None:
            raise TypeError(f"the tie-break {policy!r} returns None for {tied.pair}; it should return a key")
        return value

    return key
