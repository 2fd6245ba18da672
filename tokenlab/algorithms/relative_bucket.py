"""The bucket of a distance: near keys have one each, farther ones share, the more the farther.

Adds: how a T5 turns any distance into one of few classes. Leaves out: the number that each head learns for a class.
Source: transformers 4.26.1, T5Attention._relative_position_bucket; Raffel et al. 2020, section 2.1.

>>> print(buckets.record([-9, 3, 200]))
1. 9 before the query (buckets for both sides): bucket 8, shared
2. 3 after the query (buckets for both sides): bucket 19, its own
3. 200 after the query (buckets for both sides): bucket 31, shared
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from math import log

from tokenlab.steps import step, stepwise


@step
class Placed:
    """A key was given its bucket, which is shared or its own."""

    relative_position: int
    bidirectional: bool
    bucket: int
    shared: bool

    def __str__(self) -> str:
        """Say where the key stands, and in which bucket."""
        sides = "both sides" if self.bidirectional else "keys before"
        shared = "shared" if self.shared else "its own"
        return f"{where(self.relative_position)} (buckets for {sides}): bucket {self.bucket}, {shared}"


def where(relative_position: int) -> str:
    """A key's place, seen from its query.

    >>> where(-9), where(0)
    ('9 before the query', 'at the query')
    """
    if not relative_position:
        return "at the query"
    return f"{abs(relative_position)} {'after' if relative_position > 0 else 'before'} the query"


@stepwise
def buckets(
    relative_positions: Iterable[int], bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> Generator[Placed, None, tuple[int, ...]]:
    """The bucket of each of these keys.

    >>> buckets([-9, 0, 9], bidirectional=False)
    (9, 0, 0)
    """
    placed = []
    for position in relative_positions:
        bucket = relative_bucket(position, bidirectional, num_buckets, max_distance)
        neighbours = (relative_bucket(position + way, bidirectional, num_buckets, max_distance) for way in (-1, 1))
        yield Placed(position, bidirectional, bucket, bucket in neighbours)
        placed.append(bucket)
    return tuple(placed)


def relative_bucket(
    relative_position: int, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> int:
    """The bucket of one key.

    Args:
        relative_position: the key's place minus the query's.
        bidirectional: half of the buckets are for keys after the query, as in an encoder; otherwise all of those are in
            bucket 0, with the key at the query, as in a decoder.
        num_buckets: how many there are.
        max_distance: from here on all are in the last one.

    >>> relative_bucket(-9), relative_bucket(9), relative_bucket(-9, bidirectional=False)
    (8, 24, 9)
    """
    first, distance = 0, max(-relative_position, 0)
    if bidirectional:
        num_buckets //= 2
        first, distance = num_buckets * (relative_position > 0), abs(relative_position)
    exact = num_buckets // 2
    if distance < exact:
        return first + distance
    # subtle: the library takes this in float32; where it is an integer, rounding may decide otherwise there.
    share = log(distance / exact) / log(max_distance / exact)
    return first + min(exact + int(share * (num_buckets - exact)), num_buckets - 1)
