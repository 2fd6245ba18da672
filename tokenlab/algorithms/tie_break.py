"""Which of the pairs that are equally frequent is merged: the rule that almost no tutorial states.

A policy looks at a pair that ties and returns a key; the smallest key wins. Named policies are those of real
trainers; a function of your own is one as well.

>>> min([Tied(("b", "a"), (1, 0), (0, 0)), Tied(("a", "b"), (0, 1), (0, 1))], key=lowest_id).pair
('a', 'b')
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from tokenlab.errors import by_name
from tokenlab.visible import Symbol

Pair: TypeAlias = tuple[Symbol, Symbol]


class Tied(NamedTuple):
    """A pair that ties, with what a policy may look at."""

    pair: Pair
    ids: tuple[int, int]  # of its two symbols in the vocabulary
    first: tuple[int, int]  # where it stands first: the word's index, and how much of the word stands before it


Policy: TypeAlias = Callable[[Tied], Any]


def first_seen(tied: Tied) -> tuple[int, int]:
    """The pair that stands first in the words as they are split now (tiktoken/_educational.py, minbpe).

    >>> first_seen(Tied(("a", "b"), ids=(0, 1), first=(2, 0)))
    (2, 0)
    """
    return tied.first


def lowest_id(tied: Tied) -> tuple[int, int]:
    """The pair with the smaller ids (huggingface/tokenizers, models/bpe/trainer.rs, `impl Ord for Merge`).

    >>> lowest_id(Tied(("a", "b"), ids=(0, 1), first=(2, 0)))
    (0, 1)
    """
    return tied.ids


def lexicographic_max(tied: Tied) -> tuple[tuple[int, ...], ...]:
    """The pair that a dictionary lists last (Stanford CS336, assignment 1).

    >>> min([Tied(("a", "b"), (0, 1), (0, 0)), Tied(("b", "a"), (1, 0), (0, 1))], key=lexicographic_max).pair
    ('b', 'a')
    """
    return _reversed(tied.pair[0]), _reversed(tied.pair[1])


def sentencepiece(tied: Tied) -> tuple[int, Symbol, int]:
    """The shorter result, then the smaller one (sentencepiece, bpe_model_trainer.cc, `Trainer::Train`).

    >>> sentencepiece(Tied(("ab", "c"), ids=(3, 2), first=(0, 0)))
    (3, 'abc', 2)
    """
    left, right = tied.pair
    merged: Symbol = left + right  # type: ignore[operator]  # both are str or both are bytes
    return len(merged), merged, len(left)


def _reversed(symbol: Symbol) -> tuple[int, ...]:
    # subtle: the end is 1 and codes count down from 0, so that "ab" comes before its own prefix "a".
    codes = symbol if isinstance(symbol, bytes) else map(ord, symbol)
    return (*(-code for code in codes), 1)


POLICIES: dict[str, Policy] = {
    policy.__name__: policy for policy in (first_seen, lowest_id, lexicographic_max, sentencepiece)
}


def policy_of(tie_break: str | Policy) -> Policy:
    """The policy of that name, or the function itself.

    Raises:
        ValueError: no policy has that name.
        TypeError: neither a name nor a function.
    """
    if isinstance(tie_break, str):
        return by_name("tie_break", tie_break, POLICIES)
    if not callable(tie_break):
        raise TypeError(f"tie_break={tie_break!r} is neither a name nor a function; try 'first_seen'")
    return tie_break


def choose(
    tied: Sequence[Pair], policy: Policy, vocabulary: Iterable[Symbol], splits: Mapping[Any, tuple[Symbol, ...]]
) -> Pair:
    """The pair that a policy prefers among those that tie, in words that are split like that.

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
    return min((Tied(pair, (ids[pair[0]], ids[pair[1]]), first[pair]) for pair in tied), key=checked(policy)).pair


def checked(policy: Policy) -> Policy:
    """The policy, but with a sentence where it gives no key: in a learner's own one a `return` may be missing."""

    def key(tied: Tied) -> Any:
        value = policy(tied)
        if value is None:
            raise TypeError(f"the tie-break {policy!r} gives None for {tied.pair}; it should return a key")
        return value

    return key
